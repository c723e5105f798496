"""What the plain mode shows of a specification study: proposals, sheets, and how each choice stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, cast

from capa_tui.lines import Lines, text_of
from studies.runner import Visit
from studies.steps import Material, Step

if TYPE_CHECKING:
    from studies.specification.decisions import Decision
    from studies.specification.protocol import SpecificationKind

HELP = """In an interview also:
  /chart     how each choice stands
  /end       end the interview now"""
COMMANDS = ("/chart", "/end")
ROLES = {"persona": "The person you answer as", "left": "The left sheet", "right": "The right sheet"}
"""What a part of the material is, by its role."""


class PlainSpecification:
    """The part of the plain front end that belongs to specification studies."""

    def __init__(self, visit: Visit, source: Lines, say: Callable[[str], None]) -> None:
        self.visit = visit
        self._source = source
        self._say = say
        self._read_out: dict[str, str] = {}

    def forget(self) -> None:
        """Read the material out again, though it was before."""
        self._read_out.clear()

    def introduce(self, step: Step) -> None:
        """What there is to do in an interview beside answering, once in each."""
        if step.interview is not None and step.interview.round == 1:
            self._say(HELP)

    def material(self, material: Material) -> None:
        """A proposal or sheets; what was read out last is not read out once more."""
        parts = {
            ROLES.get(one.role, one.role): one.text.replace("**", "") if material.markdown else one.text
            for one in material.context
        }
        if material.request:
            parts[material.title] = material.request
        known = [name for name, text in parts.items() if self._read_out.get(name) == text]
        for name, text in parts.items():
            if name not in known:
                self._say(f"{name}:\n{text}\nEnd of {name[0].lower()}{name[1:]}.")
        if known:
            self._say(f"{', '.join(known)}: as above. /again reads it once more.")
        self._read_out.update(parts)

    async def command(self, command: str, step: Step) -> None:
        """Carry out one of `COMMANDS` in an interview.

        Raises:
            JournalError: it is not on disk yet.
        """
        if command == "/chart":
            self._say(self._chart(step))
            return
        self._say("The assistant then works with what it knows by now.")
        self._say('Write "end" to end the interview, or an empty line to go on.')
        line = await self._source.next()
        if line is not None and text_of(line).strip().casefold() == "end":
            assert self.visit.live is not None
            await self.visit.live.end(step)

    def _chart(self, step: Step) -> str:
        if step.interview is None or not step.interview.chart:
            return "There is no chart here."
        from studies.specification.order import place_of

        where = place_of(step.id)
        kind = cast("SpecificationKind", self.visit.protocol.kind)
        chart = kind.chart(where.item, where.number, self.visit.state)
        settled = sum(1 for one in chart if one.standing != "open")
        lines = (line for number, one in enumerate(chart, start=1) for line in _lines(number, one))
        return "\n".join((f"How each choice stands: {settled} of {len(chart)} settled.", *lines))


def _lines(number: int, one: Decision) -> Iterator[str]:
    from studies.specification.sections import LETTERS
    from studies.specification.told import WHO, settled_by

    yield f"{number}. {one.question}"
    for letter, text in zip(LETTERS, one.alternatives, strict=False):
        notes = ["decided"] * (letter in one.chosen) + ["what the draft assumes"] * (letter == one.assumed)
        yield f"  {letter}  {text}" + (f" ({', '.join(notes)})" if notes else "")
    for vote in one.votes:
        sure = "sure" if vote.confident else "not sure"
        yield f"  Simulated user {vote.simulator}, {WHO[vote.simulator]}: {vote.choice}, {sure}"
    yield f"  {settled_by(one)}"
