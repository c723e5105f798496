"""Answers without a model, made from what is known by rule alone: always valid, never clever."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from studies.specification.agents.shapes import sections_of
from studies.specification.agents.synthesis import decided, section_of
from studies.specification.agents.words import clipped, same, sentences
from studies.specification.sections import ABOUT, SECTIONS, TITLES, Section

if TYPE_CHECKING:
    from studies.specification.agents.agent import Conversation
    from studies.specification.agents.shapes import Draft, Profile
    from studies.specification.decisions import Decision
    from studies.specification.sheet import Sheet

_ASSUMED = (
    ("A1", "People use it alone, and each sees what is theirs.", ("user_experience",)),
    ("A2", "It shows what is new before anything else.", ("core_features", "user_experience")),
    ("A3", "Nothing is deleted without asking.", ("non_functional_requirements",)),
)
_OPEN = (
    ("Q1", "Who may change what somebody else wrote.", ("core_features",)),
    ("Q2", "What it leaves to other programs.", ("out_of_scope",)),
)
_DIRECTIONS = (
    "That a first-time user needs no help with it",
    "That nothing in it is ever lost or wrong",
    "That the daily task takes as little time as possible",
    "That it can be fitted to how each person works",
)
_CHART: tuple[tuple[str, Section, str, tuple[str, str, str, str], bool], ...] = (
    ("who_sees", "core_features", "Who should be able to see what you put in?", (
        "Only I", "People I invite", "Everybody in the group", "Everybody"), False),
    ("who_changes", "core_features", "Who may correct an entry that turns out wrong?", (
        "Nobody; it is struck through", "Whoever wrote it", "One person in charge", "Anybody"), False),
    ("first_view", "user_experience", "What should greet you when you open it?", (
        "What changed since last time", "What is due today", "A search box", "A view of the whole"), False),
    ("reminding", "user_experience", "When may it draw attention to itself?", (
        "Never", "Once a day", "When something is urgent", "Whenever something happens"), False),
    ("mistakes", "non_functional_requirements", "What happens after a slip of the finger?", (
        "One key takes it back", "It asks before every change", "Old states are kept for a week",
        "Somebody in charge repairs it"), False),
    ("keeping", "non_functional_requirements", "How far back should old entries stay?", (
        "A month", "A year", "As long as somebody wants them", "For ever"), False),
    ("left_to_others", "out_of_scope", "Which neighbouring job is none of its business?", (
        "Talking to each other", "Keeping accounts", "Printing on paper", "Planning ahead"), True),
    ("not_for", "out_of_scope", "Whom is it not made for?", (
        "Children", "Large organisations", "Passers-by without an invitation", "Nobody is left out"), True),
)  # fmt: skip
_NINE_WORDS = 9


def profile(conversations: Sequence[Conversation]) -> dict[str, Any]:
    """One attribute for each conversation: how the person opened it, in their own words."""
    attributes = []
    for number, each in enumerate(conversations, start=1):
        said = next((one.content for one in each.messages if one.role == "user"), "")
        quote = " ".join(said.split()[:_NINE_WORDS])[:200]
        kind = "quote" if quote and said.split() else "paraphrase"
        attributes.append(
            {
                "category": "working_style",
                "attribute": f"opening_{number}",
                "value": f"Opened conversation {number} with what they wanted.",
                "type": "fact",
                "confidence": 0.5,
                "evidence": [{"kind": kind, "text": quote or "They said nothing."}],
                "reasoning": "People open a project as they opened the last one.",
            }
        )
    return {"attributes": attributes[:24]}


def draft(proposal: str) -> dict[str, Any]:
    """The proposal's beginning as the overview; everything else is left open."""
    spec = {name: f"Open so far. {ABOUT[name]}" for name in SECTIONS}
    spec["project_overview"] = clipped(proposal, 600) or spec["project_overview"]
    return {
        "spec": spec,
        "assumptions": [_point(*one) for one in _ASSUMED],
        "open_questions": [_point(*one) for one in _OPEN],
        "priority": {"question": "What matters most to you here?", "options": list(_DIRECTIONS)},
    }


def chart(proposal: str, drafted: Draft) -> dict[str, Any]:
    """Eight dimensions that every piece of software has."""
    about = clipped(f"{clipped(drafted.assumptions[0].text, 180)} {proposal}", 400)
    return {
        "dimensions": [
            {
                "key": key,
                "section": section,
                "related_sections": [],
                "question": question,
                "description": about,
                "assumed": 0,
                "why_it_matters": "People differ in this.",
                "alternatives": list(alternatives),
                "depends_on": [],
                "boundary": boundary,
            }
            for key, section, question, alternatives, boundary in _CHART
        ]
    }


def synthesis(
    proposal: str, drafted: Draft, known: Profile | None, decisions: Sequence[Decision]
) -> dict[str, Any]:
    """The proposal's first sentences, every decision, and the draft where a section would say nothing."""
    said: dict[Section, list[dict[str, Any]]] = {name: [] for name in SECTIONS}
    used: set[str] = set()

    def state(name: Section, text: str, sort: str, ref: str = "") -> None:
        if same(text) not in used:
            used.add(same(text))
            said[name].append({"text": text, "grounds": [{"sort": sort, "ref": ref}]})

    for number, sentence in enumerate(sentences(proposal)[:2], start=1):
        state("project_overview", clipped(sentence, 200), "proposal", str(number))
    for one in decisions:
        if one.standing not in ("open", "left out"):
            text = f"{one.question.rstrip('?:. ')}: {decided(one)}"
            state(section_of(one), clipped(text, 280), "decision", one.key)
    for attribute in known.attributes if known else ():
        if attribute.type == "hard_constraint" and not said["constraints"]:
            state("constraints", clipped(attribute.value, 200), "profile", attribute.attribute)
    for name, text in sections_of(drafted.spec).items():
        if not said[name]:
            rests = next((one.id for one in drafted.assumptions if name in one.sections), "")
            state(name, clipped(text, 160), "assumption" if rests else "agent", rests)
        if not said[name]:
            state(name, f"{TITLES[name]}: nothing was said.", "agent")
    return {name: each for name, each in said.items()}


def review(sheet: Sheet) -> dict[str, Any]:
    """One change: what happens when something fails, said once."""
    name: Section = "non_functional_requirements"
    last = sheet.sections[name][-1]
    free = not any(one.sort == "decision" for one in last.grounds)
    saved = "If something cannot be saved, people are told, and what they typed is kept."
    added = f"{clipped(last.text, 300)} {saved}" if free else saved
    grounds = [{"sort": one.sort, "ref": one.ref} for one in last.grounds] if free else []
    change = {
        "reason": "operational_detail",
        "why": "It did not say what happens when something fails.",
        "section": name,
        "remove": [last.id] if free else [],
        "add": [{"text": added, "grounds": grounds or [{"sort": "agent", "ref": ""}]}],
    }
    return {"changes": [change]}


def _point(name: str, text: str, sections: Sequence[str]) -> dict[str, Any]:
    return {"id": name, "text": text, "sections": list(sections), "importance": "medium"}
