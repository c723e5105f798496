"""Buddy's stages: what each asks a model, what it shows, and what an answer must be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from studies.chance import Chance
from studies.replies import ChatMessage
from studies.specification.agents import rules, sheet_rules, telling
from studies.specification.agents.agent import Request
from studies.specification.agents.known import SIMULATORS, Known, as_of
from studies.specification.agents.prompts import instruction
from studies.specification.agents.rehearsal import scripted
from studies.specification.agents.settling import decisions
from studies.specification.agents.shapes import (
    Attribute,
    Chart,
    Draft,
    Predictions,
    Profile,
    Shape,
    Summary,
    Update,
    Votes,
)
from studies.specification.agents.sheet_shapes import Review, Synthesis
from studies.specification.agents.synthesis import grounds_of, sheet_of

if TYPE_CHECKING:
    from studies.specification.agents.agent import Brief

Found = TypeVar("Found")
_SIMULATED = tuple(f"simulate:{number}" for number in SIMULATORS)
_PERSON = ("profile", "summary")


def request(call: str, brief: Brief) -> Request:
    """What a call asks. It shows nothing that came later, so it can be made again from the events.

    Raises:
        KeyError: Buddy has no such call.
        ValueError: the call is not due.
    """
    stage, _, number = call.partition(":")
    return _REQUESTS[stage](brief, int(number or 0))


def dropout(brief: Brief, attributes: Sequence[Attribute]) -> tuple[str, ...]:
    """Names of the attributes that the second simulated user does not get, in the order of the profile.

    A share `dropout` of them, rounded, but at least one where there is any and the share is not 0; drawn
    from the study's seed, the slot and the project, so that the draw can be repeated.
    """
    if not attributes or not brief.dropout:
        return ()
    count = max(1, int(brief.dropout * len(attributes) + 0.5))
    names = [one.attribute for one in attributes]
    drawn = Chance(brief.seed, brief.slot, f"dropout {brief.session.item}").shuffled(names)[:count]
    return tuple(one for one in names if one in drawn)


def _request(
    brief: Brief,
    call: str,
    shape: type[Shape],
    material: str,
    check: Callable[[Any], Iterator[str]],
    saw: tuple[int, ...],
    dropped: tuple[str, ...] = (),
) -> Request:
    stage, _, number = call.partition(":")
    system = instruction(stage, brief.prompts, int(number) if stage == "simulate" else 0)
    return Request(
        messages=(ChatMessage("system", system), ChatMessage("user", material)),
        answer=shape,
        check=lambda answer: tuple(check(answer)),
        script=scripted(call, brief),
        saw=saw,
        dropped=dropped,
    )


def _profile(brief: Brief, _: int) -> Request:
    material = telling.told(("Conversations", telling.conversations(brief.conversations)))
    check = partial(rules.profile_problems, conversations=brief.conversations)
    return _request(brief, "profile", Profile, material, check, _heard(brief))


def _summary(brief: Brief, _: int) -> Request:
    material = telling.told(("Conversations", telling.conversations(brief.conversations)))
    return _request(brief, "summary", Summary, material, _anything, _heard(brief))


def _draft(brief: Brief, _: int) -> Request:
    material = telling.told(telling.proposal(brief), telling.nine_sections())
    saw = Known(brief).saw(rounds=False)
    return _request(brief, "draft", Draft, material, rules.draft_problems, saw)


def _chart(brief: Brief, _: int) -> Request:
    known = Known(brief)
    draft = _there(known.draft)
    material = telling.told(
        telling.proposal(brief),
        *telling.person(brief, known.summary, _attributes(known)),
        *telling.draft(draft),
    )
    check = partial(rules.chart_problems, proposal=brief.proposal or "", draft=draft)
    saw = known.saw("draft", *_PERSON, rounds=False)
    return _request(brief, "chart", Chart, material, check, saw)


def _simulate(brief: Brief, number: int) -> Request:
    known = Known(brief)
    attributes: Sequence[Attribute] | None = _attributes(known)
    dropped = dropout(brief, _attributes(known)) if number == 2 else ()
    if number == 2:
        attributes = [one for one in _attributes(known) if one.attribute not in dropped]
    elif number == 3:
        attributes = None
    material = telling.told(
        telling.proposal(brief),
        *telling.person(brief, known.summary, attributes),
        ("Choices", telling.choices(known.dimensions)),
    )
    check = partial(rules.vote_problems, dimensions=known.dimensions)
    person = _PERSON if number != 3 else ("summary",)
    saw = known.saw("chart", *person, rounds=False)
    return _request(brief, f"simulate:{number}", Votes, material, check, saw, dropped)


def _update(brief: Brief, number: int) -> Request:
    brief = as_of(brief, number, number - 1)
    known = Known(brief)
    every = decisions(brief)
    answered = frozenset(one.key for one in every if one.standing == "confirmed")
    still = [one for one in known.dimensions if one.key not in answered]
    material = telling.told(
        telling.proposal(brief),
        *telling.person(brief, known.summary, _attributes(known)),
        ("Dimensions", telling.choices(still)),
        ("How they stand", telling.standing(every)),
        ("The interview so far", telling.interview(known.rounds)),
        ("Questions left", str(brief.budget - number)),
    )
    check = partial(
        rules.update_problems, dimensions=known.dimensions, answered=answered, single=known.single
    )
    saw = known.saw("chart", *_PERSON, *_SIMULATED, *_updates(known))
    return _request(brief, f"update:{number}", Update, material, check, saw)


def _predict(brief: Brief, rounds: int) -> Request:
    brief = as_of(brief, rounds, rounds)
    known = Known(brief)
    material = telling.told(
        telling.proposal(brief),
        *telling.person(brief, known.summary, _attributes(known)),
        ("The interview", telling.interview(known.rounds)),
        ("Where each question stands", telling.standing(decisions(brief))),
        ("The checklist", telling.choices(known.dimensions)),
    )
    check = partial(rules.prediction_problems, questions=known.dimensions)
    saw = known.saw(*_PERSON, *_SIMULATED, *_updates(known))
    return _request(brief, f"predict:{rounds}", Predictions, material, check, saw)


def _synthesis(brief: Brief, _: int) -> Request:
    known, every = Known(brief), decisions(brief)
    material = telling.told(
        telling.nine_sections(),
        telling.proposal(brief, numbered=True),
        *telling.person(brief, known.summary, _attributes(known)),
        telling.points(_there(known.draft))[0],
        ("The interview", telling.interview(known.rounds)),
        ("Decisions", telling.made(every)),
    )
    check = partial(sheet_rules.synthesis_problems, grounds=grounds_of(brief))
    return _request(brief, "synthesis", Synthesis, material, check, known.saw(*_all(known)))


def _review(brief: Brief, _: int) -> Request:
    known, grounds = Known(brief), grounds_of(brief)
    sheet = sheet_of(_there(known.synthesis), grounds)
    material = telling.told(
        telling.proposal(brief, numbered=True),
        *telling.person(brief, known.summary, _attributes(known)),
        ("The interview", telling.interview(known.rounds)),
        ("Decisions", telling.made(decisions(brief))),
        ("The sheet", telling.sheet(sheet)),
    )
    check = partial(sheet_rules.review_problems, sheet=sheet, grounds=grounds)
    return _request(brief, "review", Review, material, check, known.saw("synthesis", *_all(known)))


_REQUESTS: Mapping[str, Callable[[Brief, int], Request]] = {
    "profile": _profile,
    "summary": _summary,
    "draft": _draft,
    "chart": _chart,
    "simulate": _simulate,
    "update": _update,
    "predict": _predict,
    "synthesis": _synthesis,
    "review": _review,
}


def _heard(brief: Brief) -> tuple[int, ...]:
    return tuple(sorted({seq for one in brief.conversations for seq in one.saw}))


def _attributes(known: Known) -> tuple[Attribute, ...]:
    return known.profile.attributes if known.profile else ()


def _updates(known: Known) -> tuple[str, ...]:
    return tuple(f"update:{number}" for number in known.updates)


def _all(known: Known) -> tuple[str, ...]:
    return (*_PERSON, "draft", "chart", *_SIMULATED, *_updates(known))


def _there(found: Found | None) -> Found:
    """What a call that is due rests on.

    Raises:
        ValueError: the call is not due.
    """
    if found is None:
        raise ValueError("the call rests on an answer that is not there")
    return found


def _anything(answer: Shape) -> Iterator[str]:
    return iter(())
