"""The worked example of docs/buddy.md is what Buddy does in the bundled study."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from studies.bundles import study as bundled
from studies.replies import ChatMessage
from studies.specification.agents.agent import Brief, Conversation
from studies.specification.agents.buddy import Buddy
from studies.specification.decisions import Decision
from studies.specification.payloads import InterviewEnded, ProjectOpened, QuestionPut, RoundAnswered
from studies.specification.projects import CallState, Round, Session

PAGE = (Path(__file__).parents[3] / "docs" / "buddy.md").read_text(encoding="utf-8")
PROJECT = "book-club"
BUDDY = Buddy()


def begun(budget: int) -> Brief:
    """What Buddy knows when the proposal is locked, worded as the study words it."""
    study = bundled("specification")
    project = study.project(PROJECT)
    opened = ProjectOpened(
        "s", PROJECT, 1, 1, "sheet", "buddy", "buddy", "script", "rehearsal", budget, "before"
    )
    return Brief(
        seed=study.settings.seed,
        slot=1,
        title=project.title,
        base_proposal=project.proposal,
        proposal=project.proposal,
        proposal_seq=5,
        task="sheet",
        checklist=(),
        conversations=tuple(
            Conversation(one.id, tuple(ChatMessage(each.role, each.text) for each in one.dialogue))
            for one in project.conversations
        ),
        budget=budget,
        checkpoints=(),
        dropout=study.settings.specification.dropout,
        session=Session(opened),
        script=project.script,
    )


def interviewed(brief: Brief) -> tuple[Brief, tuple[str, ...]]:
    """The interview to its end, always answered by A; and what was left out of the profile."""
    dropped: tuple[str, ...] = ()
    for seq in range(10, 200):
        session = brief.session
        if session.ended is not None:
            return brief, dropped
        if followed := BUDDY.follows(brief):
            match followed[0]:
                case QuestionPut() as put:
                    answer = RoundAnswered("step", "s", PROJECT, put.round, ("A",))
                    session = replace(session, rounds=(*session.rounds, Round(put, seq, answer, seq)))
                case InterviewEnded() as ended:
                    session = replace(session, ended=ended)
        else:
            call = BUDDY.due(brief)[0]
            request = BUDDY.request(call, brief)
            answer_given = json.loads(request.script)
            assert list(request.check(request.answer.model_validate(answer_given))) == []
            dropped = request.dropped or dropped
            session = replace(
                session, calls={**session.calls, call: CallState(1, "valid", answer_given, seq)}
            )
        brief = replace(brief, session=session)
    raise AssertionError("the interview does not end")


def rows(decisions: tuple[Decision, ...]) -> Iterator[str]:
    words = {"agreement": "by agreement", "majority": "by majority"}
    for one in decisions:
        if one.votes:
            letters = " | ".join(vote.choice for vote in one.votes)
            sure = "yes" if all(vote.confident for vote in one.votes) else "no"
            settled = words.get(one.settled_by, f"asked, round {one.round}")
            yield f"| `{one.key}` | {letters} | {sure} | {settled} |"


def test_the_table_is_what_comes_of_the_script() -> None:
    brief, dropped = interviewed(begun(5))
    table = list(rows(BUDDY.decisions(brief)))
    assert len(table) == 11
    assert "\n".join(table) in PAGE
    assert len(dropped) == 2
    assert [one.put.key for one in brief.session.rounds][1:] == [
        "choosing",
        "names_shown",
        "opinions",
        "forms",
    ]
    assert brief.session.rounds[1].put.why in " ".join(PAGE.split())
    assert brief.session.ended is not None and brief.session.ended.by == "budget"


@pytest.mark.parametrize(("budget", "rounds", "by"), [(10, 7, "settled"), (0, 0, "budget")])
def test_a_larger_budget_is_not_used_up(budget: int, rounds: int, by: str) -> None:
    brief, _ = interviewed(begun(budget))
    assert brief.session.ended is not None
    assert (brief.session.ended.rounds, brief.session.ended.by) == (rounds, by)
