"""The dataset card: YAML that the Hub reads, then a datasheet that people read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from storage.export.cells import plain, shown
from storage.export.dataset import Dataset
from storage.export.portraits import PORTRAITS, Portrait
from storage.export.staging import Written
from studies.rows import PARTICIPANTS


def card(data: Dataset, files: Sequence[Written]) -> str:
    """README.md of a dataset repository.

    Args:
        data: what is exported.
        files: the data files that were written, `data/NAME.jsonl` each.
    """
    portrait = PORTRAITS[data.record.study_kind]
    sections = (
        ("Motivation", _motivation(data, portrait)),
        ("Composition", _composition(portrait, files)),
        ("Collection", _collection(data, portrait)),
        ("Consent", _consent(data)),
        ("Uses", iter([portrait.uses])),
        ("Limits", _limits(data, portrait)),
    )
    parts = ["\n".join(_front_matter(data, portrait, files)), f"# {plain(data.record.title)}"]
    parts += ["## " + title + "\n\n" + "\n".join(lines) for title, lines in sections]
    return "\n\n".join(parts) + "\n"


def _front_matter(data: Dataset, portrait: Portrait, files: Sequence[Written]) -> Iterator[str]:
    yield "---"
    yield f"pretty_name: {_yaml(data.record.title)}"
    yield f"language: [{_yaml(data.study.settings.language.split('-')[0].lower())}]"
    yield "license: unknown"
    yield f"task_categories: [{portrait.task}]"
    if files:
        yield "configs:"
    for one in files:
        yield f"- config_name: {one.name.removeprefix('data/').removesuffix('.jsonl')}"
        yield f"  data_files: {one.name}"
        if one.name == f"data/{portrait.default.name}.jsonl":
            yield "  default: true"
    yield "---"


def _yaml(text: str) -> str:
    return json.dumps(shown(text), ensure_ascii=False)


def _motivation(data: Dataset, portrait: Portrait) -> Iterator[str]:
    analysis = data.study.analysis
    yield portrait.motivation
    yield f"\nPrimary outcome, fixed before the first participant: {plain(analysis.primary_outcome)}."
    if analysis.contrast:
        yield f"Contrast: {plain(analysis.contrast)}."
    if analysis.planned_n:
        yield f"Planned number of completed participations: {analysis.planned_n}."
    if analysis.stopping_rule:
        yield f"Stopping rule: {plain(analysis.stopping_rule)}."


def _composition(portrait: Portrait, files: Sequence[Written]) -> Iterator[str]:
    yield "| file | rows | what |\n|---|---|---|"
    for one in files:
        yield f"| {one.name} | {one.rows} | {one.about} |"
    yield f"\n{portrait.composition} DICTIONARY.md says what each column means."


def _collection(data: Dataset, portrait: Portrait) -> Iterator[str]:
    settings = data.study.settings
    yield f"- Design: {settings.design.kind}, seed {settings.seed}; the order each person saw is stored."
    yield from portrait.collection(data)
    yield (
        f"- Active time leaves out gaps in activity of more than {data.study.analysis.idle_seconds} seconds."
    )
    yield f"- Study version (SHA-256 of the study folder): `{data.record.sha256}`."


def _consent(data: Dataset) -> Iterator[str]:
    people = next(one.rows for one in data.tables if one.table is PARTICIPANTS)
    yield "Every participant answered each of these separately:\n"
    for item in data.study.settings.consent:
        given = sum(1 for one in people if one.consents and one.consents.get(item.id) is True)
        need = "required" if item.required else "could be refused"
        yield f"- {plain(item.text)} ({need}; covers {item.covers}; {given} of {len(people)} agreed)"
    left_out = ", ".join(f"{reason}: {n}" for reason, n in data.withheld.items()) or "none"
    yield f"\nParticipations whose answers are left out of this dataset: {left_out}."
    yield (
        "People are named by pseudonyms derived from random ids."
        if data.codes is None
        else ("People are named by their participant codes: this export is not pseudonymous.")
    )


def _limits(data: Dataset, portrait: Portrait) -> Iterator[str]:
    yield "- `license: unknown` above is a placeholder: choose a licence that the consent covers."
    yield "- Unfinished, excluded and pilot participations are included and marked in participants.jsonl."
    yield from (f"- {one}" for one in portrait.limits)
    for one in data.deviations:
        yield f"- Deviation: {plain(one)}"
