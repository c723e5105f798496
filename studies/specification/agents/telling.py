"""How what is known is put before a model: text in parts, each under a heading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from studies.specification.agents.known import PRIORITY
from studies.specification.agents.shapes import sections_of
from studies.specification.agents.synthesis import decided
from studies.specification.agents.words import sentences
from studies.specification.sections import ABOUT, LETTERS, SECTIONS, TITLES

if TYPE_CHECKING:
    from studies.specification.agents.agent import Brief, Conversation
    from studies.specification.agents.known import Dimension
    from studies.specification.agents.shapes import Attribute, Draft, Point
    from studies.specification.decisions import Decision
    from studies.specification.projects import Round
    from studies.specification.sheet import Sheet

STRANGER = "There are no past conversations of this person: nothing is known beyond the proposal."


def told(*parts: tuple[str, str]) -> str:
    """Parts of a message, each under its heading; empty ones are left out."""
    return "\n\n".join(f"## {heading}\n\n{text}" for heading, text in parts if text)


def conversations(every: Sequence[Conversation]) -> str:
    """Past conversations, with who said what."""
    return "\n\n".join(
        "\n\n".join(
            (f"### Conversation {number}", *(f"{one.role.upper()}: {one.content}" for one in each.messages))
        )
        for number, each in enumerate(every, start=1)
    )


def proposal(brief: Brief, numbered: bool = False) -> tuple[str, str]:
    """The proposal in the person's own words; sentence by sentence where it is referred to."""
    text = brief.proposal or ""
    if numbered:
        text = "\n".join(f"[{number}] {one}" for number, one in enumerate(sentences(text), start=1))
    return "What the person proposes", text


def person(brief: Brief, summary: str, attributes: Sequence[Attribute] | None) -> tuple[tuple[str, str], ...]:
    """What is known of the person. `attributes` is None for whoever gets no profile at all."""
    if not brief.conversations:
        return (("The person", STRANGER),)
    profile = "" if attributes is None else listed(attributes) or "Nothing in it is certain enough."
    return ("How the person goes about projects", summary), ("User profile", profile)


def listed(attributes: Iterable[Attribute]) -> str:
    """A user profile, one attribute a line."""
    return "\n".join(
        f"- {one.attribute} ({one.type.replace('_', ' ')}, confidence {one.confidence:g}): {one.value}"
        for one in attributes
    )


def nine_sections() -> tuple[str, str]:
    """What belongs into each section."""
    return "The nine sections", "\n".join(f"- {name}: {ABOUT[name]}" for name in SECTIONS)


def draft(found: Draft) -> tuple[tuple[str, str], ...]:
    """The draft with what it assumes and what it leaves open."""
    texts = "\n".join(f"{TITLES[name]}: {text}" for name, text in sections_of(found.spec).items())
    return ("Draft", texts), *points(found)


def points(found: Draft) -> tuple[tuple[str, str], ...]:
    """What a draft assumes and what it leaves open."""
    return ("Assumptions", _points(found.assumptions)), ("Open questions", _points(found.open_questions))


def choices(dimensions: Iterable[Dimension]) -> str:
    """Dimensions with their alternatives, by letter."""
    return "\n\n".join(
        "\n".join((f"{one.key}: {one.question}", *lettered(one.alternatives))) for one in dimensions
    )


def lettered(alternatives: Sequence[str]) -> tuple[str, ...]:
    """Alternatives, each with its letter."""
    return tuple(f"{letter}. {text}" for letter, text in zip(LETTERS, alternatives, strict=False))


def interview(rounds: Iterable[Round]) -> str:
    """What was asked and what the person said, round by round."""
    return "\n\n".join(filter(None, map(_round, rounds))) or "Nothing was asked."


def standing(every: Iterable[Decision]) -> str:
    """Dimensions as they stand, with the simulated users' choices where nothing is settled."""
    return "\n".join(f"- {one.key}: {_stands(one)}" for one in every)


def made(every: Iterable[Decision]) -> str:
    """What was decided, by section, with what was turned down and why it matters."""
    lines = []
    for one in every:
        if one.standing in ("open", "left out"):
            continue
        lines.append(f"- {one.key} ({one.section or 'core_features'}, {one.standing}): {one.question}")
        lines.append(f"  Decided: {decided(one)}")
        against = [
            text for letter, text in zip(LETTERS, one.alternatives, strict=False) if letter not in one.chosen
        ]
        if one.key != PRIORITY and not one.own_words:
            lines.append(f"  Turned down: {'; '.join(against)}")
        if one.why_it_matters:
            lines.append(f"  Why it matters: {one.why_it_matters}")
    return "\n".join(lines) or "Nothing."


def sheet(found: Sheet) -> str:
    """A sheet, statement by statement, each with its id and what it rests on."""
    lines = []
    for name in SECTIONS:
        lines.append(f"{name}:")
        for one in found.sections[name]:
            rests = ", ".join(f"{each.sort} {each.ref}".strip() for each in one.grounds)
            lines.append(f"- [{one.id}] {one.text} ({rests})")
    return "\n".join(lines)


def _points(every: Iterable[Point]) -> str:
    return "\n".join(f"- {one.id} ({one.importance}): {one.text}" for one in every)


def _round(one: Round) -> str:
    if one.answer is None:
        return ""
    if one.answer.unknown:
        said = "I don't know."
    else:
        picked = [f"{letter}. {one.put.options[LETTERS.index(letter)]}" for letter in one.answer.picked]
        said = "; ".join((*picked, *filter(None, [one.answer.own_words])))
    about = f" (about {one.put.key})" if one.put.key else ""
    asked = f"Question {one.put.round}{about}: {one.put.question}"
    return "\n".join((asked, *lettered(one.put.options), f"Answer: {said}"))


def _stands(one: Decision) -> str:
    votes = ", ".join(f"{each.choice}{'' if each.confident else ' (unsure)'}" for each in one.votes)
    match one.standing:
        case "open" | "left out":
            return f"open; simulated users choose {votes}"
        case "confirmed":
            return f"answered by the person: {decided(one)}"
        case "high confidence":
            return f"agreed by simulated users: {', '.join(one.chosen)}"
        case _:
            return f"settled by an earlier answer: {', '.join(one.chosen)}"
