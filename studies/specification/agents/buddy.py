"""Buddy: reads the person, charts the project, simulates the person, asks the rest, writes and reviews."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from studies.specification.agents.known import SIMULATORS, Known, as_of
from studies.specification.agents.selection import next_step
from studies.specification.agents.settling import decisions
from studies.specification.agents.shapes import Predictions
from studies.specification.agents.sheet_shapes import Review
from studies.specification.agents.stages import request
from studies.specification.agents.synthesis import grounds_of, reviewed, sheet_of
from studies.specification.payloads import PredictionsMade, SheetFrozen
from studies.specification.projects import stage_of

if TYPE_CHECKING:
    from studies.events import Payload
    from studies.specification.agents.agent import Brief, Request
    from studies.specification.decisions import Decision

_LABELS = {
    "profile": "reading past conversations",
    "summary": "summing up past conversations",
    "draft": "writing a first draft",
    "chart": "finding what people could want differently",
    "simulate": "asking simulated user {} of 3",
    "update": "working out what answer {} settles",
    "predict": "predicting the answers",
    "synthesis": "writing the spec sheet",
    "review": "looking over the spec sheet",
}


class Buddy:
    """The agent of Buddy (Appendix C). Pure: everything follows from the brief."""

    def due(self, brief: Brief) -> tuple[str, ...]:
        """The calls that can be made now; independent ones come together."""
        return tuple(one for one in _possible(Known(brief)) if brief.session.answer(one) is None)

    def request(self, call: str, brief: Brief) -> Request:
        """What a call asks. It shows nothing that came later, so it can be made again from the events.

        Raises:
            KeyError: Buddy has no such call.
            ValueError: the call is not due.
        """
        return request(call, brief)

    def follows(self, brief: Brief) -> tuple[Payload, ...]:
        """The next question or the end of the interview, predictions, and the frozen sheet."""
        step = next_step(brief)
        return (*((step,) if step else ()), *_predictions(brief), *_frozen(brief))

    def label(self, call: str) -> str:
        """What a call does, for a participant who waits for it."""
        return _LABELS[stage_of(call)].format(call.partition(":")[2])

    def decisions(self, brief: Brief) -> tuple[Decision, ...]:
        """How each dimension stands, the priority question first once it has an answer."""
        return decisions(brief)


# -- what can be done --------------------------------------------------------------------------


def _possible(known: Known) -> Iterator[str]:
    """Every call whose grounds are there, in the order of the work."""
    brief, sheet = known.brief, not known.single
    if brief.conversations:
        yield from ("profile", "summary")
    if brief.proposal is None:
        return
    if sheet:
        yield "draft"
    if not known.person_read:
        return
    if sheet and known.draft is not None:
        yield "chart"
    if known.dimensions:
        yield from (f"simulate:{number}" for number in SIMULATORS)
    if not known.voted:
        return
    for one in known.rounds:
        yield f"update:{one.put.round}"
        if one.put.round not in known.updates:
            break
    if sheet:
        if brief.session.ended is not None and known.updated:
            yield "synthesis"
        if known.synthesis is not None:
            yield "review"
    else:
        yield from (f"predict:{rounds}" for rounds in _predictable(known))


def _predictable(known: Known) -> tuple[int, ...]:
    """After how many rounds predictions can be made by now."""
    done = known.brief.session.answered
    wanted = {*known.brief.checkpoints, *((done,) if known.brief.session.ended is not None else ())}
    ready = min(done, len(known.updates))
    return tuple(sorted(one for one in wanted if one <= ready))


# -- what follows ------------------------------------------------------------------------------


def _predictions(brief: Brief) -> Iterator[PredictionsMade]:
    session = brief.session
    if brief.task != "checklist":
        return
    made = {one.rounds for one in session.predictions if not one.final}
    missing = {one for one in brief.checkpoints if one <= session.answered} - made
    there = {one for one in missing if session.answer(f"predict:{one}") is not None}
    for rounds in sorted(there):
        yield _predicted(brief, rounds, final=False)
    # The last predictions end the work, so they come when no others are on their way.
    if session.ended is None or session.predicted is not None or there < missing:
        return
    if session.answer(f"predict:{session.answered}") is not None:
        yield _predicted(brief, session.answered, final=True)


def _predicted(brief: Brief, rounds: int, final: bool) -> PredictionsMade:
    """Predictions after some rounds. Where a question was asked directly and the person picked an option,
    that is the prediction; own words and `I don't know` leave it to the model."""
    session = brief.session
    found = Predictions.model_validate(session.answer(f"predict:{rounds}"))
    asked = {
        one.put.key: one.answer.picked[0]
        for one in Known(as_of(brief, rounds, rounds)).rounds
        if one.answer is not None and one.answer.picked
    }
    chosen = {one.key: one.choice for one in found.predictions} | asked
    return PredictionsMade(session.id, session.item, rounds, final, chosen)


def _frozen(brief: Brief) -> Iterator[SheetFrozen]:
    session, known = brief.session, Known(brief)
    answer = session.answer("review")
    if answer is None or session.frozen is not None or known.synthesis is None:
        return
    grounds = grounds_of(brief)
    sheet = reviewed(sheet_of(known.synthesis, grounds), Review.model_validate(answer), grounds)
    yield SheetFrozen(session.id, session.item, sheet.to_json())
