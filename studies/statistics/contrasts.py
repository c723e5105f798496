"""Contrasts: each participant's mean under one thing less their mean under another, of any study kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypeVar

from studies.statistics.intervals import FEW, FEW_PARTICIPANTS, Interval, interval_json, mean_interval
from studies.statistics.paired import SignFlip, holm, sign_flip

Family = Literal["primary", "secondary", "exploratory"]
"""primary: a planned contrast on the primary outcome. secondary: a planned contrast on another outcome.
exploratory: no contrast of the plan. Each family is corrected by itself."""
FAMILIES: tuple[Family, ...] = ("primary", "secondary", "exploratory")
METHOD = "two-sided sign-flip over participants' mean differences"


@dataclass(frozen=True, slots=True)
class Contrast:
    """`a` minus `b` on one outcome."""

    by: str
    """What `a` and `b` are: conditions, assistants, agents, ..."""
    a: str
    b: str
    outcome: str
    family: Family
    participants: int
    """With sessions that count on both sides."""
    left_out: int
    """With such sessions on one side only, or on both without being comparable."""
    difference: float | None
    """Mean over participants of their mean under a less their mean under b."""
    ci: Interval
    test: SignFlip
    p_corrected: float | None = None
    correction: str = ""
    flags: tuple[str, ...] = ()
    """What the contrast must be read with."""

    @property
    def planned(self) -> bool:
        """Whether the analysis plan names the contrast."""
        return self.family != "exploratory"

    def to_json(self) -> dict[str, Any]:
        """The contrast as JSON values; an interval without ends is null beside its reason."""
        return {
            "by": self.by,
            "a": self.a,
            "b": self.b,
            "outcome": self.outcome,
            "planned": self.planned,
            "family": self.family,
            "participants": self.participants,
            "left_out": self.left_out,
            "difference": self.difference,
            "ci": interval_json(self.ci),
            "p": self.test.p,
            "method": METHOD,
            "exact": self.test.exact,
            "draws": self.test.draws,
            "p_corrected": self.p_corrected,
            "correction": self.correction,
            "flags": list(self.flags),
            "undefined_reason": self.test.undefined_reason or self.ci.undefined_reason,
        }


C = TypeVar("C", bound=Contrast)


def paired(
    made: type[C],
    sides: tuple[str, str, str],
    outcome: str,
    family: Family,
    differences: Sequence[Fraction],
    *,
    left_out: int,
    widest: float,
    seed: int,
    noted: Sequence[str] = (),
    **more: Any,
) -> C:
    """A contrast from each participant's difference.

    Args:
        made: the class of the contrast.
        sides: what they are, a and b.
        outcome: what was measured.
        family: of the contrast.
        differences: a's mean less b's, one a participant.
        left_out: participants without a difference.
        widest: the greatest difference that there can be.
        seed: of the draws where not all signs can be tried.
        noted: what every figure of the study must be read with.
        more: fields of the class beside those of `Contrast`.
    """
    few = [FEW_PARTICIPANTS] if 0 < len(differences) < FEW else []
    by, a, b = sides
    return made(
        by=by,
        a=a,
        b=b,
        outcome=outcome,
        family=family,
        participants=len(differences),
        left_out=left_out,
        difference=float(sum(differences, Fraction(0)) / len(differences)) if differences else None,
        ci=mean_interval(differences, -widest, widest),
        test=sign_flip(differences, seed),
        flags=(*noted, *few),
        **more,
    )


def corrected(found: Sequence[C], how: str) -> tuple[C, ...]:
    """The contrasts with p corrected within each family: by Holm, unless the plan says `none`."""
    plain = how.strip().casefold() == "none"
    result: list[C] = []
    for family in FAMILIES:
        own = [one for one in found if one.family == family]
        raw = [one.test.p for one in own]
        words = "none" if plain else f"Holm over {sum(1 for one in raw if one is not None)} {family} tests"
        result += (
            replace(one, p_corrected=p, correction=words)
            for one, p in zip(own, raw if plain else holm(raw), strict=True)
        )
    return tuple(result)
