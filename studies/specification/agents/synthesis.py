"""The spec sheet, from what the synthesis and the review say: ids for statements, words for grounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.specification.agents.known import PRIORITY, Known
from studies.specification.agents.settling import decisions
from studies.specification.agents.sheet_shapes import (
    GroundGiven,
    Review,
    StatementGiven,
    Synthesis,
    statements_of,
)
from studies.specification.agents.words import clipped, sentences
from studies.specification.sections import LETTERS, SECTIONS, Section
from studies.specification.sheet import Change, Ground, GroundSort, Sheet, Statement

if TYPE_CHECKING:
    from studies.specification.agents.agent import Brief
    from studies.specification.decisions import Decision

_QUOTED = 120
"""Characters of a ground that a participant reads."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a statement may rest on, by sort and reference, each in a participant's words."""

    words: Mapping[tuple[GroundSort, str], str]
    confirmed: tuple[str, ...]
    """Keys of the decisions that the person made themselves."""

    def refs(self, sort: GroundSort) -> tuple[str, ...]:
        """The references of a sort."""
        return tuple(ref for each, ref in self.words if each == sort)

    def read(self, given: GroundGiven) -> Ground | None:
        """A ground as the sheet has it; None where there is none such."""
        ref = "" if given.sort == "agent" else given.ref.strip().strip("[]")
        words = self.words.get((given.sort, ref))
        return None if words is None else Ground(given.sort, ref, words)


def grounds_of(brief: Brief) -> Grounds:
    """Everything that a statement of the sheet may rest on. Decisions that were left out are none."""
    known = Known(brief)
    words: dict[tuple[GroundSort, str], str] = {("agent", ""): "the agent's own suggestion"}
    confirmed = []
    for one in decisions(brief):
        if one.standing in ("open", "left out"):
            continue
        words["decision", one.key] = f"{_settled(one)}: {clipped(decided(one), _QUOTED)}"
        if one.standing == "confirmed":
            confirmed.append(one.key)
    for number, sentence in enumerate(sentences(brief.proposal or ""), start=1):
        words["proposal", str(number)] = f"sentence {number} of the proposal: {clipped(sentence, _QUOTED)}"
    for attribute in known.profile.attributes if known.profile else ():
        told = clipped(attribute.value, _QUOTED)
        words["profile", attribute.attribute] = f"what past conversations show: {told}"
    for point in known.draft.assumptions if known.draft else ():
        words["assumption", point.id] = f"assumed by the agent: {clipped(point.text, _QUOTED)}"
    return Grounds(words, tuple(confirmed))


def decided(one: Decision) -> str:
    """What was decided, in words: the alternatives chosen, or the person's own words."""
    chosen = [one.alternatives[LETTERS.index(letter)] for letter in one.chosen]
    return " + ".join((*chosen, *filter(None, [one.own_words])))


def sheet_of(synthesis: Synthesis, grounds: Grounds) -> Sheet:
    """The sheet as the synthesis wrote it. Grounds that do not exist are left out."""
    return Sheet(
        {
            name: tuple(
                _statement(f"{name}-{number}", one, grounds) for number, one in enumerate(given, start=1)
            )
            for name, given in statements_of(synthesis).items()
        }
    )


def reviewed(sheet: Sheet, review: Review, grounds: Grounds) -> Sheet:
    """The sheet after its review. What comes in place of something stands where the first of it stood.

    Ids of statements go on counting within their section, so none is used twice.
    """
    sections = {name: list(sheet.sections[name]) for name in SECTIONS}
    counted = {name: len(sections[name]) for name in SECTIONS}
    changes = []
    for number, given in enumerate(review.changes, start=1):
        now = sections[given.section]
        before = tuple(one for one in now if one.id in given.remove)
        after = tuple(
            _statement(f"{given.section}-{counted[given.section] + place}", one, grounds)
            for place, one in enumerate(given.add, start=1)
        )
        counted[given.section] += len(after)
        place = now.index(before[0]) if before else len(now)
        now[place:] = [*after, *(one for one in now[place:] if one not in before)]
        changes.append(Change(f"review-{number}", given.section, given.reason, given.why, before, after))
    return Sheet({name: tuple(each) for name, each in sections.items()}, tuple(changes))


def lacking(sheet: Sheet, keys: Sequence[str]) -> tuple[str, ...]:
    """Those of some decisions on which no statement of a sheet rests."""
    used = {each.ref for one in sheet.statements for each in one.grounds if each.sort == "decision"}
    return tuple(key for key in keys if key not in used)


def section_of(one: Decision) -> Section:
    """Where a decision belongs; core features where nobody says."""
    return one.section or "core_features"


def _statement(name: str, given: StatementGiven, grounds: Grounds) -> Statement:
    read = (grounds.read(one) for one in given.grounds)
    # One statement a line: what a sheet's text says is told apart by its lines.
    return Statement(name, " ".join(given.text.split()), tuple(one for one in read if one is not None))


def _settled(one: Decision) -> str:
    match one.settled_by:
        case "answer":
            what = "what matters most to you, " if one.key == PRIORITY else "your answer to "
            return f"{what}question {one.round}"
        case "update":
            return f"follows from your answer to question {one.round}"
        case "agreement":
            return "all three simulated users agree"
        case _:
            return "most simulated users choose this"
