"""The rules that span a role-play study's files: assistants, conditions, balance, the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from studies.assistant_rules import assistant_problems, refusable
from studies.errors import Problem
from studies.feasibility import nearest_multiples
from studies.findings import error, warning
from studies.reading import closest, listed, shown
from studies.roleplay.balance import (
    CELLS_A_PROFILE,
    balanced_participants,
    sources_twice,
    unbalanced_profiles,
    unequal,
)
from studies.roleplay.context import may_serve
from studies.roleplay.design import CellTasks, cells_of, speaker_names
from studies.roleplay.plan import MEASURES, planned_contrasts, primary_outcome
from studies.roleplay.task_rules import task_problems
from studies.settings import AnalysisSettings, StudySettings

if TYPE_CHECKING:
    from studies.roleplay.folder import RoleplayParts

DECLARES = ("failing_case", "failing case", "failing-case")
"""How a deviation says that participants see which hidden test failed."""


def rules(parts: RoleplayParts) -> Iterator[Problem]:
    """Every problem that only shows between a role-play study's files, as far as those could be read."""
    yield from task_problems(parts)
    settings = parts.settings
    if settings is None:
        return
    yield from _assistants(settings, parts)
    yield from _design(settings)
    if parts.analysis is not None:
        yield from _plan(settings, parts.analysis)
        yield from _feedback(settings, parts.analysis)
    if parts.counted and parts.tasks:
        cells = cells_of(row.value for row in parts.tasks)
        yield from _history(settings, cells)
        yield from _held_out(settings, cells)
        yield from _balance(settings, parts, cells)
        if "histories.jsonl" not in parts.broken:
            yield from _donors(settings, parts, cells)


# -- assistants --------------------------------------------------------------------------------


def _assistants(settings: StudySettings, parts: RoleplayParts) -> Iterator[Problem]:
    names = [one.name for one in settings.assistants]
    roleplay = settings.roleplay
    yield from assistant_problems(settings, parts.files)
    if not speaker_names(settings):
        found = "the gate alone answers nobody" if names else "no assistant"
        yield error("study.toml", "assistants", found, "at least one [[assistants]] beside the gate")
    if roleplay.second_opinion and roleplay.second_opinion not in names:
        found = f"{roleplay.second_opinion!r}, which is no assistant"
        yield error("study.toml", "roleplay.second_opinion", found, "the name of an assistant")
    gated = "gated" in roleplay.conditions
    if gated and roleplay.gate not in names:
        found = f"{roleplay.gate!r}, which is no assistant" if roleplay.gate else "no gate for `gated`"
        near = closest(roleplay.gate, names)
        expected = f"did you mean {near!r}?" if near else "the name of one of [[assistants]]"
        yield error("study.toml", "roleplay.gate", found, expected)
    elif roleplay.gate and not gated:
        yield warning("study.toml", "roleplay.gate", "a gate, and `gated` is none of roleplay.conditions")
    yield from refusable(settings, names)


# -- settings ----------------------------------------------------------------------------------


def _design(settings: StudySettings) -> Iterator[Problem]:
    design, roleplay = settings.design, settings.roleplay
    if design.kind not in ("everything", "crossed"):
        expected = "everything, or crossed for a planned number of participants"
        yield error("study.toml", "design.kind", shown(design.kind), expected)
    for name in sorted(design.model_fields_set - {"kind", "participants"}):
        yield warning("study.toml", f"design.{name}", "a role-play study has no use for it")
    if design.participants and design.kind == "everything":
        found = f"{design.participants} participants, and slots are made as people come"
        yield error("study.toml", "design.participants", found, 'design.kind = "crossed"')
    if twice := [one for one, count in Counter(roleplay.conditions).items() if count > 1]:
        yield error("study.toml", "roleplay.conditions", f"{listed(twice)} twice", "each condition once")
    several = len(roleplay.conditions)
    if near := nearest_multiples(roleplay.held_out, several) if roleplay.held_out % several else ():
        found = f"{roleplay.held_out} held-out sessions a person over {several} conditions"
        expected = f"a multiple of {several}: {' or '.join(map(str, near))}"
        yield error("study.toml", "roleplay.held_out", found, expected)
    ids = [one.id for one in roleplay.after]
    if repeated := sorted({one for one in ids if ids.count(one) > 1}):
        found = f"{listed(repeated)} more than once"
        yield error("study.toml", "roleplay.after", found, "an id of its own for each question")


def _feedback(settings: StudySettings, analysis: AnalysisSettings) -> Iterator[Problem]:
    if settings.roleplay.feedback != "failing_case":
        return
    declared = " ".join(analysis.known_deviations).casefold()
    if not any(word in declared for word in DECLARES):
        found = "`failing_case` shows participants the hidden tests, and no deviation declares it"
        expected = "another feedback, or a sentence on failing_case in known_deviations of analysis.toml"
        yield error("study.toml", "roleplay.feedback", found, expected)


def _plan(settings: StudySettings, analysis: AnalysisSettings) -> Iterator[Problem]:
    if primary_outcome(analysis) is None:
        found, expected = shown(analysis.primary_outcome), f"one of {', '.join(MEASURES)}"
        if "primary_outcome" in analysis.model_fields_set:
            yield error("analysis.toml", "primary_outcome", found, expected)
        else:
            yield warning("analysis.toml", "primary_outcome", "no outcome is planned", expected)
    for text in planned_contrasts(settings, analysis)[1]:
        names = (*settings.roleplay.conditions, *speaker_names(settings))
        expected = f"two of {listed(names)}, the first less the second"
        yield error("analysis.toml", "contrast", shown(text), expected)
    for name in ("training_below", "checks_failed"):
        if getattr(analysis.exclusions, name) is not None:
            found = "a role-play study has neither practice nor attention checks"
            yield error("analysis.toml", f"exclusions.{name}", found, "no such key")


