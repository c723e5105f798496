"""The rules that span an annotation study's files: items, practice, checks, the design."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from studies.annotation.materials import CheckItem, Codebook, Item, TrainingItem, gold_conflict
from studies.assignment import misfits
from studies.errors import Problem
from studies.findings import error, warning
from studies.reading import Row, closest, listed, shown
from studies.settings import AnalysisSettings, StudySettings
from studies.taxonomy import ESCAPES

if TYPE_CHECKING:
    from studies.annotation.folder import AnnotationParts

LONG_REQUEST = 5_000
"""Characters from which a request (with its context) is worth a warning."""
LONG_VISIT = 200
"""Items a person from which the length of the visits is worth a warning."""
QUOTABLE = 20
"""Characters from which a request found inside a codebook example is that example's text."""


def rules(parts: AnnotationParts) -> Iterator[Problem]:
    """Every problem that only shows between an annotation study's files, as far as those could be read."""
    yield from _identities(parts)
    yield from _texts_apart(parts)
    yield from _lengths(parts)
    yield from _labels(parts)
    if parts.items and not any(row.value.context for row in parts.items):
        found = (
            "no item has a context: conversational context misalignment (CCM) cannot be judged without one"
        )
        yield warning("items.jsonl", "context", found)
    if parts.settings is not None:
        yield from _training(parts.settings, parts)
        yield from _strata(parts.settings, parts)
        if parts.counted:
            yield from _design(parts.settings, parts)
        if parts.analysis is not None:
            yield from _exclusions(parts.settings, parts.analysis, parts)


# -- materials ---------------------------------------------------------------------------------


def _materials(
    parts: AnnotationParts,
) -> Iterator[tuple[str, Row[Item] | Row[TrainingItem] | Row[CheckItem]]]:
    yield from (("items.jsonl", row) for row in parts.items)
    yield from (("training.jsonl", row) for row in parts.training)
    yield from (("checks.jsonl", row) for row in parts.checks)


def _identities(parts: AnnotationParts) -> Iterator[Problem]:
    first: dict[str, tuple[str, int]] = {}
    for file, row in _materials(parts):
        there, line = first.setdefault(row.value.id, (file, row.line))
        if there != file:
            found = f"the id {shown(row.value.id)} is in {there}, line {line}, too"
            yield error(file, "id", found, "an id of its own for each item", row.line)


def text_key(request: str) -> str:
    """What two requests share when a reader would call them one text: case and spacing do not count."""
    return unicodedata.normalize("NFC", " ".join(request.split())).casefold()


def _whole(one: Item | TrainingItem | CheckItem) -> tuple[str, ...]:
    context = () if isinstance(one, CheckItem) else one.context
    return (text_key(one.request), *(f"{said.role} {text_key(said.text)}" for said in context))


def _texts_apart(parts: AnnotationParts) -> Iterator[Problem]:
    apart = "texts of training, main items, checks and codebook examples that are all different"
    first: dict[tuple[str, ...], tuple[str, Row[Item] | Row[TrainingItem] | Row[CheckItem]]] = {}
    for file, row in _materials(parts):
        there, other = first.setdefault(_whole(row.value), (file, row))
        if other is row:
            continue
        place = f"line {other.line}" if there == file else f"{there}, line {other.line}"
        found = f"{row.value.id} has the text of {other.value.id} ({place})"
        if there == file:
            yield warning(file, "request", found, line=row.line)
        else:
            yield error(file, "request", found, apart, row.line)
    if parts.common.codebook is None:
        return
    examples = codebook_texts(parts.common.codebook)
    for file, row in _materials(parts):
        if label := example_of(row.value.request, examples):
            found = f"{row.value.id} has the text of an example of {label} in codebook.toml"
            yield error(file, "request", found, apart, row.line)


def codebook_texts(codebook: Codebook) -> dict[str, str]:
    """The label of each example and near miss, by the example's `text_key`."""
    return {
        text_key(text): entry.label
        for entry in codebook.entries
        for text in (*entry.examples, entry.near_miss)
        if text
    }


def example_of(request: str, examples: Mapping[str, str]) -> str | None:
    """The label whose example is, or quotes, the request."""
    key = text_key(request)
    if label := examples.get(key):
        return label
    if len(key) < QUOTABLE:
        return None
    return next((label for text, label in examples.items() if key in text), None)


def _lengths(parts: AnnotationParts) -> Iterator[Problem]:
    for file, row in _materials(parts):
        one = row.value
        context = () if isinstance(one, CheckItem) else one.context
        size = len(one.request) + sum(len(said.text) for said in context)
        if size > LONG_REQUEST:
            found = f"{one.id} is {size:,} characters long: much to read in a terminal"
            yield warning(file, "request", found, line=row.line)


