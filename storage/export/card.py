"""The dataset card: YAML that the Hub reads, then a datasheet that people read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from storage.export.cells import shown
from storage.export.dataset import Dataset
from storage.export.staging import Written
from studies.annotation.rows import ANNOTATIONS
from studies.rows import PARTICIPANTS

_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|&~])")


def plain(text: str) -> str:
    """A text from a study's files as one line of Markdown in which nothing is markup."""
    return _MARKUP.sub(r"\\\1", " ".join(shown(text).split()))


def card(data: Dataset, files: Sequence[Written]) -> str:
    """README.md of a dataset repository.

    Args:
        data: what is exported.
        files: the data files that were written, `data/NAME.jsonl` each.
    """
    sections = (
        ("Motivation", _motivation(data)),
        ("Composition", _composition(data, files)),
        ("Collection", _collection(data)),
        ("Consent", _consent(data)),
        ("Uses", _uses()),
        ("Limits", _limits(data)),
    )
    parts = ["\n".join(_front_matter(data, files)), f"# {plain(data.record.title)}"]
    parts += ["## " + title + "\n\n" + "\n".join(lines) for title, lines in sections]
    return "\n\n".join(parts) + "\n"


def _front_matter(data: Dataset, files: Sequence[Written]) -> Iterator[str]:
    yield "---"
    yield f"pretty_name: {_yaml(data.record.title)}"
    yield f"language: [{_yaml(data.study.settings.language.split('-')[0].lower())}]"
    yield "license: unknown"
    yield "task_categories: [text-classification]"
    if files:
        yield "configs:"
    for one in files:
        yield f"- config_name: {one.name.removeprefix('data/').removesuffix('.jsonl')}"
        yield f"  data_files: {one.name}"
        if one.name == f"data/{ANNOTATIONS.name}.jsonl":
            yield "  default: true"
    yield "---"


def _yaml(text: str) -> str:
    return json.dumps(shown(text), ensure_ascii=False)


def _motivation(data: Dataset) -> Iterator[str]:
    analysis = data.study.analysis
    yield (
        "Coding requests annotated by people with the mechanism that makes each ambiguous, to measure how "
        "far annotators agree."
    )
    yield f"\nPrimary outcome, fixed before the first participant: {plain(analysis.primary_outcome)}."
    if analysis.contrast:
        yield f"Contrast: {plain(analysis.contrast)}."
    if analysis.planned_n:
        yield f"Planned number of completed participations: {analysis.planned_n}."
    if analysis.stopping_rule:
        yield f"Stopping rule: {plain(analysis.stopping_rule)}."


def _composition(data: Dataset, files: Sequence[Written]) -> Iterator[str]:
    yield "| file | rows | what |\n|---|---|---|"
    for one in files:
        yield f"| {one.name} | {one.rows} | {one.about} |"
    yield (
        "\nRaw labels, adjudicated labels and aggregated votes are apart. Every revision of every rater "
        "is a row. DICTIONARY.md says what each column means."
    )


def _collection(data: Dataset) -> Iterator[str]:
    settings = data.study.settings
    yield f"- Design: {settings.design.kind}, seed {settings.seed}; the order each person saw is stored."
    offered = "with" if settings.annotation.escapes else "without"
    yield f"- Six mechanisms {offered} the escape codes `not ambiguous` and `other`; nothing preselected."
    rule = "shown" if settings.annotation.tie_break else "not shown"
    yield f"- The codebook's rule for ties was {rule}."
    yield f"- Codebook version: {plain(data.study.codebook.version)}."
    mark = settings.training.pass_mark
    yield (
        f"- Practice items with feedback: {len(data.study.training)}; pass mark: "
        f"{'none' if mark is None else mark}."
    )
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


def _uses() -> Iterator[str]:
    yield (
        "Meant for measuring agreement, for studying where annotators differ, and as labels with their "
        "spread. A majority label hides disagreement that is part of the finding; a tie is left a tie. "
        "Not meant for judging individual annotators, or for identifying them."
    )


def _limits(data: Dataset) -> Iterator[str]:
    yield "- `license: unknown` above is a placeholder: choose a licence that the consent covers."
    yield "- Unfinished, excluded and pilot participations are included and marked in participants.jsonl."
    yield "- Notes are free text and were not screened for names."
    for one in data.deviations:
        yield f"- Deviation: {plain(one)}"
