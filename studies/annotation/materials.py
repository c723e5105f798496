"""The models of items.jsonl, training.jsonl, checks.jsonl and codebook.toml."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from studies.setting_types import Identifier, Settings, Text
from studies.taxonomy import ESCAPES

Mechanism = Literal["DCP", "SLM", "CCM", "HCO", "SBM", "ICU"]
Label = Literal["DCP", "SLM", "CCM", "HCO", "SBM", "ICU", "NONE", "OTHER"]


class ContextMessage(Settings):
    """One message of the dialogue before the request."""

    role: Literal["user", "assistant"]
    """Who said it."""
    text: Text
    """What was said."""


class Item(BaseModel):
    """One line of items.jsonl: something to annotate. Further keys are kept as columns of the item."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: Identifier
    """Names the item in the data; unique over items, practice and checks."""
    request: Text
    """The request to annotate."""
    context: tuple[ContextMessage, ...] = ()
    """The dialogue before the request, oldest message first."""
    gold: Label | None = None
    """The intended dominant mechanism; never shown to a participant."""
    gold_additional: tuple[Mechanism, ...] = ()
    """The intended additional mechanisms; never shown to a participant."""
    source: str = ""
    """Where the request comes from."""


def gold_conflict(gold: str | None, additional: Collection[str]) -> tuple[str, str] | None:
    """What is wrong with an item's gold labels and what would be right, or None."""
    if not additional or (gold not in (None, *ESCAPES) and gold not in additional):
        return None
    found = f"{', '.join(additional)} beside {gold or 'no'} as gold"
    return found, "a gold mechanism, and additional ones other than it"


class TrainingItem(Settings):
    """One line of training.jsonl: practice with the right answer and feedback."""

    id: Identifier
    """Names the practice item in the data."""
    request: Text
    """The request to practise on."""
    context: tuple[ContextMessage, ...] = ()
    """The dialogue before the request, oldest message first."""
    dominant: Label
    """The right dominant label."""
    additional: tuple[Mechanism, ...] = ()
    """The right additional mechanisms."""
    feedback: Text
    """Why this answer is the right one; shown after the participant's own."""

    @model_validator(mode="after")
    def _consistent(self) -> TrainingItem:
        if self.dominant in self.additional:
            raise ValueError("additional holds the dominant mechanism")
        if self.dominant in ("NONE", "OTHER") and self.additional:
            raise ValueError(f"{self.dominant} excludes additional mechanisms")
        return self


class CheckItem(Settings):
    """One line of checks.jsonl: an attention check, whose text says plainly what to choose."""

    id: Identifier
    """Names the check in the data."""
    request: Text
    """The text, which looks like a request and says what to choose."""
    dominant: Label
    """The label that it says to choose; any other fails the check."""


class CodebookEntry(Settings):
    """One mechanism or escape code of codebook.toml."""

    label: Label
    """The value in the data."""
    name: Text
    """The field's term."""
    short: Annotated[str, Field(min_length=1, max_length=28)]
    """What the button says."""
    definition: Text
    """What it is."""
    choose_when: Text
    """When to choose it."""
    not_when: Text
    """When not, and what to choose then."""
    test: str = ""
    """The question that decides between this entry and its neighbour."""
    examples: tuple[Text, ...] = ()
    """Requests that show it; a request of the study among them is refused."""
    near_miss: str = ""
    """A request that seems to show it and does not, and why."""
    neighbour: Label | None = None
    """The entry it is most easily taken for."""


class Codebook(Settings):
    """codebook.toml: the six mechanisms and the two escape codes."""

    version: Text
    """Printed with the figures."""
    gate: Text
    """When a request is ambiguous at all."""
    dominant_rule: Text
    """Which mechanism of several is the dominant one."""
    tie_break: Text
    """Shown only where the study's setting `annotation.tie_break` is on."""
    entries: Annotated[tuple[CodebookEntry, ...], Field(min_length=8, max_length=8)]
    """One for each label."""

    @model_validator(mode="after")
    def _each_once(self) -> Codebook:
        labels = [entry.label for entry in self.entries]
        if len(set(labels)) != len(labels):
            raise ValueError("each of the eight labels needs one entry")
        return self

    def entry(self, label: str) -> CodebookEntry:
        """The entry of that label.

        Raises:
            KeyError: there is none.
        """
        for one in self.entries:
            if one.label == label:
                return one
        raise KeyError(label)
