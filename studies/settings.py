"""The models of study.toml and analysis.toml: what a researcher may set, and what it means."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, field_validator, model_validator

from studies.clarification.settings import ClarificationSettings
from studies.setting_types import (
    LANGUAGE,
    Code,
    JudgedSettings,
    LiveSettings,
    Question,
    Settings,
    Slug,
    Text,
    refuse_repeats,
)
from studies.specification.settings import SpecificationSettings

Kind = Literal["annotation", "roleplay", "clarification", "specification"]


class ConsentItem(Settings):
    """One thing a participant agrees to, or refuses."""

    id: Slug
    """Names the answer in the data."""
    text: Text
    """The sentence beside the box."""
    required: bool = True
    """False: the participant may refuse it and still take part."""
    covers: Literal["participation", "processors", "publication", "donor"] = "participation"
    """What refusing it does: `publication` leaves this person's words and answers out of every export."""


class Participants(Settings):
    """Who may take part."""

    codes: tuple[Code, ...] = ()
    """Participant codes; where any are listed, unknown codes are refused."""

    @field_validator("codes")
    @classmethod
    def _distinct(cls, codes: tuple[str, ...]) -> tuple[str, ...]:
        refuse_repeats("participant code", [one.casefold() for one in codes])
        return codes


class Design(Settings):
    """Which items each participant gets."""

    kind: Literal["everything", "cyclic", "crossed", "balanced"] = "everything"
    """`everything`: every participant gets every item and slots are made as people come. `crossed`: the
    same with a planned number of participants. `cyclic`: items lie on a circle and each participant gets
    consecutive ones; participants x items_each = items x raters. `balanced`: the same counts, the items
    mixed at random between participants, evenly within strata."""
    participants: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """Planned number of participants: one slot each."""
    items_each: Annotated[int, Field(ge=1)] | None = None
    """Items a participant annotates, without repeats and checks."""
    raters: Annotated[int, Field(ge=1)] | None = None
    """Participants who annotate each item."""
    block: Annotated[int, Field(ge=1)] | None = None
    """Items between two rests."""
    strata: tuple[str, ...] = ()
    """Item columns (`gold`, `source`, or any other) over which the order is spread evenly."""
    unequal: bool = False
    """Keep all items, with floor and ceiling numbers of raters, where the counts do not divide."""
    repeats: Annotated[int, Field(ge=0)] = 0
    """Items each participant annotates a second time, at least ten items later."""
    checks: Annotated[int, Field(ge=0)] = 0
    """Attention checks each participant gets, at most one in twenty items."""

    @model_validator(mode="after")
    def _whole(self) -> Design:
        needed = {"cyclic": ("participants", "items_each", "raters"), "crossed": ("participants",)}
        needed["balanced"] = needed["cyclic"]
        missing = [name for name in needed.get(self.kind, ()) if getattr(self, name) is None]
        if missing:
            raise ValueError(f"a {self.kind} design also needs {', '.join(missing)}")
        return self


class AnnotationSettings(Settings):
    """What an annotator is asked about each item."""

    escapes: bool = True
    """Offer `not ambiguous` and `other`. Only a study without them is compared with CAPA's 0.66."""
    additional: bool = True
    """Ask for additional mechanisms beside the dominant one."""
    confidence: bool = True
    """Ask how sure the annotator is, 1 to 5."""
    note: bool = True
    """Offer a note. (With `other` a reason is asked for in any case.)"""
    flag: bool = True
    """Offer a flag for the researcher."""
    tie_break: bool = True
    """Show the codebook's rule for ties. CAPA's paper states none, so its preset switches this off."""
    rest_minutes: Annotated[int, Field(ge=1)] = 10
    """After this many minutes of work in one go a rest is suggested."""


class Training(Settings):
    """How practice goes."""

    rounds: Annotated[int, Field(ge=1)] = 1
    """Rounds of practice a participant may have; a further one only where the pass mark was missed."""
    pass_mark: Annotated[float, Field(ge=0, le=1)] | None = None
    """Share of practice items to get right; none by default."""
    exclude: bool = False
    """True: missing the pass mark in the last round ends the participation (excluded)."""


class Resume(Settings):
    """What happens when a participant comes back."""

    max_days: Annotated[float, Field(gt=0)] | None = None
    """Longest absence in days; none by default."""
    after: Literal["continue", "block"] = "continue"
    """After a longer one: `continue` with the instructions shown again, or `block`."""


class AssistantSettings(Settings):
    """One live assistant of a study. What belongs to a machine (api base, key, limits) is not here."""

    name: Slug
    """What the study calls it; participants see a letter instead."""
    model: Text
    """As litellm names it; `rehearsal` for the scripted one, `local` for the small model of the extra."""
    parameters: dict[str, JsonValue] = {}
    """Sent with every call as they are: temperature, max_tokens, top_p, seed, ..."""
    prompt: str = ""
    """File in prompts/ with the system prompt; the product's own without one."""


