"""Tidy tables of any study: where each kind makes its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from studies.errors import InputError
from studies.events import Event
from studies.publication import Release
from studies.tables import Filled

if TYPE_CHECKING:
    from studies.study import Study

Streams = Mapping[str, Release]
"""Participations by stream id, as their consent lets them out."""
Naming = Callable[[str], str]
"""What a person, by random id, is called."""


@dataclass(frozen=True, slots=True)
class Tidied:
    """A study version as tables."""

    tables: tuple[Filled, ...]
    """In the order an export lists them."""
    withheld: Mapping[str, int]
    """Participations whose answers are not in the tables, by reason."""
    declares: Mapping[str, Any] = field(default_factory=dict)
    """What the manifest of every export of the kind says beside the rest."""
    records: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """Clarification: the lines of the benchmark's own files, by name."""


def _annotation(study: Study, streams: Streams, desk: Sequence[Event], name: Naming) -> Tidied:
    from studies.annotation.tidy import tidy

    made = tidy(study, streams, desk, name)
    return Tidied(made.tables(), {str(reason): n for reason, n in made.withheld.items()})


def _roleplay(study: Study, streams: Streams, desk: Sequence[Event], name: Naming) -> Tidied:
    from studies.roleplay.tidy import tidy

    made = tidy(study, streams, desk, name)
    declares = {
        "unsafe": study.settings.roleplay.unsafe,
        "isolation": sorted({one.isolation for one in made.verdicts if one.isolation}),
    }
    return Tidied(made.tables(), {str(reason): n for reason, n in made.withheld.items()}, declares)


def _clarification(study: Study, streams: Streams, desk: Sequence[Event], name: Naming) -> Tidied:
    from studies.clarification.tidy import tidy

    made = tidy(study, streams, desk, name)
    declares: dict[str, Any] = {"seat": study.settings.clarification.seat}
    if study.runs_code:
        declares["unsafe"] = study.settings.unsafe
        declares["isolation"] = sorted({one.isolation for one in made.verdicts if one.isolation})
    return Tidied(
        made.tables(), {str(reason): n for reason, n in made.withheld.items()}, declares, made.records
    )


def _specification(study: Study, streams: Streams, desk: Sequence[Event], name: Naming) -> Tidied:
    from studies.specification.tidy import tidy

    made = tidy(study, streams, desk, name)
    return Tidied(made.filled, {str(reason): n for reason, n in made.withheld.items()})


_KINDS: Mapping[str, Callable[[Study, Streams, Sequence[Event], Naming], Tidied]] = {
    "annotation": _annotation,
    "roleplay": _roleplay,
    "clarification": _clarification,
    "specification": _specification,
}


def tidied(study: Study, streams: Streams, desk: Sequence[Event], name: Naming) -> Tidied:
    """The tables of a study of any kind.

    Args:
        study: the version.
        streams: its participations, as their consent lets them out.
        desk: desk events; those of other studies are passed over.
        name: what a person, by random id, is called.

    Raises:
        InputError: this version of capa-tui has no such kind.
    """
    make = _KINDS.get(study.settings.kind)
    if make is None:
        raise InputError(
            f"a study of the kind {study.settings.kind!r} has no tables; known: {', '.join(_KINDS)}"
        )
    return make(study, streams, desk, name)
