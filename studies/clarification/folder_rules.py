"""The rules that span a clarification study's files: who serves, the design, the sample, the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from studies.assistant_rules import assistant_problems, named, refusable
from studies.clarification.plan import OUTCOMES, asker_names, contrasts, serving
from studies.clarification.sampling import drawn, strata
from studies.clarification.settings import PERSON
from studies.clarification.task_rules import task_problems
from studies.errors import Problem
from studies.feasibility import misfits
from studies.findings import error, warning
from studies.reading import listed, shown
from studies.settings import AnalysisSettings, StudySettings

if TYPE_CHECKING:
    from studies.clarification.folder import ClarificationParts

_SERVES: Mapping[str, tuple[str, ...]] = {
    "answerer": ("source", "responses", "askers", "judge", "matching", "both", "neither", "replies"),
    "asker": (
        "source",
        "responses",
        "coder",
        "answers",
        "answerer",
        "judge",
        "matching",
        "bundle",
        "replies",
    ),
    "matcher": ("sample", "coding"),
    "author": ("cross_check",),
}
"""The settings that a seat has a use for, beyond those of every seat."""
_MODEL_KEYS = ("minimum_wait_ms", "participant_budget", "study_budget", "reply_timeout", "read_timeout")
_LIVE = ("answerer", "asker")


def rules(parts: ClarificationParts) -> Iterator[Problem]:
    """Every problem that only shows between a clarification study's files, as far as those could be read."""
    yield from task_problems(parts)
    settings = parts.settings
    if settings is None:
        return
    yield from assistant_problems(settings, parts.files)
    yield from _who_serves(settings)
    yield from _idle(settings)
    if parts.counted and parts.tasks:
        yield from _design(settings, parts)
    if parts.analysis is not None:
        yield from _plan(settings, parts.analysis, parts)


# -- who serves --------------------------------------------------------------------------------


def _who_serves(settings: StudySettings) -> Iterator[Problem]:
    how = settings.clarification
    if how.seat not in _LIVE:
        if settings.assistants:
            found = f"the seat {how.seat} meets no assistant"
            yield warning("study.toml", "assistants", found, "no [[assistants]]")
        return
    # Also the judge: a question that a model asks may repeat what the participant wrote.
    asking = asker_names(settings) if how.seat == "answerer" else ()
    yield from refusable(settings, {*asking, *serving(settings)})
    if how.judge.by != PERSON:
        yield from named(settings, "clarification.judge.by", how.judge.by)
        if how.judge.by in asker_names(settings):
            found = f"{how.judge.by} judges its own questions"
            yield warning("study.toml", "clarification.judge.by", found, "another assistant")
        if how.judge.samples % 2 == 0:
            found = f"{how.judge.samples} votes a pair can be a tie, which is no match"
            yield warning("study.toml", "clarification.judge.samples", found, "an odd number")
    if how.seat == "answerer":
        for name in how.askers:
            yield from named(settings, "clarification.askers", name)
        if not asker_names(settings):
            yield error("study.toml", "assistants", "nobody asks", "at least one [[assistants]] that asks")
        return
    if how.judge.by == PERSON:
        found = "whoever asks cannot judge, and there is nobody else"
        yield error("study.toml", "clarification.judge.by", found, "the name of one of [[assistants]]")
    if how.coder:
        yield from named(settings, "clarification.coder", how.coder)
    if how.answers == "model" and not how.answerer:
        yield error("study.toml", "clarification.answerer", "nobody answers", "the name of an assistant")
    elif how.answers == "model":
        yield from named(settings, "clarification.answerer", how.answerer)
    elif how.answerer:
        found = 'an answerer, and clarification.answers = "annotated"'
        yield warning("study.toml", "clarification.answerer", found, 'answers = "model"')
    if idle := set(asker_names(settings)):
        found = f"{listed(sorted(idle))}: none of judge, answerer and coder; the person asks"
        yield warning("study.toml", "assistants", found, "assistants that serve")


def _idle(settings: StudySettings) -> Iterator[Problem]:
    how = settings.clarification
    others = {key for seat, keys in _SERVES.items() if seat != how.seat for key in keys}
    unused = others - set(_SERVES[how.seat])
    if how.seat not in _LIVE:
        unused |= set(_MODEL_KEYS)
    for key in sorted(unused & how.model_fields_set):
        yield warning("study.toml", f"clarification.{key}", f"the seat {how.seat} has no use for it")


# -- the design --------------------------------------------------------------------------------


