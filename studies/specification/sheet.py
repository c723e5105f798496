"""A spec sheet: nine sections of statements, each with what it rests on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self

from studies.specification.sections import SECTIONS, TITLES, Section
from studies.visible import visible, visible_line

MOST_CHARACTERS = 6_000
"""Characters that a whole sheet may have (Buddy, Appendix C.5); fewer than these."""

GroundSort = Literal["decision", "proposal", "profile", "assumption", "agent"]


@dataclass(frozen=True, slots=True)
class Ground:
    """What a statement rests on."""

    sort: GroundSort
    """A decision about a dimension, a sentence of the proposal, an item of the profile, an assumption of the
    draft, or nothing but the agent."""
    ref: str = ""
    """Key of the dimension, number of the sentence from 1, attribute, id of the assumption."""
    words: str = ""
    """The ground, for a participant: `your answer to question 2: any member, by vote`."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a sheet."""

    id: str
    """`core_features-2`."""
    text: str
    grounds: tuple[Ground, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that the agent's own review changed."""

    id: str
    """`review-1`."""
    section: Section
    reason: Literal["coverage", "scope_creep", "must_have", "consistency", "operational_detail"]
    why: str
    before: tuple[Statement, ...]
    """Statements that it took out or reworded; empty where it only added."""
    after: tuple[Statement, ...]
    """Statements that it put in their place; empty where it only took out."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet after the agent's review, with what the review changed."""

    sections: Mapping[str, tuple[Statement, ...]]
    """All nine, in order."""
    changes: tuple[Change, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The sheet as JSON values."""
        return {
            "sections": {name: [asdict(one) for one in self.sections.get(name, ())] for name in SECTIONS},
            "changes": [asdict(one) for one in self.changes],
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote."""
        sections = values.get("sections", {})
        return cls(
            {name: tuple(map(_statement, sections.get(name, ()))) for name in SECTIONS},
            tuple(
                Change(
                    one["id"],
                    one["section"],
                    one["reason"],
                    one["why"],
                    tuple(map(_statement, one["before"])),
                    tuple(map(_statement, one["after"])),
                )
                for one in values.get("changes", ())
            ),
        )

    @property
    def statements(self) -> tuple[Statement, ...]:
        """Every statement, section by section."""
        return tuple(one for name in SECTIONS for one in self.sections.get(name, ()))

    @property
    def characters(self) -> int:
        """Characters of all statements together."""
        return sum(len(one.text) for one in self.statements)

    def texts(self) -> dict[str, str]:
        """The text of each section, one statement a line."""
        return {name: lines_of(self.sections.get(name, ())) for name in SECTIONS}

    def without(self, change: Change) -> Sheet:
        """The sheet as it was before one change of the review."""
        gone = {one.id for one in change.after}
        kept = list(self.sections.get(change.section, ()))
        place = next((at for at, one in enumerate(kept) if one.id in gone), len(kept))
        kept = [one for one in kept if one.id not in gone]
        kept[place:place] = change.before
        return replace(self, sections={**self.sections, change.section: tuple(kept)})

    def without_statements(self, struck: Sequence[str]) -> Sheet:
        """The sheet without some statements."""
        gone = frozenset(struck)
        return replace(
            self,
            sections={
                name: tuple(one for one in self.sections.get(name, ()) if one.id not in gone)
                for name in SECTIONS
            },
        )


def lines_of(statements: Sequence[Statement]) -> str:
    """Statements as a list, one a line."""
    return "\n".join(f"- {one.text}" for one in statements)


def markdown(title: str, sections: Mapping[str, str]) -> str:
    """A sheet's texts as Markdown. The texts are data: lists and emphasis stay, and nothing in them can
    become a heading of the sheet, hide one, be taken for HTML or an image, or act on a terminal."""
    parts = [f"# {_one_line(title)}"]
    for name in SECTIONS:
        text = sections.get(name, "").strip()
        lines = "\n".join(_quiet(line) for line in _LINES.split(text)) if text else "Nothing."
        parts.append(f"## {TITLES[name]}\n\n{lines}")
    return "\n\n".join(parts) + "\n"


_LINES = re.compile(r"\r\n|\r|\n")
_MARKERS = re.compile(r"(?:\s|>|[-*+](?=\s)|\d{1,9}[.)](?=\s))*")
"""What may stand before a block within lists and quotes."""
_BLOCK = re.compile(r"#|```|~~~|[-=*_\s]+$")
"""What begins a heading or a fence, underlines a heading, or is a rule."""
_INLINE = re.compile(r"<(?=[A-Za-z/!?])|!(?=\[)")
"""What begins HTML or an image."""


def _one_line(text: str) -> str:
    return _inert(visible_line(" ".join(text.split())))


def _quiet(line: str) -> str:
    """A line that Markdown would take as a heading, a rule, a fence or HTML, as plain text."""
    line = visible(line)
    markers = _MARKERS.match(line)
    at = markers.end() if markers else 0
    rest = line[at:]
    return line[:at] + ("\\" if rest and _BLOCK.match(rest) else "") + _inert(rest)


def _inert(text: str) -> str:
    return _INLINE.sub(lambda found: "&lt;" if found[0] == "<" else "&#33;", text)


def _statement(values: Mapping[str, Any]) -> Statement:
    grounds = tuple(Ground(one["sort"], one["ref"], one["words"]) for one in values.get("grounds", ()))
    return Statement(values["id"], values["text"], grounds)
