"""What a schema cannot say about the baseline's answers, as messages that a model can act on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from studies.specification.agents.baseline_shapes import (
    AnyQuestion,
    OwnQuestion,
    Predictions,
    Spec,
    called,
)
from studies.specification.sections import LETTERS
from studies.specification.sheet import MOST_CHARACTERS

if TYPE_CHECKING:
    from pydantic import BaseModel

    from studies.specification.agents.agent import Brief
    from studies.specification.materials import ChecklistQuestion

MARKS = "?\uff1f\u061f\u037e"
"""Question marks: Latin, full-width, Arabic, Greek."""
OPTIONS = ("option_a", "option_b", "option_c", "option_d")


def act_problems(answer: BaseModel, brief: Brief, left: int) -> Sequence[str]:
    """What is wrong with a tool call.

    Args:
        answer: fits its model.
        brief: what the agent knows.
        left: rounds that it may still ask.
    """
    arguments = called(answer).arguments
    if isinstance(arguments, OwnQuestion | AnyQuestion):
        return list(_query(arguments, brief))
    reason = ["reason: say why you need no further question"] if left and not arguments.reason else []
    if isinstance(arguments, Spec):
        return [*reason, *sheet_problems(arguments)]
    return [*reason, *prediction_problems(arguments, brief.checklist)]


def _query(query: OwnQuestion | AnyQuestion, brief: Brief) -> Iterator[str]:
    asked = {same(one.put.question): one.put.round for one in brief.session.rounds}
    key = query.checklist_id if isinstance(query, AnyQuestion) else ""
    if key:
        known = {one.id: one.question for one in brief.checklist}
        if key not in known:
            yield f"checklist_id: {key!r} is no question of the checklist"
        elif (before := asked.get(same(known[key]))) is not None:
            yield f"checklist_id: {key!r} was asked in round {before} already; ask something else"
        return
    yield from _own(query)
    words = same(query.question)
    if words in asked:
        yield f"question: it was asked in round {asked[words]} already; ask something else"
    for one in brief.checklist:
        if same(one.question) == words:
            yield f"question: it stands in the checklist; ask it by checklist_id {one.id!r}"


def _own(query: OwnQuestion | AnyQuestion) -> Iterator[str]:
    marks = sum(query.question.count(one) for one in MARKS)
    if marks != 1:
        found = f"{marks} question marks" if marks else "no question mark"
        yield f"question: it has {found}; ask exactly one question"
    options = [getattr(query, name) for name in OPTIONS]
    if empty := [name for name, one in zip(OPTIONS, options, strict=True) if not one]:
        yield f"{', '.join(empty)}: empty; a question of your own has exactly four options"
    seen: dict[str, str] = {}
    for name, one in zip(OPTIONS, options, strict=True):
        if one and (first := seen.setdefault(same(one), name)) != name:
            yield f"{name}: the same as {first}; the four options must differ"


def sheet_problems(spec: Spec) -> Sequence[str]:
    """What is wrong with a sheet whose nine sections are there."""
    characters = sum(len(plain(one)) for each in spec.sections.values() for one in each)
    if characters < MOST_CHARACTERS:
        return ()
    return [
        f"the sheet has {characters:,} characters in all and must have fewer than {MOST_CHARACTERS:,}: "
        "shorten statements, and leave out what matters least"
    ]


def prediction_problems(predictions: Predictions, checklist: Sequence[ChecklistQuestion]) -> Sequence[str]:
    """What is wrong with predictions: a question without one, a letter that is no option."""
    answers = predictions.answers
    known = {one.id: LETTERS[: len(one.options)] for one in checklist}
    problems = []
    if missing := [name for name in known if name not in answers]:
        problems.append(f"answers: no letter for {', '.join(missing)}; predict every question")
    if unknown := [name for name in answers if name not in known]:
        problems.append(f"answers: {', '.join(unknown)} stand in no checklist")
    for name, letter in answers.items():
        if name in known and (len(letter) != 1 or letter not in known[name]):
            problems.append(f"answers.{name}: {letter!r} is none of {', '.join(known[name])}")
    return problems


def same(text: str) -> str:
    """A text as it is compared: its letters and digits."""
    return "".join(filter(str.isalnum, text.casefold()))


def plain(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())
