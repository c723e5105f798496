"""The rules that span a study folder's files: what would make the data invalid, and what is worth knowing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from studies.errors import FolderError, Problem
from studies.findings import error, warning
from studies.folder_parts import (
    KINDS,
    FolderKind,
    Parts,
    complete,
    folder_kind,
    kind_in,
    put_together,
    read_parts,
)
from studies.reading import closest, listed, shown
from studies.setting_types import Question
from studies.settings import AnalysisSettings, StudySettings
from studies.study import Study

LONG_LABEL = 120
"""Characters from which an answer option no longer fits a narrow terminal."""
OPEN_PLACE = re.compile(r"\[\[[A-Za-z][^\]]*(\]\]|$)")
"""A place that a new study's texts leave for the researcher to fill in."""


def check(files: Mapping[str, bytes]) -> list[Problem]:
    """Everything wrong with a folder, errors first; what is only worth knowing comes as warnings."""
    return _examine(complete(files))[1]


def accept(files: Mapping[str, bytes]) -> Study:
    """The study, if `check` finds no error in it: what loading a folder rests on.

    Raises:
        FolderError: with every error of `check` at once.
    """
    files = complete(files)
    parts, problems = _examine(files)
    if errors := [one for one in problems if not one.warning]:
        raise FolderError(errors)
    return put_together(files, parts, kind_in(files))


def _examine(files: Mapping[str, bytes]) -> tuple[Parts, list[Problem]]:
    kind = kind_in(files)
    parts, problems = read_parts(files, kind)
    problems += [*_unused(files, kind), *_shared(parts), *kind.rules(parts)]
    return parts, sorted(problems, key=lambda one: (one.warning, one))


def _shared(parts: Parts) -> Iterator[Problem]:
    """The problems that a folder of any kind may have, as far as it could be read."""
    yield from _open_places(parts)
    if parts.settings is not None:
        yield from _questions("questionnaire", parts.settings.questionnaire)
        yield from _questions("roleplay.after", parts.settings.roleplay.after)
        yield from _questions("clarification.after", parts.settings.clarification.after)
        yield from _misplaced(parts.settings)
        if not parts.settings.contact.strip():
            found = "participants are told of nobody whom they can ask"
            yield warning("study.toml", "contact", found, "a name and a way to reach them")
        if parts.analysis is not None:
            yield from _plan(parts.settings, parts.analysis)


def _unused(files: Mapping[str, bytes], kind: FolderKind[Any]) -> Iterator[Problem]:
    for name in sorted(set(files) - set(kind.files)):
        if kind.uses(name):
            continue
        near = closest(name, set(kind.files) - set(files), 0.75)
        expected = f"did you mean {near}?" if near else "no further file, or one whose name begins with a dot"
        found = "nothing reads this file, and yet it is part of the version"
        yield warning(listed([name]), "", found, expected)


def _misplaced(settings: StudySettings) -> Iterator[Problem]:
    others = {name for other in KINDS for name in folder_kind(other).settings}
    for name in sorted((others - folder_kind(settings.kind).settings) & settings.model_fields_set):
        yield warning("study.toml", name, f"a study of the kind {settings.kind!r} has no use for it")


def _open_places(parts: Parts) -> Iterator[Problem]:
    for file, text in parts.common.texts.items():
        for line, content in enumerate(text.split("\n"), 1):
            for place in OPEN_PLACE.finditer(content):
                found = f"a place still to be filled in: {shown(place.group())}"
                yield warning(file, "", found, line=line)


# -- settings ----------------------------------------------------------------------------------


def _questions(where: str, questions: Sequence[Question]) -> Iterator[Problem]:
    for place, question in enumerate(questions):
        key = f"{where}.{place}"
        if question.kind in ("choice", "multi"):
            if twice := [one for one, count in Counter(question.options).items() if count > 1]:
                found = f"{listed(map(shown, twice))} more than once"
                yield error("study.toml", f"{key}.options", found, "different options")
            for option in question.options:
                if len(option) > LONG_LABEL:
                    found = f"an option of {len(option)} characters: {shown(option)}"
                    yield warning("study.toml", f"{key}.options", found, f"at most {LONG_LABEL}")
            unused = {"low", "high", "low_label", "high_label"}
        else:
            unused = {"options"} if question.kind == "scale" else {"options", "low", "high"}
        for name in sorted(unused & question.model_fields_set):
            found = f"a {question.kind} question has no use for it"
            yield warning("study.toml", f"{key}.{name}", found)


# -- the analysis plan -------------------------------------------------------------------------


def _plan(settings: StudySettings, analysis: AnalysisSettings) -> Iterator[Problem]:
    design, codes, planned = settings.design, settings.participants.codes, analysis.planned_n
    slots = design.participants if design.kind != "everything" else None
    if slots and planned and planned > slots:
        found = f"{planned} planned participations, and the design has {slots} slots"
        yield error("analysis.toml", "planned_n", found, f"at most {slots}")
    elif slots and planned and planned < slots:
        found = f"{planned} planned participations, and the design needs all {slots} slots"
        yield warning("analysis.toml", "planned_n", found, str(slots))
    wanted = planned or slots
    if codes and wanted and len(codes) < wanted:
        found = f"{len(codes)} codes for {wanted} planned participations"
        yield warning("study.toml", "participants.codes", found, f"at least {wanted}")
    if codes and slots and len(codes) > slots:
        found = f"{len(codes)} codes for {slots} slots: the last to come find no place"
        yield warning("study.toml", "participants.codes", found)
