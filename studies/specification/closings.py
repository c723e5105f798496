"""The events that close the steps of a specification study, and which step an event closes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from studies.events import Payload
from studies.payloads import ParticipationExcluded, QuestionnaireSubmitted
from studies.specification import forms
from studies.specification import payloads as said
from studies.specification.editing import edited_sheet
from studies.specification.order import Place, place_of
from studies.specification.sheet import Sheet
from studies.specification.showing import compared
from studies.state import Closing, State, Submission
from studies.steps import Step

if TYPE_CHECKING:
    from studies.specification.projects import Session
    from studies.specification.protocol import SpecificationKind

NOT_UNDERSTOOD = "the comprehension check was not passed"


def closing(
    kind: SpecificationKind, step: Step, state: State, answers: Mapping[str, Any], elapsed_ms: int
) -> tuple[Payload, ...]:
    """What closes a step.

    Args:
        kind: the study's.
        step: the one that is left.
        state: before it is.
        answers: by field.
        elapsed_ms: since it was shown.

    Raises:
        ValueError: the step closes by itself, once its work is done.
    """
    where = place_of(step.id)
    item, given, took = where.item, dict(answers), elapsed_ms
    if step.kind == "work":
        raise ValueError(f"{step.id} waits for work; it is not left")
    match where.sort:
        case "understood":
            return _understood(kind, where, given)
        case "proposal":
            return (said.ProposalLocked(step.id, item, answers["proposal"], took),)
        case "truth":
            return (said.TruthLocked(step.id, step.revision, item, where.part, given, took),)
        case "retest":
            return (said.TruthRetested(step.id, step.revision, item, given, took),)
        case "after":
            return (QuestionnaireSubmitted(step.id, given),)
        case "compare":
            left, right = compared(kind, item, state)
            return (
                said.SheetsCompared(
                    step.id,
                    step.revision,
                    item,
                    left.id,
                    right.id,
                    answers["preferred"],
                    answers["reason"],
                    took,
                ),
            )
    session = _session(where, state)
    match where.sort:
        case "round":
            return (_round(step, where, session, answers, took),)
        case "met":
            return (
                said.RequirementsChecked(step.id, step.revision, session.id, item, where.part, given, took),
            )
        case "rate":
            return (said.SheetRated(step.id, step.revision, session.id, item, where.part, given, took),)
        case "edit":
            assert session.frozen is not None
            texts = edited_sheet(Sheet.from_json(session.frozen.sheet), answers)
            return (said.SheetEdited(step.id, step.revision, session.id, item, given, texts, took),)
    raise ValueError(f"no step {step.id}")


def closing_of(payload: Payload) -> Closing | None:
    """The step that an event of this kind closes."""
    match payload:
        case said.ProposalLocked(step=step):
            return Closing(step)
        case said.UnderstandingChecked(step=step):
            return Closing(step)
        case said.RoundAnswered(step=step):
            return Closing(step)
        case (
            said.TruthLocked(step=step, revision=revision, answers=answers)
            | said.TruthRetested(step=step, revision=revision, answers=answers)
            | said.RequirementsChecked(step=step, revision=revision, answers=answers)
            | said.SheetRated(step=step, revision=revision, answers=answers)
            | said.SheetEdited(step=step, revision=revision, answers=answers)
        ):
            return Closing(step, Submission(revision, answers))
        case said.SheetsCompared(step=step, revision=revision, preferred=preferred, reason=reason):
            return Closing(step, Submission(revision, {"preferred": preferred, "reason": reason}))
        case said.InterviewEnded(by="participant"):
            # Only from an open question, which goes unanswered: what was chosen so far answers nothing else.
            return Closing("", passed=False)
    return None


def _understood(kind: SpecificationKind, where: Place, answers: Mapping[str, Any]) -> tuple[Payload, ...]:
    """The check, and the end of the participation where the last try failed."""
    persona = kind.study.persona(kind.study.project(where.item).persona)
    right = sum(1 for one in persona.check if answers.get(one.id) == one.answer)
    passed = right == len(persona.check)
    checked = said.UnderstandingChecked(
        where.id, where.item, where.number, answers, right, len(persona.check), passed
    )
    if passed or where.number < kind.settings.understanding_tries:
        return (checked,)
    return (checked, ParticipationExcluded(NOT_UNDERSTOOD))


def _round(
    step: Step, where: Place, session: Session, answers: Mapping[str, Any], took: int
) -> said.RoundAnswered:
    choice = answers["choice"]
    picked = tuple(choice) if isinstance(choice, list | tuple) else (choice,)
    return said.RoundAnswered(
        step=step.id,
        session=session.id,
        item=session.item,
        round=where.part,
        picked=tuple(one for one in picked if one not in (forms.OWN, forms.UNKNOWN)),
        own_words=answers.get("own_words") or "",
        unknown=forms.UNKNOWN in picked,
        active_ms=took,
    )


def _session(where: Place, state: State) -> Session:
    from studies.specification.protocol import projects_of

    session = projects_of(state).of(where.item).session(where.number)
    assert session is not None
    return session
