"""What is asked next, why, and when the interview ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from studies.specification.agents.known import PRIORITY, Known
from studies.specification.agents.settling import decisions
from studies.specification.payloads import InterviewEnded, QuestionPut

if TYPE_CHECKING:
    from studies.specification.agents.agent import Brief
    from studies.specification.decisions import Decision

MOST_OF_ALL = "What matters most to you decides what comes first in the spec sheet, and what gives way."


def unresolved(brief: Brief) -> tuple[Decision, ...]:
    """The open dimensions that were not asked yet, what is best asked first.

    Most disagreement comes first: the number of different choices among the simulated users. Then least
    confidence: how many of them are not sure. Then the order of the chart or checklist.
    """
    asked = {one.put.key for one in brief.session.rounds}
    still = [one for one in decisions(brief) if one.standing == "open" and one.key not in asked]
    return tuple(sorted(still, key=lambda one: (-_disagreement(one), -_doubt(one))))


def next_step(brief: Brief) -> QuestionPut | InterviewEnded | None:
    """The next question, or the end of the interview; None where something has to be known first.

    The priority question is the first round of Task 2, and waits for nothing but the draft.
    """
    known, session = Known(brief), brief.session
    if brief.proposal is None or session.ended is not None or session.open_round is not None:
        return None
    done = session.answered
    if done >= brief.budget:
        why = f"All {done} questions have been asked." if done > 1 else "The one question has been asked."
        return _end(brief, "budget", why if done else "This interview has no questions.")
    if not known.single and not session.rounds:
        return _priority(known)
    if not known.voted or not known.updated:
        return None
    if done and known.updates[done].enough:
        return _end(brief, "agent", known.updates[done].why)
    left = unresolved(brief)
    if not left:
        return _end(brief, "settled", "Everything is settled: no question is left.")
    return QuestionPut(
        session=session.id,
        item=session.item,
        round=len(session.rounds) + 1,
        sort="checklist" if known.single else "dimension",
        key=left[0].key,
        question=left[0].question,
        options=left[0].alternatives,
        single=known.single,
        why=why_asked(left[0], bool(brief.conversations), votes=brief.votes_told),
    )


def why_asked(decision: Decision, conversations: bool, *, votes: bool = True) -> str:
    """Why a dimension is asked, in the participant's words.

    Args:
        decision: about the dimension.
        conversations: whether there were any to read.
        votes: whether to say what was chosen.
    """
    choices = [one.choice for one in decision.votes]
    whose = (
        "Three simulated readings of the past conversations"
        if conversations
        else "Three simulated users who know nothing but the proposal"
    )
    unsure = _doubt(decision)
    doubt = {0: "", 1: "one of them is not sure", 2: "two of them are not sure"}.get(unsure, "none is sure")
    if len(set(choices)) > 1:
        chosen = f" ({', '.join(choices)})" if votes else ""
        said = f"{whose} disagree{chosen}" + (f", and {doubt}." if doubt else ".")
    else:
        said = f"{whose} all choose {choices[0] if votes else 'alike'}, but {doubt}."
    return f"{said} {decision.why_it_matters}".strip()


def _priority(known: Known) -> QuestionPut | None:
    if known.draft is None:
        return None
    session, priority = known.brief.session, known.draft.priority
    return QuestionPut(
        session=session.id,
        item=session.item,
        round=1,
        sort="priority",
        key=PRIORITY,
        question=priority.question,
        options=priority.options,
        single=False,
        why=MOST_OF_ALL,
    )


def _end(brief: Brief, by: Literal["budget", "settled", "agent"], why: str) -> InterviewEnded:
    session = brief.session
    return InterviewEnded(session.id, session.item, by, why, session.answered)


def _disagreement(decision: Decision) -> int:
    return len({one.choice for one in decision.votes})


def _doubt(decision: Decision) -> int:
    return sum(1 for one in decision.votes if not one.confident)