class RoleplaySettings(JudgedSettings):
    """How sessions with live assistants go (CAPA, Benchmark Task and Experimental Setup)."""

    turns: Annotated[int, Field(ge=1, le=50)] = 8
    """Assistant turns a session may have."""
    history: Annotated[int, Field(ge=0)] = 5
    """Resolved sessions that make up a participant's history."""
    history_tasks: Annotated[int, Field(ge=0)] | None = None
    """History sessions a participant may try, reserve tasks included; all that the cell has by default."""
    held_out: Annotated[int, Field(ge=1)] = 4
    """Held-out sessions a participant has; a multiple of the number of conditions."""
    cells: Annotated[int, Field(ge=1)] = 1
    """Cells (profile and mechanism pair) a participant has."""
    conditions: Annotated[
        tuple[Literal["none", "same-user", "shuffled", "gated"], ...], Field(min_length=1)
    ] = (
        "none",
        "same-user",
    )
    """History conditions, rotated over held-out tasks and participants."""
    feedback: Literal["stop_only", "passed_or_not", "failing_case", "participant_decides"] = "stop_only"
    """What the participant learns of a verdict."""
    opening: Literal["fixed", "free"] = "fixed"
    """`fixed`: the task's own opening request is sent. `free`: the participant writes it."""
    gate: str = ""
    """Name of the assistant that serves as the gate of the `gated` condition."""
    second_opinion: str = ""
    """Name of the assistant that gives a second opinion on each submission, beside the executed verdict."""
    gated_keeps_history: bool = True
    """Whether `gated` keeps the raw history in context beside what the gate says."""
    rename_entry_point: bool = False
    """Replace well-known function names in interface, reference and tests."""


class StudySettings(Settings):
    """study.toml: what the study is, who takes part, and what they are asked."""

    title: Text
    """What participants and figures call the study."""
    kind: Kind
    """What participants do."""
    name: Slug
    """What the command line calls the study."""
    seed: Annotated[int, Field(ge=0)]
    """Everything drawn by chance follows from it, with the slot and the purpose."""
    language: Annotated[str, Field(pattern=LANGUAGE)] = "en"
    """Language of the texts."""
    contact: str = ""
    """Whom a participant can ask; shown in help, on errors and at the end."""
    show_completion_code: bool = True
    """Show a code at the end that proves completion."""
    consent: tuple[ConsentItem, ...]
    """The boxes of the consent form; one must be required and cover participation."""
    participants: Participants = Participants()
    """Who may take part."""
    design: Design = Design()
    """Who annotates which items."""
    annotation: AnnotationSettings = AnnotationSettings()
    """What is asked about each item."""
    roleplay: RoleplaySettings = RoleplaySettings()
    """How sessions with live assistants go."""
    clarification: ClarificationSettings = ClarificationSettings()
    """Who asks, who answers and who judges, and by which rules."""
    specification: SpecificationSettings = SpecificationSettings()
    """How intents become spec sheets."""
    assistants: tuple[AssistantSettings, ...] = ()
    """The live assistants."""
    training: Training = Training()
    """How practice goes."""
    resume: Resume = Resume()
    """What happens after an absence."""
    questionnaire: tuple[Question, ...] = ()
    """Closing questions, shown eight at a time."""

    @property
    def live(self) -> LiveSettings | None:
        """The table of the kind, where it has live assistants."""
        found = getattr(self, self.kind)
        return found if isinstance(found, LiveSettings) else None

    @property
    def runs_code(self) -> bool:
        """Whether the kind runs a model's code."""
        return isinstance(self.live, JudgedSettings)

    @property
    def unsafe(self) -> bool:
        """Whether code may run without isolation."""
        return isinstance(self.live, JudgedSettings) and self.live.unsafe

    @field_validator("consent")
    @classmethod
    def _consentable(cls, consent: tuple[ConsentItem, ...]) -> tuple[ConsentItem, ...]:
        refuse_repeats("consent item", [one.id for one in consent])
        if not any(one.required and one.covers == "participation" for one in consent):
            raise ValueError("consent needs one required item that covers participation")
        return consent

    @field_validator("questionnaire")
    @classmethod
    def _askable(cls, questionnaire: tuple[Question, ...]) -> tuple[Question, ...]:
        refuse_repeats("question", [one.id for one in questionnaire])
        return questionnaire


class Exclusions(Settings):
    """Rules declared before the freeze; never agreement or gold on main items."""

    training_below: Annotated[float, Field(ge=0, le=1)] | None = None
    """Share of practice items right in the last round."""
    checks_failed: Annotated[int, Field(ge=1)] | None = None
    """Attention checks failed, this many or more."""
    median_ms_below: Annotated[int, Field(ge=1)] | None = None
    """Median active time an item, or the person's own time a session, in milliseconds."""


class AnalysisSettings(Settings):
    """analysis.toml: the plan, written before the first participant."""

    primary_outcome: str = "fleiss_kappa"
    """The figure on which the study is planned; in a role-play study `es`, `ft_es` or `ttc`; in a
    specification study `accuracy`, `accuracy_not_asked`, `queries`, or one of the five scores, such as
    `coverage`."""
    contrast: str = ""
    """What is compared with what: two conditions or assistants (in a specification study two agents or
    budgets), the first less the second, as in `same-user minus none`; a semicolon separates several. Empty in
    a study of agreement."""
    planned_n: Annotated[int, Field(ge=1)] | None = None
    """Completed participations; the number of slots where the design has them."""
    stopping_rule: str = ""
    """When data collection ends."""
    include: Literal["completed", "completed_blocks"] = "completed"
    """`completed_blocks` also counts the finished blocks of unfinished participations: a sensitivity run."""
    exclusions: Exclusions = Exclusions()
    """Whose data are left out."""
    sensitivity: tuple[str, ...] = ()
    """Further analyses that are planned."""
    multiplicity: str = "holm"
    """How several tests are corrected."""
    idle_seconds: Annotated[int, Field(ge=1)] = 120
    """A gap in activity longer than this counts as idle."""
    bootstrap: Annotated[int, Field(ge=100)] = 10_000
    """Resamples of the item bootstrap."""
    known_deviations: tuple[str, ...] = ()
    """Differences from a published design, printed with every figure."""
