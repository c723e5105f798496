"""A session as the benchmark sees it: messages, what each response matched, how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from studies.clarification.calls import reply_text, system_text, task_text
from studies.clarification.metrics import Ended
from studies.clarification.payloads import Ending
from studies.clarification.records import Dialogue
from studies.clarification.responses import read_response
from studies.clarification.sessions import Session
from studies.study import Study
from studies.verdicts import NEUTRAL

if TYPE_CHECKING:
    from studies.clarification.materials import ClarificationTask

ENDED: Mapping[Ending, Ended] = {"code": "code", "enough": "enough", "limit": "limit"}
"""The others left the run unfinished."""
LEFT_OUT: frozenset[Ending] = frozenset({"technical", "spend_cap"})
"""Endings that say nothing about anybody; counted, and in no figure."""
PROTOCOL = "annotated answers"
"""Who answers an asker where no model does."""


def dialogue_of(study: Study, session: Session, participant: str) -> Dialogue | None:
    """The dialogue of a session that has ended; None where there was no response.

    Args:
        study: the version.
        session: with its ending.
        participant: what the person is called.
    """
    task = study.clarification_task(session.item)
    asking = session.seat == "asker"
    places = {one.id: place for place, one in enumerate(task.key_questions)}
    outcomes = dict(zip((one.turn for one in session.questions), session.outcomes(), strict=True))
    messages = _opening(study, session, task)
    matched: list[tuple[int, ...]] = []
    for one in session.rounds:
        if not one.used or one.purpose == "code":
            continue
        said = f"[QUESTION]\n{one.question}\n[/QUESTION]" if asking else one.last.text if one.last else ""
        messages.append(("assistant", said))
        outcome = outcomes.get(one.turn)
        matched.append(tuple(places[gap] for gap in outcome[1]) if outcome else ())
        if one.answer is not None:
            text = one.answer.text if asking else reply_text(study, one.answer.text)
            messages.append(("user", text))
    code = code_of(task, session)
    if session.satisfied:
        messages.append(("assistant", f"[CODE]\n{code.rstrip()}\n[/CODE]"))
        matched.append(())
    if not matched:
        return None
    return Dialogue(
        task=task.id,
        source=task.source or task.id,
        key_questions=tuple(one.question for one in task.key_questions),
        prompt=task.statement,
        messages=tuple(messages),
        matched=tuple(matched),
        ended=ENDED.get(session.ending, "unfinished") if session.ending else "unfinished",
        code=code,
        model=session.assistant or PROTOCOL,
        seat=_seat(session),
        types=task.all_types,
        asked=len(session.questions),
        passed=passed(task, session),
        participant=participant,
    )


def _opening(study: Study, session: Session, task: ClarificationTask) -> list[tuple[str, str]]:
    opening = [("user", task_text(task))]
    if session.seat == "answerer":
        opening.insert(0, ("system", system_text(study, session.assistant, "ask", task)))
    return opening


def _seat(session: Session) -> Literal["answerer", "asker"]:
    return "asker" if session.seat == "asker" else "answerer"


def code_of(task: ClarificationTask, session: Session) -> str:
    """The final code; empty where none was written."""
    code = session.code
    if code is None:
        return ""
    if code.verdict is not None:
        return code.verdict.code
    if code.read is not None:
        return code.read.code
    # Written for a person, about a task without tests: nobody had to read it yet.
    text = code.last.text if code.last is not None and code.replied else ""
    return read_response(text, task.entry_point, task.prompt).code


def passed(task: ClarificationTask, session: Session) -> bool | None:
    """Whether the final code passed the hidden tests; None where nothing is known.

    A model that used its responses up without code has not passed. Nobody asked a person for code, so where
    none was written for them there is no verdict either.
    """
    code = session.code
    if not task.testable:
        return None
    if code is None:
        return False if session.seat == "answerer" and session.ending == "limit" else None
    if code.verdict is None or code.verdict.verdict in NEUTRAL:
        return None
    return code.verdict.verdict == "passed"
