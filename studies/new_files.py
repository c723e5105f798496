"""The files of a new study folder, from templates that explain every key."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Template
from typing import TypeVar

from pydantic import BaseModel

from studies.annotation.folder_rules import text_key
from studies.annotation.materials import Item, TrainingItem
from studies.bundles import directory as bundled
from studies.errors import FolderError, Problem
from studies.folder_parts import own_codebook
from studies.new_design import Plan
from studies.new_folder import json_line, slug, title_of, toml_value
from studies.reading import read_rows

M = TypeVar("M", bound=BaseModel)

KIND = "annotation"

_TEMPLATES = Path(__file__).parent / "templates" / KIND


def render(
    name: str, plan: Plan, items: Sequence[Item], left_out: Sequence[str], seed: int
) -> dict[str, bytes]:
    """The files of a new folder of that name, by relative path."""
    title = title_of(name)
    files = {
        "study.toml": _filled(
            "study.toml",
            title=toml_value(title),
            name=toml_value(slug(title)),
            seed=seed,
            design=_design_lines(plan),
            tie_break=_tie_break_line(plan),
            left_out=left_out_lines(left_out),
        ),
        "analysis.toml": _filled(
            "analysis.toml",
            planned_n=planned_line(plan),
            stopping_rule=toml_value(stopping_rule(plan)),
            known_deviations=listed_lines(plan.deviations),
        ),
        "codebook.toml": own_codebook(),
        "items.jsonl": b"".join(map(json_line, items)),
        "training.jsonl": b"".join(map(json_line, _training(items))),
    }
    for text in ("consent.md", "instructions.md", "debrief.md"):
        files[text] = (_TEMPLATES / text).read_bytes()
    return files


def _filled(file: str, **values: object) -> bytes:
    template = Template((_TEMPLATES / file).read_text(encoding="utf-8"))
    return template.substitute(values).encode("utf-8")


def _design_lines(plan: Plan) -> str:
    def line(key: str, value: object, example: object, words: str) -> str:
        setting = f"# {key} = {toml_value(example)}" if value is None else f"{key} = {toml_value(value)}"
        return f"{setting:<28} # {words}"

    unequal = True if plan.unequal else None
    lines = [
        f'kind = "{plan.kind}"',
        line("participants", plan.participants, 20, "planned number of participants: one slot each"),
        line("items_each", plan.items_each, 20, "items a participant annotates"),
        line("raters", plan.raters, 2, "participants who annotate each item"),
        line("block", plan.block, 10, "items between two rests"),
        line(
            "strata", plan.strata or None, ["source"], "item columns, over which the order is spread evenly"
        ),
        line("unequal", unequal, True, "floor and ceiling numbers of raters will do"),
        line("repeats", 0, 0, "items annotated twice, at least ten items apart"),
        line("checks", 0, 0, "attention checks a person, from checks.jsonl; at most one in twenty"),
    ]
    return "\n".join(lines)


def _tie_break_line(plan: Plan) -> str:
    if plan.tie_break:
        return "tie_break = true             # show the codebook's rule for ties"
    return "tie_break = false            # CAPA's paper states no rule for ties"


def planned_line(plan: Plan) -> str:
    """The line of analysis.toml with planned N."""
    words = "completed participations; figures stay hidden on screens until then"
    if plan.participants is None:
        return f"# planned_n = 20                   # {words}"
    return f"planned_n = {plan.participants:<22} # {words}"


def stopping_rule(plan: Plan) -> str:
    """When data collection ends, where the design has slots."""
    if plan.participants is None:
        return ""
    return f"All {plan.participants} slots are completed; a drop-out's slot goes to a replacement."


def left_out_lines(left_out: Sequence[str], what: str = "items.jsonl: {} items") -> str:
    """The ids that are not in the study, as a comment."""
    if not left_out:
        return ""
    ids = textwrap.wrap(" ".join(left_out), 100, break_long_words=False, break_on_hyphens=False)
    head = f"# -- Left out of {what.format(len(left_out))} of the file it was made from "
    return "\n".join(["", f"{head:-<99}", *(f"#   {line}" for line in ids), ""])


def listed_lines(texts: Sequence[str]) -> str:
    """A TOML list with one text a line."""
    return "[" + "".join(f"\n  {toml_value(text)}," for text in texts) + ("\n]" if texts else "]")


def _training(items: Sequence[Item]) -> Iterator[TrainingItem]:
    """The bundled practice items, apart from the study's items in text and id."""
    texts, ids = {text_key(item.request) for item in items}, {item.id for item in items}
    for one in bundled_rows("training.jsonl", TrainingItem):
        if text_key(one.request) in texts:
            continue
        name = one.id
        while name in ids:
            name = f"practice-{name}"
        yield one.model_copy(update={"id": name})


def bundled_rows(file: str, model: type[M]) -> list[M]:
    """The rows of a file of the bundled study.

    Raises:
        FolderError: the program was installed incompletely.
    """
    problems: list[Problem] = []
    rows = read_rows(file, (bundled(KIND) / file).read_bytes(), model, problems)
    if problems:
        raise FolderError(problems)
    return [row.value for row in rows]
