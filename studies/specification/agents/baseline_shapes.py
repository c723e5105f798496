"""What the baseline's model has to answer: a plan, one tool call a round, a reflection after each answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel, StringConstraints

from studies.replies import Tool
from studies.specification.materials import ChecklistQuestion
from studies.specification.sections import LETTERS, SECTIONS

QUERY = "query_user"
SUBMIT_SPEC = "submit_spec"
SUBMIT_PREDICTIONS = "submit_predictions"


def _text(most: int, least: int = 1) -> Any:
    return StringConstraints(strip_whitespace=True, min_length=least, max_length=most)


Letter = Annotated[str, StringConstraints(strip_whitespace=True, to_upper=True, max_length=10)]
Statements = Annotated[list[Annotated[str, _text(600)]], Field(min_length=1, max_length=30)]


class Answer(BaseModel):
    """Anything that a model answers: with the keys that were asked for, and no others."""

    model_config = ConfigDict(extra="forbid")


class Plan(Answer):
    """The plan of an interview, made before it."""

    plan: Annotated[str, _text(6_000), Field(description="what to ask, in which order, and why")]


class Reflection(Answer):
    """What an answer taught."""

    learned: Annotated[str, _text(3_000), Field(description="what the answer says about the person")]
    plan: Annotated[str, _text(3_000), Field(description="how the plan changes, or why it stays")]


class _Query(Answer):
    thought: Annotated[
        str, _text(4_000), Field(description="what is known so far, and why this comes next; never shown")
    ]
    why: Annotated[str, _text(300), Field(description="one short sentence for the person: why you ask")]


_QUESTION = Field(description="one question, which ends in a question mark")


class OwnQuestion(_Query):
    """Task 2: a question of the agent's own."""

    question: Annotated[str, _text(400), _QUESTION]
    option_a: Annotated[str, _text(200)]
    option_b: Annotated[str, _text(200)]
    option_c: Annotated[str, _text(200)]
    option_d: Annotated[str, _text(200)]


class AnyQuestion(_Query):
    """Task 1: a question of the checklist, or one of the agent's own."""

    checklist_id: Annotated[
        str, _text(64, 0), Field(description="id of a checklist question, asked with its own options")
    ] = ""
    question: Annotated[str, _text(400, 0), _QUESTION] = ""
    option_a: Annotated[str, _text(200, 0)] = ""
    option_b: Annotated[str, _text(200, 0)] = ""
    option_c: Annotated[str, _text(200, 0)] = ""
    option_d: Annotated[str, _text(200, 0)] = ""


class _Submission(Answer):
    reason: Annotated[
        str, _text(600, 0), Field(description="where questions are left: why you need none of them")
    ] = ""


class Spec(_Submission):
    """Task 2: the nine sections, each a list of statements."""

    project_overview: Statements
    core_features: Statements
    non_functional_requirements: Statements
    technical_decisions: Statements
    user_experience: Statements
    out_of_scope: Statements
    success_metrics: Statements
    milestones_and_priorities: Statements
    constraints: Statements

    @property
    def sections(self) -> dict[str, list[str]]:
        """The statements, section by section."""
        return {name: getattr(self, name) for name in SECTIONS}


class Predictions(_Submission):
    """Task 1: the letter of the option that the person picks, by question id."""

    answers: dict[str, Letter]


class OwnQuestionCall(Answer):
    """A call of `query_user` in Task 2."""

    tool: Literal["query_user"]
    arguments: OwnQuestion


class AnyQuestionCall(Answer):
    """A call of `query_user` in Task 1."""

    tool: Literal["query_user"]
    arguments: AnyQuestion


class SpecCall(Answer):
    """A call of `submit_spec`."""

    tool: Literal["submit_spec"]
    arguments: Spec


class PredictionsCall(Answer):
    """A call of `submit_predictions`."""

    tool: Literal["submit_predictions"]
    arguments: Predictions


class SheetAct(RootModel[Annotated[OwnQuestionCall | SpecCall, Field(discriminator="tool")]]):
    """Task 2: a question, or the sheet."""


class ChecklistAct(RootModel[Annotated[AnyQuestionCall | PredictionsCall, Field(discriminator="tool")]]):
    """Task 1: a question, or the predictions."""


ToolCall = OwnQuestionCall | AnyQuestionCall | SpecCall | PredictionsCall


def called(answer: BaseModel) -> ToolCall:
    """The call behind an answer, whether there was a choice of tools or one alone."""
    call: ToolCall = answer.root if isinstance(answer, RootModel) else answer  # type: ignore[assignment]
    return call


# -- tools -------------------------------------------------------------------------------------


def own_query() -> Tool:
    """`query_user` of Task 2."""
    about = "Ask the person one question with four options. They pick any of them, or answer in words."
    return Tool(QUERY, about, OwnQuestion.model_json_schema())


def any_query(unasked: Sequence[ChecklistQuestion]) -> Tool:
    """`query_user` of Task 1; only questions that were not asked yet can be taken from the checklist."""
    schema = AnyQuestion.model_json_schema()
    schema["properties"]["checklist_id"]["enum"] = ["", *(one.id for one in unasked)]
    about = (
        "Ask the person one question: one of the checklist by its id, which they answer with one option, or "
        "one of your own with four options, of which they pick any."
    )
    return Tool(QUERY, about, schema)


def submit_spec() -> Tool:
    """`submit_spec`."""
    about = "Hand in the spec sheet: every section as a list of statements. The interview is then over."
    return Tool(SUBMIT_SPEC, about, Spec.model_json_schema())


def submit_predictions(checklist: Sequence[ChecklistQuestion]) -> Tool:
    """`submit_predictions`; its schema names every question and the letters of its options."""
    schema = Predictions.model_json_schema()
    schema["properties"]["answers"] = {
        "type": "object",
        "description": "the letter of the option that the person picks, by question id",
        "properties": {
            one.id: {"type": "string", "enum": list(LETTERS[: len(one.options)])} for one in checklist
        },
        "required": [one.id for one in checklist],
        "additionalProperties": False,
    }
    about = "Hand in the person's answer to every question of the checklist, as you predict it."
    return Tool(SUBMIT_PREDICTIONS, about, schema)
