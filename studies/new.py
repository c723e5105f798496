"""Write a new, editable study folder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from studies.annotation.folder_rules import codebook_texts, example_of
from studies.annotation.materials import Codebook, Item
from studies.assignment import draw_subset
from studies.errors import FolderError, Problem
from studies.folder_checks import accept
from studies.folder_parts import own_codebook
from studies.item_files import read_items
from studies.new_design import left_out_notes, settled, wished
from studies.new_files import bundled_rows, render
from studies.new_folder import Created, free_root, json_line, write
from studies.reading import read_settings

__all__ = ["Created", "create"]


def create(
    directory: Path,
    *,
    items_file: Path | None = None,
    text_field: str | None = None,
    id_field: str | None = None,
    context_field: str | None = None,
    participants: int | None = None,
    items_each: int | None = None,
    raters: int | None = None,
    block: int | None = None,
    unequal: bool = False,
    preset: str | None = None,
    seed: int | None = None,
) -> Created:
    """Write a study folder whose `check` finds no error, all of it or nothing.

    Without `items_file` the study starts from the bundled study's items. Without counts every participant
    gets every item. `participants` alone makes a crossed design; two of participants, items_each and raters
    fix the third of a cyclic one, and where the items do not come out even (or there are more than the
    counts need) a seeded, stratified subset is drawn. `unequal` keeps all items instead. Without `seed` one
    is derived from the items.

    Raises:
        InputError: the directory is not empty, or the counts make no design of the items there are.
        FolderError: the items file has problems; it carries all of them.
    """
    root = free_root(directory)
    wish = wished(
        participants=participants,
        items_each=items_each,
        raters=raters,
        block=block,
        unequal=unequal,
        preset=preset,
    )
    items, notes = _items(items_file, text_field or "request", id_field or "id", context_field)
    items, quoting = _without_examples(items)
    plan, changed = settled(replace(wish, strata=_strata(items)), len(items))
    seed = _seed_of(items) if seed is None else seed
    drawn = set(draw_subset(items, plan.items, plan.strata, seed))
    kept = [item for index, item in enumerate(items) if index in drawn]
    drawn_out = [item.id for index, item in enumerate(items) if index not in drawn]
    notes += changed + left_out_notes(plan, len(items), quoting, drawn_out)
    files = render(root.name, plan, kept, quoting + drawn_out, seed)
    accept(files)
    write(root, files)
    return Created(directory, notes, len(kept), quoting + drawn_out)


# -- what to start from ------------------------------------------------------------------------


def _items(
    path: Path | None, text_field: str, id_field: str, context_field: str | None
) -> tuple[list[Item], list[str]]:
    if path is None:
        return bundled_rows("items.jsonl", Item), []
    rows, problems = read_items(path, text_field, id_field, context_field=context_field)
    if any(not one.warning for one in problems):
        raise FolderError([one for one in problems if not one.warning])
    return [Item.model_validate(row) for row in rows], [str(one) for one in problems]


def _without_examples(items: Sequence[Item]) -> tuple[list[Item], list[str]]:
    """The items, without those that participants read as examples of the codebook, whose ids come second."""
    problems: list[Problem] = []
    codebook = read_settings("codebook.toml", own_codebook(), Codebook, problems)
    if codebook is None:
        raise FolderError(problems)
    examples = codebook_texts(codebook)
    quoting = [item.id for item in items if example_of(item.request, examples)]
    return [item for item in items if item.id not in quoting], quoting


def _strata(items: Sequence[Item]) -> tuple[str, ...]:
    """The columns by which items differ in ways that matter: the intended mechanism and the source."""
    return tuple(name for name in ("gold", "source") if len({getattr(item, name) for item in items}) > 1)


def _seed_of(items: Sequence[Item]) -> int:
    digest = hashlib.sha256(b"".join(json_line(item) for item in items)).digest()
    return int.from_bytes(digest[:4], "big") >> 1
