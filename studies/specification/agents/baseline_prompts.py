"""What the baseline's model is told: a prompt by stage, and what is known, always in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from studies.specification.sections import ABOUT, LETTERS, SECTIONS
from studies.specification.sheet import MOST_CHARACTERS

if TYPE_CHECKING:
    from studies.specification.agents.agent import Brief, Conversation
    from studies.specification.materials import ChecklistQuestion
    from studies.specification.projects import Round

PROMPTS: dict[str, str] = {
    "plan": """You are going to interview somebody about software that they want to have built. You cannot
reach them yet: for now you read what there is and make a plan for yourself.

Sort what is still undecided into three heaps: what the proposal or the earlier conversations settle, what
nearly everybody would choose alike, and what only this person can tell. The rounds are few, so only the third
heap deserves them. Put first what changes the result most, and what settles other points along with itself.

Write the plan as short notes of at most 500 words: the points to clear up, in order, each with its reason,
and what you would take for granted without asking. Do not retell the proposal, and do not write as if anybody
had answered.

Answer with one JSON object: {"plan": "the notes"}""",
    "act": """You interview somebody about software that they want to have built, and then hand in the
result. Each time, do one thing: call one of the tools that you are given.

When you ask:
- one question, about one matter, in words that somebody who does not program understands;
- options that differ in what the person would get, and that together cover what is likely;
- no option such as "other" or "I don't know": the person can say both in any case;
- nothing that an earlier answer settles.

Follow your plan, as your reflections have changed it. Hand in the result once no further answer would change
it, or once no round is left. Be plain and factual, without praise and decoration.""",
    "reflect": """You interview somebody about software that they want to have built. They have just answered
your last question. Take stock before you go on.

Say what the answer shows: the decision itself, and what it lets you expect elsewhere. Then say what becomes
of your plan: which points it settles, which moved up or down, what to ask next. An answer such as "I don't
know" shows something too.

Answer with one JSON object: {"learned": "what it shows", "plan": "what becomes of the plan"}""",
    "predict": """You interview somebody about software that they want to have built. This is a pause
that the person does not notice: with what you know by now, predict their answers. Call the tool that you are
given. For a question about which you know nothing, take the option that such a person most likely picks.""",
}
"""What the product says at each stage, where a study does not say it otherwise."""


def known(brief: Brief, rounds: Sequence[Round], *, planned: bool) -> str:
    """Everything the model may know after some rounds.

    Args:
        brief: with the proposal locked.
        rounds: of the interview, each answered.
        planned: whether the plan and the reflections are shown.
    """
    parts = [
        f"# The proposal, in the person's words\n\n{brief.proposal or ''}",
        f"# What is to be handed in\n\n{_result(brief)}",
    ]
    if brief.checklist:
        parts.append(f"# The checklist\n\n{_checklist(brief.checklist)}")
    earlier = _talks(brief.conversations)
    parts.append(f"# Earlier conversations of the person, about other things\n\n{earlier}")
    if planned:
        plan = brief.session.answer("plan") or {}
        parts.append(f"# Your plan\n\n{plan.get('plan', '')}")
        parts.append(f"# The interview so far\n\n{_interview(brief, rounds)}")
    return "\n\n".join(parts)


def rounds_left(left: int, budget: int) -> str:
    """How the interview stands."""
    if not left:
        return "No round is left. Hand in the result now."
    rounds = "1 round is" if left == 1 else f"{left} rounds are"
    return f"{rounds} left of {budget}. Ask the next question, or hand in the result."


def _result(brief: Brief) -> str:
    asked = "1 question" if brief.budget == 1 else f"{brief.budget} questions"
    if brief.task == "checklist":
        return (
            "A prediction of what this person answers to each question of the checklist below, by the letter "
            f"of an option. As many as possible should be right. Before that you may ask {asked}: "
            "questions of the checklist, which the person answers with one of its options, or questions of "
            "your own with four options."
        )
    sections = "\n".join(f"- {name}: {ABOUT[name]}" for name in SECTIONS)
    return (
        "A spec sheet of what this person wants, which somebody else can build from. Its sections, each a "
        f"list of short statements that can be checked:\n\n{sections}\n\n"
        f"All statements together have fewer than {MOST_CHARACTERS:,} characters. It holds what the person "
        "asked for, nothing that they do not want, and no two statements that contradict each other. "
        f"Before that you may ask {asked} with four options each."
    )


def _checklist(checklist: Sequence[ChecklistQuestion]) -> str:
    return "\n\n".join(f"{one.id}: {one.question}\n{options_text(one.options)}" for one in checklist)


def options_text(options: Sequence[str]) -> str:
    """Options with their letters, one a line."""
    return "\n".join(f"{letter}) {option}" for letter, option in zip(LETTERS, options, strict=False))


def _talks(conversations: Sequence[Conversation]) -> str:
    if not conversations:
        return "There are none."
    return "\n\n".join(
        f"## Conversation {number}\n\n"
        + "\n\n".join(
            f"{'The person' if one.role == 'user' else 'An assistant'}: {one.content}"
            for one in each.messages
        )
        for number, each in enumerate(conversations, start=1)
    )


def _interview(brief: Brief, rounds: Sequence[Round]) -> str:
    if not rounds:
        return "Nothing was asked yet."
    parts = []
    for one in rounds:
        named = f" (checklist question {one.put.key})" if one.put.key else ""
        parts.append(
            f"## Round {one.put.round}{named}\n\n{one.put.question}\n{options_text(one.put.options)}\n\n"
            f"Their answer: {answer_text(one)}"
        )
        if (reflection := brief.session.answer(f"reflect:{one.put.round}")) is not None:
            parts.append(
                f"What you made of it: {reflection['learned']}\n"
                f"What it does to the plan: {reflection['plan']}"
            )
    return "\n\n".join(parts)


def answer_text(round: Round) -> str:
    """What the person answered, in words."""
    answer = round.answer
    if answer is None:
        return "none"
    if answer.unknown:
        return "I don't know."
    if answer.picked:
        return "; ".join(
            f"{letter}) {round.put.options[LETTERS.index(letter)]}" for letter in sorted(answer.picked)
        )
    return f"None of the options. In their own words: {answer.own_words}"