def _design(settings: StudySettings, parts: ClarificationParts) -> Iterator[Problem]:
    design, how = settings.design, settings.clarification
    tasks = [row.value for row in parts.tasks]
    there = len(tasks)
    if how.seat == "matcher":
        there = len(drawn(tasks, how.sample, settings.seed))
        yield from _sample(settings, parts)
    for name in ("repeats", "checks"):
        if getattr(design, name):
            found = "a clarification study has neither repeats nor attention checks"
            yield error("study.toml", f"design.{name}", found, "no such key")
    what = "asked questions" if how.seat == "matcher" else "tasks"
    for found in misfits(design.model_copy(update={"repeats": 0, "checks": 0}), there, 0) if there else ():
        yield error("study.toml", "design", f"{found} ({there} {what})")
    planned = design.kind in ("cyclic", "balanced")
    if how.tasks_each is not None and planned:
        found = f"a {design.kind} design says it by items_each"
        yield error("study.toml", "clarification.tasks_each", found, "no such key")
    elif how.tasks_each is not None and how.tasks_each > there:
        found = f"{how.tasks_each}, and there are {there} {what}"
        yield error("study.toml", "clarification.tasks_each", found, f"at most {there}")
    if how.seat == "asker":
        yield from _variants(settings, parts)
    alone = (design.raters if planned else design.participants) == 1
    if alone and how.seat == "matcher":
        found = "one matcher a question, and agreement takes two"
        yield warning("study.toml", "design", found, "two or more")
    if how.seat == "author" and how.cross_check:
        yield from _checkers(settings, there)


def _variants(settings: StudySettings, parts: ClarificationParts) -> Iterator[Problem]:
    """One who asks about two variants of a source learns from each what the other leaves out."""
    counts = Counter(row.value.source for row in parts.tasks if row.value.source)
    design, several = settings.design, sum(count > 1 for count in counts.values())
    each = design.items_each or settings.clarification.tasks_each or len(parts.tasks)
    apart = "source" in design.strata and each * max(counts.values(), default=0) <= len(parts.tasks)
    if several and not apart:
        found = f"{several} sources have several variants, and one person may meet two of a kind"
        yield warning("tasks.jsonl", "source", found, 'strata = ["source"] and fewer tasks a person')


def _checkers(settings: StudySettings, tasks: int) -> Iterator[Problem]:
    """Whoever has read a complete task cannot check it blind, so somebody has to be without it."""
    design, each = settings.design, settings.clarification.tasks_each
    if design.participants == 1:
        yield error("study.toml", "clarification.cross_check", "one author, and nobody to check", "false")
    elif design.kind in ("everything", "crossed") and (each is None or each >= tasks):
        found = "everybody shortens every task, so that nobody can check one blind"
        yield warning("study.toml", "clarification.tasks_each", found, f"about half of the {tasks} tasks")


def _sample(settings: StudySettings, parts: ClarificationParts) -> Iterator[Problem]:
    sample, there = settings.clarification.sample, strata(row.value for row in parts.tasks)
    for name, found in there.items():
        wanted = getattr(sample, name)
        if wanted is not None and wanted > len(found):
            words = f"{wanted}, and {len(found)} questions have that vote"
            yield error("study.toml", f"clarification.sample.{name}", words, f"at most {len(found)}")
    for vote in sorted(sample.model_fields_set - set(there)):
        if getattr(sample, vote):
            words = f"{getattr(sample, vote)}, and no question has that vote"
            yield error("study.toml", f"clarification.sample.{vote}", words, "no such key")
    if there and not drawn([row.value for row in parts.tasks], sample, settings.seed):
        yield error("study.toml", "clarification.sample", "no question is drawn", "at least one")


# -- the plan ----------------------------------------------------------------------------------


def _plan(
    settings: StudySettings, analysis: AnalysisSettings, parts: ClarificationParts
) -> Iterator[Problem]:
    seat = settings.clarification.seat
    known = OUTCOMES[seat]
    if "primary_outcome" not in analysis.model_fields_set:
        yield warning("analysis.toml", "primary_outcome", "no outcome is planned", f"one of {listed(known)}")
    elif analysis.primary_outcome not in known:
        found = shown(analysis.primary_outcome)
        yield error("analysis.toml", "primary_outcome", found, f"one of {listed(known)} in the seat {seat}")
    elif analysis.primary_outcome == "pass_at_1":
        if seat == "asker" and not settings.clarification.coder:
            found = "pass_at_1, and nobody writes code"
            yield error("analysis.toml", "primary_outcome", found, "a clarification.coder")
        elif parts.tasks and not any(row.value.testable for row in parts.tasks):
            found = "pass_at_1, and no task has tests"
            yield error("analysis.toml", "primary_outcome", found, "tests in tasks.jsonl")
    for part in contrasts(settings, analysis)[1] if seat == "answerer" else ():
        expected = f"two of {listed(asker_names(settings))}, the first less the second"
        yield error("analysis.toml", "contrast", shown(part), expected)
    if seat != "answerer" and analysis.contrast.strip():
        found = f"{shown(analysis.contrast)}, and in the seat {seat} nothing is contrasted"
        yield warning("analysis.toml", "contrast", found, "none")
    for name in ("training_below", "checks_failed"):
        if getattr(analysis.exclusions, name) is not None:
            found = "a clarification study has neither practice nor attention checks"
            yield error("analysis.toml", f"exclusions.{name}", found, "no such key")