def _labels(parts: AnnotationParts) -> Iterator[Problem]:
    names: Counter[str] = Counter()
    for row in parts.items:
        item = row.value
        names.update(list(item.model_extra or ()))
        if wrong := gold_conflict(item.gold, item.gold_additional):
            yield error("items.jsonl", "gold_additional", *wrong, row.line)
    for name in sorted(names):
        near = closest(name.rstrip("_"), Item.model_fields, 0.8)
        if near and name.rstrip("_") not in Item.model_fields:
            found = f"a column {shown(name)}, on {names[name]} lines"
            yield warning("items.jsonl", shown(name), found, f"did you mean {near}?")
    if parts.settings is None or parts.settings.annotation.escapes:
        return
    expected = "a mechanism, or annotation.escapes = true in study.toml"
    for file, shown_row in _materials(parts):
        one = shown_row.value
        if not isinstance(one, Item) and one.dominant in ESCAPES:
            found = f"{one.dominant}, which annotators are not offered"
            yield error(file, "dominant", found, expected, shown_row.line)
    if escaped := [row.value.id for row in parts.items if row.value.gold in ESCAPES]:
        found = f"{len(escaped)} items have a gold label that annotators are not offered: {listed(escaped)}"
        yield warning("items.jsonl", "gold", found)


# -- settings ----------------------------------------------------------------------------------


def _training(settings: StudySettings, parts: AnnotationParts) -> Iterator[Problem]:
    rules = settings.training
    if rules.pass_mark is not None and not parts.training and "training.jsonl" not in parts.broken:
        found = "a pass mark without practice items"
        yield error("study.toml", "training.pass_mark", found, "training.jsonl with at least one item")
    if rules.pass_mark is None:
        if rules.exclude:
            found = "exclusion without a pass mark to miss"
            yield error("study.toml", "training.exclude", found, "training.pass_mark as well")
        if rules.rounds > 1:
            found = "further rounds never come without a pass mark"
            yield warning("study.toml", "training.rounds", found)


def _strata(settings: StudySettings, parts: AnnotationParts) -> Iterator[Problem]:
    if not parts.items:
        return
    columns = Counter[str]()
    for row in parts.items:
        columns.update(row.value.model_fields_set)
    for place, name in enumerate(settings.design.strata):
        key, there = f"design.strata.{place}", columns[name]
        if not there:
            near = closest(name, columns)
            expected = f"did you mean {near}?" if near else f"one of {listed(sorted(columns))}"
            yield error("study.toml", key, f"no item has a column {shown(name)}", expected)
        elif there < len(parts.items):
            found = f"{len(parts.items) - there} of {len(parts.items)} items have no {name}"
            yield warning("study.toml", key, found + "; they form a stratum of their own")


def _design(settings: StudySettings, parts: AnnotationParts) -> Iterator[Problem]:
    design, items = settings.design, len(parts.items)
    # A checks file with problems has no number to compare; they will be checked when it is mended.
    there = design.checks if "checks.jsonl" in parts.broken else len(parts.checks)
    for sentence in misfits(design, items, there):
        yield error("study.toml", "design", sentence)
    if there and not design.checks:
        found = "checks.jsonl is there, and nobody is shown a check"
        yield warning("study.toml", "design.checks", found)
    dealt = design.kind in ("cyclic", "balanced")
    for name in ("raters", "participants"):
        if getattr(design, name) == 1 and (dealt or name == "participants"):
            found = "one rater an item: no agreement can be computed"
            yield warning("study.toml", f"design.{name}", found, "at least 2")
    if design.unequal and not dealt:
        found = f"a design of the kind {design.kind!r} has no use for it"
        yield warning("study.toml", "design.unequal", found)
    each = design.items_each if dealt and design.items_each else items
    if design.block and design.block >= each:
        found = f"blocks of {design.block} where a person gets {each} items: no rest comes between"
        yield warning("study.toml", "design.block", found)
    if each >= LONG_VISIT:
        found = f"each participant gets {each} items: about {each / 60:.0f} hours at a minute each"
        yield warning("study.toml", "design", found, "fewer each, as in a cyclic design")


# -- the analysis plan -------------------------------------------------------------------------


def _exclusions(
    settings: StudySettings, analysis: AnalysisSettings, parts: AnnotationParts
) -> Iterator[Problem]:
    rules, checks = analysis.exclusions, settings.design.checks
    if rules.training_below is not None and not parts.training and "training.jsonl" not in parts.broken:
        found = "an exclusion by practice score without practice items"
        yield error("analysis.toml", "exclusions.training_below", found, "training.jsonl, or no such key")
    if rules.checks_failed is not None and rules.checks_failed > checks:
        found = f"{rules.checks_failed} failed checks, and design.checks in study.toml is {checks}"
        expected = f"at most {checks}" if checks else "design.checks of at least 1, or no such key"
        yield error("analysis.toml", "exclusions.checks_failed", found, expected)
    if analysis.include == "completed_blocks" and not settings.design.block:
        found = "no design.block in study.toml, so no finished blocks to count"
        yield warning("analysis.toml", "include", found)
