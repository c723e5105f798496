"""The rules of single clarification tasks: what a seat needs of them, and whether their code can be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from studies.clarification.materials import ClarificationTask
from studies.clarification.plan import asker_names
from studies.code_rules import FILE, code_problems
from studies.errors import Problem
from studies.findings import error, warning
from studies.reading import Row, listed, shown
from studies.settings import StudySettings
from studies.wording import folded, holds

if TYPE_CHECKING:
    from studies.clarification.folder import ClarificationParts

Tasks = Sequence[Row[ClarificationTask]]


def task_problems(parts: ClarificationParts) -> Iterator[Problem]:
    """Every problem of a task, or between tasks."""
    yield from _identities(parts.tasks)
    # The tasks of a coding study are what `new` made of those of another study.
    coding = parts.settings is not None and parts.settings.clarification.coding is not None
    for row in parts.tasks:
        yield from code_problems(row.value, row.line)
        yield from _tests(row.value, row.line)
        yield from () if coding else _statement(row.value, row.line)
    if parts.settings is not None:
        yield from _of_seat(parts.settings, parts.tasks)
        yield from _scripts(parts.settings, parts.tasks)
    yield from () if coding else _untyped(parts.tasks)


def _identities(tasks: Tasks) -> Iterator[Problem]:
    known = {row.value.id: row.line for row in tasks}
    texts: dict[str, tuple[str, int]] = {}
    for row in tasks:
        for place, one in enumerate(row.value.asked):
            if one.id in known:
                found = f"the id {shown(one.id)} is on line {known[one.id]} too"
                yield error(FILE, f"asked.{place}.id", found, "an id of its own", row.line)
            known.setdefault(one.id, row.line)
            told = [
                part
                for part in (one.model, one.run)
                if len(part) > 2 and part.casefold() in one.id.casefold()
            ]
            if told:
                found = f"the id {shown(one.id)} names {shown(told[0])}, and programs in the chair read ids"
                yield warning(FILE, f"asked.{place}.id", found, "an id that tells nothing", row.line)
        text = folded(row.value.statement)
        if text and text in texts:
            first, line = texts[text]
            found = f"{row.value.id} has the statement of {first} on line {line}"
            yield warning(FILE, "statement", found, "different statements", row.line)
        texts.setdefault(text, (row.value.id, row.line))


def _tests(task: ClarificationTask, line: int) -> Iterator[Problem]:
    if task.testable and not task.reference:
        found = f"{task.id} has tests and no reference to try them on"
        yield warning(FILE, "reference", found, "a solution that the tests accept", line)
    if task.reference and not task.testable:
        yield warning(FILE, "tests", f"{task.id} has a reference and no tests", "tests, pairs or cases", line)


def _statement(task: ClarificationTask, line: int) -> Iterator[Problem]:
    for one in task.key_questions:
        # A single word says too little: a "no" is part of many others.
        if len(one.answer.split()) > 1 and holds(task.statement, one.answer):
            found = f"{task.id}: it holds the answer to {one.id}, {shown(one.answer)}"
            yield warning(FILE, "statement", found, "a statement that leaves it out", line)
    if task.key_questions and folded(task.statement) == folded(task.full_statement):
        found = f"{task.id}: it is the complete statement, and there are key questions"
        yield error(FILE, "statement", found, "a statement with something left out", line)


# -- what a seat needs -------------------------------------------------------------------------


def _of_seat(settings: StudySettings, tasks: Tasks) -> Iterator[Problem]:
    how = settings.clarification

    def without(part: str, there: Callable[[ClarificationTask], object], why: str) -> Iterator[Problem]:
        """One problem for all, however many tasks lack the part: a seat may be the wrong one."""
        lack = [row for row in tasks if not there(row.value)]
        if lack:
            found = f"missing in {len(lack)} of {len(tasks)} tasks: {listed(row.value.id for row in lack)}"
            yield error(FILE, part, found, why, lack[0].line)

    if how.seat == "author":
        yield from without(
            "full_statement", lambda one: one.full_statement.strip(), "what an author shortens"
        )
        if gapped := [row for row in tasks if row.value.key_questions]:
            found = f"{listed(row.value.id for row in gapped)}: there already, and no author sees them"
            yield warning(FILE, "key_questions", found, "complete tasks without gaps", gapped[0].line)
        return
    yield from without("statement", lambda one: one.statement.strip(), f"what the {how.seat} is given")
    if how.source == "full_statement" and how.seat in ("answerer", "asker"):
        why = 'the text that answers come from, as clarification.source = "full_statement" says'
        yield from without("full_statement", lambda one: one.full_statement.strip(), why)
    if tasks and not any(row.value.key_questions for row in tasks):
        yield error(FILE, "key_questions", "no task has any", "what there is to ask", tasks[0].line)
    if how.seat == "matcher":
        if tasks and not any(row.value.asked for row in tasks):
            yield error(FILE, "asked", "no task has any", "questions for matchers", tasks[0].line)
        elif idle := [row for row in tasks if row.value.asked and not row.value.key_questions]:
            found = f"{listed(row.value.id for row in idle)}: no key question to match with"
            yield error(FILE, "asked", found, "tasks with key questions", idle[0].line)


def _scripts(settings: StudySettings, tasks: Tasks) -> Iterator[Problem]:
    how = settings.clarification
    speak = {"answerer": asker_names(settings), "asker": tuple(filter(None, (how.coder, how.answerer)))}
    recite = [one.name for one in settings.assistants if one.model == "rehearsal"]
    if rehearsed := [one for one in speak.get(how.seat, ()) if one in recite]:
        for row in tasks:
            if not row.value.script:
                found = f"{row.value.id} has none, and the assistant {listed(rehearsed)} says nothing else"
                yield error(FILE, "script", found, "what the rehearsal says, turn by turn", row.line)
    if how.seat in ("answerer", "asker") and how.judge.by in recite:
        for row in tasks:
            if mute := [one.id for one in row.value.key_questions if not one.cues]:
                found = f"{row.value.id}: none for {listed(mute)}, which a rehearsed judge so never matches"
                yield warning(FILE, "key_questions", found, "cues for each", row.line)


def _untyped(tasks: Tasks) -> Iterator[Problem]:
    lack = [row for row in tasks if row.value.key_questions and not row.value.all_types]
    if lack:
        counts = Counter(bool(row.value.all_types) for row in tasks)
        found = f"{counts[False]} of {len(tasks)} tasks have no type: {listed(row.value.id for row in lack)}"
        yield warning(FILE, "types", found, "a type for each gap, or types for the task", lack[0].line)
