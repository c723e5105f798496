"""The table `specification` of study.toml: the agents, their budgets, and whose preferences count."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from studies.setting_types import LiveSettings, Settings, Slug


class AgentSettings(Settings):
    """One agent that turns a proposal into predictions or a spec sheet."""

    name: Slug
    """What the study calls it; participants see a letter instead."""
    design: Literal["buddy", "baseline"]
    """`buddy`: morphological chart, simulated users, interview, synthesis, review. `baseline`: a plan, then
    an interview by tool calls."""
    assistant: Slug
    """Name of the assistant that makes its calls."""


class SpecificationSettings(LiveSettings):
    """How intents become spec sheets (SpecBench and Buddy)."""

    agents: tuple[AgentSettings, ...] = ()
    """The agents, rotated over projects and participants."""
    budgets: Annotated[tuple[Annotated[int, Field(ge=0, le=50)], ...], Field(min_length=1)] = (5,)
    """Rounds an interview may have (T), rotated with the agents."""
    checkpoints: tuple[Annotated[int, Field(ge=0, le=50)], ...] = ()
    """Task 1: silent predictions are made after these many rounds of one interview. A deviation."""
    task: Literal["checklist", "sheet", "mixed"] = "mixed"
    """`checklist`: Task 1, predict the person's answers. `sheet`: Task 2, write a spec sheet. `mixed`: both,
    alternating over the projects that have a checklist."""
    projects_each: Annotated[int, Field(ge=1)] | None = None
    """Projects a participant has; all by default."""
    ground_truth: Literal["before", "after", "split"] = "before"
    """When the person's own answers are taken down: before the interview, after it, or either by chance."""
    identity: Literal["self", "persona"] = "self"
    """Whose preferences: the participant's own, or those of a persona they study first."""
    second_agent: bool = False
    """A second agent interviews the same person on the same project; marked, and counterbalanced."""
    retest: Annotated[float, Field(ge=0, le=0.5)] = 0.15
    """Share of the ground truth that is asked again at the end."""
    dropout: Annotated[float, Field(ge=0, le=1)] = 0.2
    """Share of the user profile that the second simulated user does not get."""
    understanding_tries: Annotated[int, Field(ge=1, le=10)] = 3
    """Times the comprehension check of a persona may be taken; after the last the participation ends."""
    show_chart: bool = True
    """Whether participants may look at the chart and the simulated users' votes during the interview."""
    judges: tuple[Slug, ...] = ()
    """Names of the assistants that rate frozen sheets in the participant's place."""
