"""Projects of a specification study over a real gateway, with a model that does everything wrong once."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import shaped
from support.gateways import Home
from support.provider import Answer, Provider, Reply, Request, Say, Stall
from support.shaped import Fault, Shaped, changed, right
from support.sitters import CODE, STUDY, seat_before, stream
from support.specifications import NobodyElse, one_step, state_of
from support.terminal import Terminal
from support.visits import Sitting

from capa_tui.assistants.client import Gateway
from studies import bundles
from studies.folder import parse
from studies.replies import Assistant
from studies.runner import Visit
from studies.specification import payloads as said
from studies.specification.crew import Crew
from studies.specification.sheet import MOST_CHARACTERS, Sheet
from studies.steps import Step
from studies.study import Study

pytestmark = pytest.mark.xdist_group("gateway")
READ_TIMEOUT = 3.0
"""Seconds: a stall takes them, and no answer of a loopback server comes near them."""
BUNDLED = bundles.study("specification")
RIGHT = {one.id: one.answer for persona in BUNDLED.personas for one in persona.check}
KEPT = "What was done so far is kept."


def study(design: str, task: str) -> Study:
    """One project of the bundled study, for one agent."""
    settings = BUNDLED.settings
    agents = tuple(one for one in settings.specification.agents if one.design == design)
    chosen = settings.specification.model_copy(
        update={"agents": agents, "task": task, "projects_each": 1, "read_timeout": READ_TIMEOUT}
    )
    return replace(parse(BUNDLED.files), settings=settings.model_copy(update={"specification": chosen}))


class Walked:
    """A project walked to its sheet or predictions; what failed is asked for again."""

    def __init__(self, made: Study, assistant: Assistant) -> None:
        self.sitting = Sitting(made)
        self.visit = Visit(made, self.sitting.events, self.sitting.journal, self.sitting.clock)
        self.visit.live = Crew(self.visit, assistant, NobodyElse())
        self.notices: list[str] = []

    async def to(self, *sorts: str) -> Step:
        """To the first step of one of these sorts."""
        if not self.sitting.kinds().count("visit_started"):
            await self.visit.begin("test")
        while True:
            step = self.visit.current
            assert isinstance(step, Step), step
            if step.broken:
                assert step.work is not None
                self.notices.append(step.work.notice)
                assert self.visit.live is not None
                await self.visit.live.retry(step)
            elif not step.due and step.id.partition(":")[0] in sorts:
                return step
            else:
                await one_step(self.visit, RIGHT)

    def came(self, call: str) -> list[tuple[str, int]]:
        """What came of a call, attempt by attempt: its standing, and how many replies there were."""
        answers = (one.payload for one in self.sitting.events)
        return [
            (one.standing, len(one.replies))
            for one in answers
            if isinstance(one, said.AgentAnswered) and one.call == call
        ]

    def all_that_came(self) -> Mapping[str, list[tuple[str, int]]]:
        """The same of every call."""
        answers = (one.payload for one in self.sitting.events)
        names = dict.fromkeys(one.call for one in answers if isinstance(one, said.AgentAnswered))
        return {name: self.came(name) for name in names}


def fifth_option(chart: Any) -> None:
    chart["dimensions"][0]["alternatives"].append("A fifth way of doing it")


def invented_quote(profile: Any) -> None:
    profile["attributes"][0]["evidence"] = [{"kind": "quote", "text": "I have never said this to anybody"}]


def too_long(sheet: Any) -> None:
    sections = sheet.get("arguments", sheet)
    for number in range(18):
        text = f"Point {number} of a long list. " + f"It is said at length, {number} times over. " * 8
        plain = isinstance(sections["constraints"][0], str)
        section = ("constraints", "success_metrics", "milestones_and_priorities")[number // 6]
        sections[section].append(text if plain else {"text": text, "grounds": [{"sort": "agent", "ref": ""}]})


async def test_buddy_comes_through_everything_that_a_model_can_do(
    gateway: Gateway, provider: Provider, home: Home
) -> None:
    home.configure('structured = "json_schema"\n')
    faults: dict[str, list[Fault]] = {
        "profile": [changed(invented_quote)],
        "summary": [shaped.dropped],
        "draft": [shaped.in_prose],
        "chart": [changed(fifth_option)],
        "simulate": [shaped.server_error, shaped.cut_off],
        "update": [shaped.stalled],
        "synthesis": [changed(too_long)],
        "review": [shaped.no_json, shaped.no_json],
    }
    model = Shaped(gateway, provider, faults)
    walked = Walked(study("buddy", "sheet"), model)
    await walked.to("met")
    came = dict(walked.all_that_came())
    simulated = sorted(came.pop(f"simulate:{number}") for number in (1, 2, 3))
    # A repair is a second reply in one attempt; what failed is a second attempt.
    assert simulated == [[("failed", 1), ("valid", 1)], [("valid", 1)], [("valid", 2)]]
    assert came == {
        "profile": [("valid", 2)],
        "summary": [("failed", 1), ("valid", 1)],
        "draft": [("valid", 1)],
        "chart": [("valid", 2)],
        "update:1": [("failed", 1), ("valid", 1)],
        **{f"update:{number}": [("valid", 1)] for number in range(2, 6)},
        "synthesis": [("valid", 2)],
        "review": [("invalid", 2), ("valid", 1)],
    }
    told = model.told
    assert "the user never wrote 'I have never said this to anybody'" in told
    assert "dimensions.0.alternatives" in told
    assert "characters together; they must have fewer than 6000" in told
    assert "the JSON object breaks off before its end" in told
    assert "no JSON object in the answer" in told
    assert all(one.endswith(KEPT) for one in walked.notices)
    assert "The assistant's answer could not be used." in walked.notices[-1]
    (session,) = state_of(walked.visit).sessions
    assert session.frozen is not None
    assert 0 < Sheet.from_json(session.frozen.sheet).characters < MOST_CHARACTERS
    assert len(session.rounds) == 5


def a_fifth_option(call: Any) -> None:
    call["arguments"]["option_e"] = "A fifth way of doing it"


async def test_the_baseline_comes_through_it_by_tool_calls(
    gateway: Gateway, provider: Provider, home: Home
) -> None:
    home.configure('structured = "tool_call"\n')
    faults: dict[str, list[Fault]] = {
        "plan": [shaped.in_prose],
        "reflect": [shaped.server_error, right, shaped.cut_off],
        "act": [
            *(shaped.cut_off, right),
            *(changed(a_fifth_option), right),
            *(shaped.no_json, right),
            *(shaped.dropped, right),
            shaped.stalled,
            *(right, changed(too_long), right),
        ],
    }
    model = Shaped(gateway, provider, faults)
    walked = Walked(study("baseline", "sheet"), model)
    await walked.to("met")
    assert walked.all_that_came() == {
        "plan": [("valid", 1)],
        "act:1": [("valid", 2)],
        "reflect:1": [("failed", 1), ("valid", 1)],
        "act:2": [("valid", 2)],
        "reflect:2": [("valid", 2)],
        "act:3": [("valid", 2)],
        "reflect:3": [("valid", 1)],
        "act:4": [("failed", 1), ("valid", 1)],
        "reflect:4": [("valid", 1)],
        "act:5": [("failed", 1), ("valid", 1)],
        "reflect:5": [("valid", 1)],
        "act:6": [("valid", 2)],
    }
    told = model.told
    assert "option_e" in told
    assert "no tool was called; call query_user or submit_spec" in told
    assert all(one.endswith(KEPT) for one in walked.notices)
    (session,) = state_of(walked.visit).sessions
    assert session.frozen is not None
    assert (session.answered, session.ended.by) == (5, "budget")


def lacks_one(predictions: Any) -> None:
    answers = predictions.get("arguments", {}).get("answers")
    if answers is None:
        predictions["predictions"].pop()
    else:
        answers.popitem()


@pytest.mark.parametrize(("design", "rung"), [("buddy", "json_schema"), ("baseline", "tool_call")])
async def test_a_checklist_is_predicted_whole(
    gateway: Gateway, provider: Provider, home: Home, design: str, rung: str
) -> None:
    home.configure(f'structured = "{rung}"\n')
    last = "predictions" if design == "buddy" else "act"
    before = [right] * 5 if design == "baseline" else []
    model = Shaped(gateway, provider, {last: [*before, changed(lacks_one)]})
    walked = Walked(study(design, "checklist"), model)
    await walked.to("close")
    (session,) = state_of(walked.visit).sessions
    assert session.predicted is not None
    project = walked.visit.study.project(session.item)
    assert set(session.predicted.predictions) == {one.id for one in project.checklist}
    assert walked.notices == []
    assert model.told.count("That does not fit") == 1


# -- a kill while calls are under way ------------------------------------------------------------


def first_stages(request: Request) -> Reply:
    """What there is to say of past conversations; nothing of anything else."""
    title = request.body["response_format"]["json_schema"]["schema"]["title"]
    said = {"Profile": '{"attributes": []}', "Summary": '{"summary": "She decides at once."}'}
    return Answer(Say(said[title])) if title in said else Answer(Stall())


def drafts(db: Path) -> str:
    with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as conn:
        return "\n".join(one for (one,) in conn.execute("SELECT text FROM drafts"))


@pytest.mark.pty
def test_a_kill_while_calls_are_under_way_frees_them_and_they_come_again(
    home: Home, provider: Provider, tmp_path: Path
) -> None:
    home.configure('structured = "json_schema"\n')
    files = dict(BUNDLED.files)
    text = files["study.toml"].decode()
    files["study.toml"] = text.replace('\nmodel = "rehearsal"', '\nmodel = "openai/slow"').encode()
    provider.answers["slow"] = Answer(Stall())
    db = tmp_path / "lab.db"
    seat_before(db, "proposal", study=parse(files))
    words = ["run", STUDY, "--participant", CODE, "--db", str(db)]
    with Terminal(words) as window:
        window.until("Write in your own words")
        window.press("A slate with", "A slate with")
        provider.until(lambda: provider.open == 2)
        window.until(lambda text: "A slate with" in drafts(db))
        window.kill()
    # Nothing is paid for that nobody waits for.
    provider.until(lambda: provider.open == 0)
    provider.answers["slow"] = first_stages
    with Terminal(words) as window:
        window.until("A slate with")
        window.press(" columns", "columns")
        window.press("\t", "enter press")
        window.press("\r", "Project overview: what do you want?")
        # Now the first draft is under way.
        provider.until(lambda: provider.open == 1)
        window.hang_up()
    events = stream(db)
    came = [one.payload for one in events if isinstance(one.payload, said.AgentAnswered)]
    assert {one.call for one in came if one.standing == "interrupted"} == {"profile", "summary"}
    assert sorted(one.call for one in came if one.standing == "valid") == ["profile", "summary"]
    called = [one.payload for one in events if isinstance(one.payload, said.AgentCalled)]
    ended = {(one.call, one.attempt) for one in came}
    # The draft was under way when the window closed; it comes again with the next visit.
    assert {(one.call, one.attempt) for one in called} - ended == {("draft", 1)}
    (locked,) = [one.payload.text for one in events if isinstance(one.payload, said.ProposalLocked)]
    assert locked == "A slate with columns"
