"""Judges: what they are shown, what of their answers is taken, and when they are asked at all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest
from support.interviews import Interviewed, interview_study

from studies.events import Payload
from studies.protocol import Protocol
from studies.replies import Call, Part, ReplyEnd, Usage
from studies.settings import ConsentItem
from studies.specification.judge_prompts import Judgement, misjudged
from studies.specification.judging import NOBODY_ASKED, REFUSED, Budget, Docket, Panel, docket
from studies.specification.payloads import PairJudged, SheetJudged
from studies.specification.sections import CRITERIA
from studies.state import State
from studies.study import Study

STUDY = interview_study(judges=["scripted"], second_agent=True)


def verdict(*fates: str, **scores: int) -> str:
    """An answer of the right shape."""
    criteria = {name: {"reason": "so", "score": scores.get(name, 4)} for name in CRITERIA}
    told = [{"number": at, "fate": fate} for at, fate in enumerate(fates, start=1)]
    return json.dumps({"requirements": told, **criteria})


class Bench:
    """An assistant that answers from a list, then as scripted; remembers calls and how many ran at once."""

    def __init__(self, *answers: str, cost: float | None = 0.25) -> None:
        self.answers = list(answers)
        self.cost = cost
        self.calls: list[Call] = []
        self.running = self.most = 0

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        self.calls.append(call)
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0)
        self.running -= 1
        text = self.answers.pop(0) if self.answers else call.script[0]
        yield ReplyEnd("complete", text, "served-1", usage=Usage(cost=self.cost), total_ms=7)


def rated(study: Study = STUDY, **more: Any) -> Interviewed:
    """A completed participation with one rated sheet."""
    person = Interviewed(study, **more)
    person.sheet("54321", "mpc")
    return person.end()


def paired(study: Study = STUDY, slot: int = 1) -> Interviewed:
    """A completed participation with two rated sheets for one project."""
    person = Interviewed(study, slot)
    one = person.sheet("33333", closed=False)
    other = person.sheet("33333", agent="plain", number=2)
    person.compare(one, other, "left")
    return person.end()


def state_of(person: Interviewed) -> State:
    return Protocol(person.study).replay(person.events)


async def judged(
    person: Interviewed, bench: Bench, budget: Budget | None = None
) -> list[SheetJudged | PairJudged]:
    """Everything due is asked for and stored."""

    async def store(payload: Payload) -> None:
        person.add(payload)

    panel = Panel(person.study, bench, budget or Budget(None, 0))
    return list(await panel.judge(docket(person.study, state_of(person)).due, store))


async def test_a_sheet_is_judged_from_the_requirements_alone() -> None:
    person = rated()
    bench = Bench(verdict("met", "absent", "contradicted", coverage=2))
    (made,) = await judged(person, bench)
    assert isinstance(made, SheetJudged)
    assert made.scores == {"coverage": 2, "precision": 4, "consistency": 4, "insight": 4, "readability": 4}
    assert made.requirements == {
        "core_features.want.1": "met",
        "core_features.want.2": "absent",
        "core_features.avoid.1": "contradicted",
    }
    assert (made.trouble, made.cost, made.model_served, made.total_ms) == ("", 0.25, "served-1", 7)
    assert len(made.prompt_sha256) == 64
    assert person.events[-1].kind == "sheet_judged"
    (call,) = bench.calls
    asked = call.messages[1].content
    assert "1. I want (core features): Votes" in asked
    assert "3. I do not want (core features): Adverts" in asked
    assert "I want a reading list." in asked
    assert "- By June." in asked
    for hidden in ("buddy", "review", "because", "core_features-1", "core_features.want"):
        assert hidden not in asked
    assert docket(STUDY, state_of(person)) == Docket(), "nothing is judged twice"


async def test_what_does_not_fit_is_asked_again_once_then_recorded_and_due_again() -> None:
    person = rated()
    bench = Bench(
        "It is fine.", verdict("met"), verdict("met", "met", "met", insight=6), verdict("met", "met")
    )
    (first,) = await judged(person, bench)
    assert isinstance(first, SheetJudged)
    assert (first.scores, first.reasons, first.requirements) == (None, {}, {})
    assert "each of the numbers 1 to 3 exactly once" in first.trouble
    assert len(docket(STUDY, state_of(person)).due) == 1
    (second,) = await judged(person, bench)
    assert second.trouble
    (third,) = await judged(person, Bench(verdict("met", "met"), verdict("met", "met", "met")))
    assert isinstance(third, SheetJudged)
    assert third.scores is not None
    assert third.cost == 0.5, "the repair costs too"
    assert docket(STUDY, state_of(person)).due == ()


async def test_two_sheets_are_compared_blind_in_an_order_by_chance() -> None:
    orders = set()
    for slot in range(1, 9):
        person = paired(slot=slot)
        bench = Bench()
        made = await judged(person, bench)
        assert [one.kind for one in made] == ["sheet_judged", "sheet_judged", "pair_judged"]
        pair = made[-1]
        assert isinstance(pair, PairJudged)
        assert pair.preferred == "tie", "a rehearsal has no opinion"
        again = docket(STUDY, state_of(paired(slot=slot))).due[-1].sessions
        numbers = {one.id: one.opened.number for one in _sessions(person)}
        orders.add((numbers[pair.left], numbers[pair.right]))
        assert tuple(one.opened.number for one in again) == (numbers[pair.left], numbers[pair.right])
        asked = bench.calls[-1].messages[1].content
        assert asked.index("on the left") < asked.index("on the right")
        assert "plain" not in asked
        assert docket(STUDY, state_of(person)).due == ()
    assert orders == {(1, 2), (2, 1)}


def _sessions(person: Interviewed) -> tuple[Any, ...]:
    from studies.specification.protocol import projects_of

    return projects_of(state_of(person)).sessions


async def test_judges_and_sheets_are_asked_at_the_same_time_but_not_all() -> None:
    study = interview_study(judges=["scripted"])
    person = Interviewed(study)
    for number in range(12):
        person.sheet("33333", item="club" if number % 2 else "yard", number=number + 1)
    bench = Bench()
    assert len(await judged(person.end(), bench)) == 12
    assert bench.most == 8


async def test_the_budget_ends_it_and_the_rest_is_due_later() -> None:
    person = Interviewed(STUDY)
    for number in range(1, 13):
        person.sheet("33333", item="club" if number % 2 else "yard", number=number)
    person.end()
    budget = Budget(2.1, 0.0)
    assert await judged(person, Bench(), Budget(1.0, 1.0)) == []
    assert len(await judged(person, Bench(), budget)) == 9
    assert (budget.reached, budget.spent) == (True, 2.25)
    assert len(docket(STUDY, state_of(person)).due) == 3


@pytest.mark.parametrize(
    "made",
    [
        lambda: rated(pilot=True),
        lambda: Interviewed(STUDY).checklist("ABCD", "ABCD").end(),
        lambda: Interviewed(STUDY).end("withdrawn"),
    ],
)
def test_nothing_is_due_of_pilots_lists_and_the_withdrawn(made: Callable[[], Interviewed]) -> None:
    assert docket(STUDY, state_of(made())) == Docket()


def test_nothing_is_due_before_the_end_or_after_a_withdrawal() -> None:
    going = Interviewed(STUDY)
    going.sheet("33333")
    assert docket(STUDY, state_of(going)) == Docket()
    gone = rated()
    assert docket(STUDY, state_of(gone)).due
    assert docket(STUDY, state_of(gone.end("withdrawn"))) == Docket()


def hosted(*consent: ConsentItem) -> Study:
    """The study with a judge of another machine."""
    study = interview_study(judges=["scripted"], consent=consent)
    (scripted,) = study.settings.assistants
    far = scripted.model_copy(update={"model": "openai/far"})
    object.__setattr__(study, "settings", study.settings.model_copy(update={"assistants": (far,)}))
    return study


def test_words_leave_the_machine_only_with_consent() -> None:
    asks = ConsentItem(
        id="processors", text="May be sent to Far, Norway.", required=False, covers="processors"
    )
    study = hosted(asks)
    assert docket(study, state_of(rated(study))).due
    refused = docket(study, state_of(rated(study, consents={"processors": False})))
    assert refused == Docket(withheld=(f"scripted: {REFUSED}",))
    silent = hosted()
    assert docket(silent, state_of(rated(silent))) == Docket(withheld=(f"scripted: {NOBODY_ASKED}",))


def test_a_reason_is_wanted_for_each_score() -> None:
    answer = Judgement.model_validate(json.loads(verdict("met", "met").replace('"so"', '" "', 1)))
    assert misjudged(answer, 2) == ["coverage: the reason is missing"]
    assert misjudged(Judgement.model_validate(json.loads(verdict())), 0) == []


async def test_a_study_may_say_it_in_its_own_words() -> None:
    study = interview_study(judges=["scripted"])
    object.__setattr__(study, "files", dict(study.files) | {"prompts/judge-rate.md": b"Be strict."})
    bench = Bench()
    await judged(rated(study), bench)
    assert bench.calls[0].messages[0].content == "Be strict."
