"""Adjudication: which items an adjudicator decides, what they see of the raters, and what they decided.

An adjudicator sees the labels that were given, each once and in random order: no names, no counts, no
confidence, no gold. The items are those whose raters disagree on the dominant label and, for checking, a
seeded tenth of those on which they agree. Adjudicated labels never enter kappa; two adjudicators give
their own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Literal

from studies.annotation.payloads import AnnotationSubmitted
from studies.annotation.rows import AdjudicatedRow, AnnotationRow
from studies.annotation.tidy import adjudicated_rows
from studies.chance import Chance
from studies.desk import AnnotationAdjudicated
from studies.errors import InputError
from studies.events import Event
from studies.payloads import ParticipationOpened
from studies.ports import ParticipationRecord
from studies.rows import pseudonym
from studies.study import Study
from studies.taxonomy import ESCAPES, MECHANISMS

if TYPE_CHECKING:
    from studies.agreement.ratings import Rating

Mode = Literal["independent", "consensus"]

SAMPLED = 0.1
"""Share of the agreed items that is adjudicated as well."""


@dataclass(frozen=True, slots=True)
class Adjudicator:
    """Who decides, and what they may not decide alone."""

    name: str
    """As it is stored: a participant's pseudonym, or what the person called themselves."""
    own: frozenset[str] = frozenset()
    """Items they annotated as a participant."""


@dataclass(frozen=True, slots=True)
class Case:
    """One item to decide, as its adjudicator sees it."""

    item: str
    labels: tuple[str, ...]
    """The dominant labels that were given, each once, in random order."""
    additional: tuple[str, ...]
    """The additional ones, likewise."""
    agreed: bool
    """The raters gave one dominant label; the item was drawn for checking."""
    decided: AdjudicatedRow | None = None
    """What this adjudicator decided last."""


def adjudicator(
    code: str, records: Iterable[ParticipationRecord], streams: Mapping[str, Sequence[Event]]
) -> Adjudicator:
    """Who a code stands for. A participant's code is never stored, but their pseudonym.

    Raises:
        InputError: the code is blank.
    """
    name = code.strip()
    if not name:
        raise InputError("the adjudicator's code is blank; expected a name or code")
    key = _letters(name)
    people = {one.participant for one in records if one.code is not None and _letters(one.code) == key}
    if not people:
        return Adjudicator(name)
    own = {
        one.payload.item
        for events in streams.values()
        if any(
            isinstance(one.payload, ParticipationOpened) and one.payload.participant in people
            for one in events
        )
        for one in events
        if isinstance(one.payload, AnnotationSubmitted)
    }
    return Adjudicator(pseudonym(min(people)), frozenset(own))


def _letters(code: str) -> str:
    """A code without what is easily left out: case, hyphens, spaces."""
    return "".join(one for one in code.casefold() if one.isalnum()) or code.casefold()


def queue(
    study: Study,
    counted: Iterable[AnnotationRow],
    desk: Sequence[Event],
    who: Adjudicator,
    mode: Mode = "independent",
) -> tuple[Case, ...]:
    """The items one adjudicator decides, in an order of their own; those already decided stay in it.

    Args:
        study: the version.
        counted: the annotations that count.
        desk: desk events; those of other studies are passed over.
        who: the adjudicator.
        mode: `consensus` also gives them the items they annotated themselves.
    """
    given: dict[str, list[AnnotationRow]] = {}
    for row in counted:
        given.setdefault(row.item, []).append(row)
    rated = {item: rows for item, rows in given.items() if len(rows) > 1}
    agreed = {item for item, rows in rated.items() if len({row.dominant for row in rows}) == 1}
    mine = {
        row.item: row
        for row in adjudicated_rows(desk, study.sha256)
        if row.latest and row.adjudicator == who.name
    }
    asked = (rated.keys() - agreed) | sample(study, agreed) | (mine.keys() & given.keys())
    if mode == "independent":
        asked -= who.own - mine.keys()
    ordered = sorted(asked, key=lambda item: _rank(study, f"queue|{who.name}|{item}"))
    return tuple(_case(study, item, given[item], item in agreed, who, mine.get(item)) for item in ordered)


def sample(study: Study, agreed: Collection[str]) -> set[str]:
    """The tenth of the agreed items that is adjudicated too: those that come first by a seeded hash."""
    ordered = sorted(agreed, key=lambda item: _rank(study, f"agreed|{item}"))
    return set(ordered[: ceil(SAMPLED * len(ordered))])


def labels_of(study: Study) -> tuple[str, ...]:
    """The labels a study offers."""
    return MECHANISMS + (ESCAPES if study.settings.annotation.escapes else ())


def decide(
    study: Study,
    case: Case,
    who: Adjudicator,
    mode: Mode,
    *,
    dominant: str | None,
    additional: Collection[str],
    reason: str,
) -> AnnotationAdjudicated:
    """The decision as it will be stored.

    Raises:
        InputError: no dominant label the study offers, additional labels that do not go with it, or no
            reason.
    """
    if dominant not in labels_of(study):
        raise InputError(f"the final label is {dominant!r}; expected one of {', '.join(labels_of(study))}")
    wrong = [one for one in additional if one not in MECHANISMS or one == dominant]
    if wrong or (additional and dominant in ESCAPES):
        raise InputError(f"{', '.join(wrong or additional)} cannot be additional to {dominant}")
    if not reason.strip():
        raise InputError("the reason is blank; expected a sentence on why this label")
    return AnnotationAdjudicated(
        study=study.sha256,
        item=case.item,
        adjudicator=who.name,
        dominant=dominant,
        additional=tuple(one for one in MECHANISMS if one in additional),
        reason=reason.strip(),
        labels=case.labels,
        sampled_agreement=case.agreed,
        mode=mode,
    )


def adjudicator_ratings(desk: Sequence[Event], study: str) -> list[Rating]:
    """The last independent decision of each adjudicator on each item, as ratings of their own."""
    from studies.agreement.ratings import Rating

    return [
        Rating(row.item, row.adjudicator, row.dominant, row.additional)
        for row in adjudicated_rows(desk, study)
        if row.latest and row.mode == "independent"
    ]


def _case(
    study: Study,
    item: str,
    rows: Sequence[AnnotationRow],
    agreed: bool,
    who: Adjudicator,
    decided: AdjudicatedRow | None,
) -> Case:
    chance = Chance(study.settings.seed, 0, f"adjudication|{study.sha256}|{item}|{who.name}")
    labels = chance.shuffled(sorted({row.dominant for row in rows}))
    additional = chance.shuffled(sorted({one for row in rows for one in row.additional}))
    return Case(item, tuple(labels), tuple(additional), agreed, decided)


def _rank(study: Study, purpose: str) -> bytes:
    return hashlib.sha256(f"{study.settings.seed}|{study.sha256}|{purpose}".encode()).digest()