# -- cells -------------------------------------------------------------------------------------


def _named(cell: CellTasks) -> str:
    profile, first, second = cell.cell
    return f"{profile} with {first} and {second}"


def _history(settings: StudySettings, cells: Sequence[CellTasks]) -> Iterator[Problem]:
    wanted, cap = settings.roleplay.history, settings.roleplay.history_tasks
    if cap is not None and cap < wanted:
        found = f"at most {cap} history sessions are tried, and {wanted} resolved ones make a history"
        yield error("study.toml", "roleplay.history_tasks", found, f"at least {wanted}")
    without: list[str] = []
    for one in cells:
        there = len(one.history) + len(one.reserve)
        if there < wanted:
            found = f"{_named(one)} has {there} history and reserve tasks for a history of {wanted}"
            yield error("tasks.jsonl", "part", found, f"at least {wanted}")
        elif there == wanted:
            without.append(_named(one))
    if wanted and without:
        found = f"no task in reserve for {listed(without)}: one unsolved history session leaves a person "
        yield warning(
            "tasks.jsonl", "part", found + "without held-out sessions", "a task of the part reserve"
        )


def _held_out(settings: StudySettings, cells: Sequence[CellTasks]) -> Iterator[Problem]:
    roleplay = settings.roleplay
    for one in cells:
        if len(one.held_out) < roleplay.held_out:
            found = f"{_named(one)} has {len(one.held_out)} held-out tasks for {roleplay.held_out} sessions"
            yield error("tasks.jsonl", "part", found, f"at least {roleplay.held_out}")
    if roleplay.cells > len(cells):
        found = f"{roleplay.cells} cells a person, and tasks.jsonl has {len(cells)}"
        yield error("study.toml", "roleplay.cells", found, f"at most {len(cells)}")
        return
    for first, second, source in sources_twice(roleplay, cells):
        where = "one cell" if roleplay.cells == 1 else "the cells of one person"
        found = f"{second} and {first} are both made from {shown(source)}, in {where}"
        yield error(
            "tasks.jsonl", "source_task", found, "different source tasks for whatever one person meets"
        )


def _balance(settings: StudySettings, parts: RoleplayParts, cells: Sequence[CellTasks]) -> Iterator[Problem]:
    roleplay, analysis = settings.roleplay, parts.analysis
    planned = (analysis.planned_n if analysis else None) or settings.design.participants
    whole = all(len(one.held_out) >= roleplay.held_out for one in cells)
    if planned and whole and roleplay.cells <= len(cells):
        base = balanced_participants(roleplay, cells)
        near = " or ".join(map(str, nearest_multiples(planned, base)))
        if planned * roleplay.cells < len(cells):
            found = f"{planned} planned participations play {planned * roleplay.cells} of {len(cells)} cells"
            yield warning("analysis.toml", "planned_n", found, f"{near}, or fewer cells")
        elif uneven := unequal(roleplay, cells, planned):
            found = (
                f"with {planned} planned participations {len(uneven)} held-out tasks are not played equally "
                f"often in each condition: {listed(uneven)}"
            )
            yield warning("analysis.toml", "planned_n", found, near)
    for profile, several, met in unbalanced_profiles(cells):
        counts = ", ".join(f"{name} {count}" for name, count in sorted(met.items()))
        found = f"{profile} meets the mechanisms unequally often over its {several} cells: {counts}"
        expected = "each exactly twice" if several == CELLS_A_PROFILE else "six cells, each mechanism twice"
        yield warning("tasks.jsonl", "mechanisms", found, expected)
    for one in cells:
        tasks = (*one.history, *one.reserve, *one.held_out)
        if len({task.resolution for task in tasks}) > 1:
            found = f"{_named(one)} has several resolution patterns"
            yield warning("tasks.jsonl", "resolution", found, "one pattern, which the history can show")
    fixed = sum(1 for row in parts.tasks if row.value.difficulty is not None)
    if 0 < fixed < len(parts.tasks):
        found = f"{fixed} of {len(parts.tasks)} tasks have a difficulty"
        yield warning("tasks.jsonl", "difficulty", found, "a difficulty for each, or for none")


def _donors(settings: StudySettings, parts: RoleplayParts, cells: Sequence[CellTasks]) -> Iterator[Problem]:
    if "shuffled" not in settings.roleplay.conditions:
        return
    if any(one.covers == "donor" for one in settings.consent):
        return
    wanted = max(1, settings.roleplay.history)
    expected = f'{wanted} in histories.jsonl, or a consent item with covers = "donor"'
    for cell in cells:
        # The tasks of a cell differ only in their source.
        fits = min(
            (sum(may_serve(row.value, task) for row in parts.shipped) for task in cell.held_out),
            default=wanted,
        )
        if fits < wanted:
            found = (
                f"`shuffled` finds {fits} of {wanted} sessions that share neither profile, mechanisms, "
                f"pattern nor source with {_named(cell)}"
            )
            yield error("study.toml", "roleplay.conditions", found, expected)
