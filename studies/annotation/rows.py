"""The tidy tables of an annotation study. Raw, adjudicated and aggregated labels are apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from studies.rows import Participant
from studies.tables import Messages, Table, Time

Item = Annotated[str, "Id of the item."]
Dominant = Annotated[str, "The dominant label: DCP, SLM, CCM, HCO, SBM, ICU, NONE (not ambiguous) or OTHER."]


@dataclass(frozen=True, slots=True)
class AnnotationRow:
    """One submitted annotation; every revision of every rater is a row."""

    item: Item
    participant: Participant
    pass_: Annotated[int, "Which annotation of the item by this person it is, from 1."]
    revision: Annotated[int, "From 1; a later one replaces the ones before it, which stay."]
    latest: Annotated[bool, "Whether this is the last revision within its pass."]
    dominant: Dominant
    additional: Annotated[tuple[str, ...], "Additional mechanisms; an empty list is the explicit none."]
    confidence: Annotated[int | None, "1 (not sure at all) to 5; null where the study does not ask."]
    note: Annotated[str, "The annotator's note; empty where there is none."]
    flag: Annotated[bool, "Flagged for the researcher."]
    active_ms: Annotated[
        int | None,
        "Milliseconds on this revision, less gaps without a key press, click or scroll longer than the "
        "study's idle_seconds; null where no activity was captured.",
    ]
    shown_at: Annotated[Time | None, "When this revision first came up."]
    submitted_at: Annotated[Time, "When it was stored."]
    role: Annotated[
        str, "main (to be counted), repeat (for agreement with oneself) or check (an attention check)."
    ]
    block: Annotated[int, "Block of the participant's order, from 1."]
    position: Annotated[int | None, "Place in the participant's order, from 1, repeats and checks included."]
    elapsed_ms: Annotated[int, "Milliseconds since the step was last shown, idle time included."]


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """One answer to a practice item. Practice never enters a figure."""

    item: Item
    participant: Participant
    attempt: Annotated[int, "Round of practice, from 1."]
    revision: Annotated[int, "From 1."]
    dominant: Annotated[str | None, "The dominant label chosen."]
    additional: Annotated[tuple[str, ...], "Additional mechanisms chosen."]
    confidence: Annotated[int | None, "1 to 5."]
    note: Annotated[str, "The annotator's note."]
    flag: Annotated[bool, "Flagged for the researcher."]
    correct: Annotated[bool, "Whether the dominant label is the one the material gives."]
    answered_at: Annotated[Time, "When it was stored."]


@dataclass(frozen=True, slots=True)
class MaterialRow:
    """One thing that was shown."""

    item: Item
    set: Annotated[str, "main, training or check."]
    request: Annotated[str, "The request as it was shown."]
    context: Annotated[Messages, "The dialogue before it: role and text of each message."]
    gold: Annotated[str | None, "The intended dominant label, never shown on main items."]
    gold_additional: Annotated[tuple[str, ...], "The intended additional mechanisms."]
    source: Annotated[str, "Where the request comes from."]
    feedback: Annotated[str | None, "What was shown after a practice item."]
    columns: Annotated[Mapping[str, Any], "Further columns of the study's own material."]


@dataclass(frozen=True, slots=True)
class AdjudicatedRow:
    """One final label by one adjudicator. Adjudicated labels never enter kappa."""

    item: Item
    adjudicator: Annotated[str, "Who decided, as they named themselves."]
    dominant: Dominant
    additional: Annotated[tuple[str, ...], "Additional mechanisms."]
    reason: Annotated[str, "Why."]
    mode: Annotated[str, "independent, or consensus (a rater of the item may have decided)."]
    sampled_agreement: Annotated[bool, "The raters agreed; the item was drawn for checking."]
    labels: Annotated[tuple[str, ...], "The labels the adjudicator saw, in that random order."]
    latest: Annotated[bool, "Whether this is the adjudicator's last decision on the item."]
    decided_at: Annotated[Time, "When it was stored."]


@dataclass(frozen=True, slots=True)
class AggregatedRow:
    """The votes on one item: last revision of the first pass, in completed participations, no pilots."""

    item: Item
    raters: Annotated[int, "Annotations counted."]
    counts: Annotated[Mapping[str, int], "Dominant labels and how many raters gave each."]
    dominant: Annotated[str | None, "The label with most votes; null on a tie or without votes."]
    share: Annotated[float | None, "Its votes divided by raters."]
    undefined_reason: Annotated[str | None, "Why dominant is null."]
    additional: Annotated[Mapping[str, int], "Additional mechanisms and how many raters gave each."]


_KEYS = ("item", "participant", "pass", "revision")
_LABELS = (
    *_KEYS,
    "latest",
    "dominant",
    "additional",
    "confidence",
    "note",
    "flag",
    "active_ms",
    "shown_at",
    "submitted_at",
)
"""The contract's keys of annotations.jsonl, and no others."""

ANNOTATIONS = Table(
    "annotations",
    AnnotationRow,
    "One line a revision of an annotation: the raw labels. The first pass of an item counts; a second one is "
    "a repeat, for agreement with oneself.",
    _LABELS,
)
CHECKS = Table(
    "checks",
    AnnotationRow,
    "One line a revision of an answer to an attention check, which never counts. The label that the check "
    "asks for is its gold in materials.",
    _LABELS,
)
PASSES = Table(
    "passes",
    AnnotationRow,
    "One line a revision of an annotation or an answer to a check: its place in the participant's order.",
    (*_KEYS, "role", "block", "position", "elapsed_ms"),
)
TRAINING = Table("training", TrainingRow, "One line an answer to a practice item.")
MATERIALS = Table("materials", MaterialRow, "One line an item, practice item or attention check.")
ADJUDICATED = Table("adjudicated", AdjudicatedRow, "One line a decision of an adjudicator.")
AGGREGATED = Table(
    "aggregated", AggregatedRow, "One line a main item: the votes, before any declared exclusion."
)
