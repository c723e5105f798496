"""The table `clarification` of study.toml: who sits where, and the protocol."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from studies.setting_types import JudgedSettings, Settings, Slug, Text

PERSON = "person"
"""What `judge.by` says where whoever answers also judges."""

NOT_RELEVANT = "This question is not relevant to the current task."
ALREADY_ANSWERED = "This question has already been answered."


class Replies(Settings):
    """What the protocol says to whoever asks. The first two texts are ClarifyCodeBench's own."""

    not_relevant: Text = NOT_RELEVANT
    """To a question that hits no key question."""
    already_answered: Text = ALREADY_ANSWERED
    """To a question that hits a key question once more."""
    then: Text = "Now ask one more question, or give the final code."
    """On a line of its own after every reply to a model."""
    one_question: Text = "Please ask one question at a time. Which one do you want to ask first?"
    """To several questions at once, where the rule sends them back."""


class JudgeSettings(Settings):
    """Who decides whether an asked question and a key question are about the same gap."""

    by: Slug = PERSON
    """`person`: whoever answers decides. Otherwise the name of one of the assistants, asked yes or no about
    each pair."""
    samples: Annotated[int, Field(ge=1, le=15)] = 3
    """Votes on each pair; more yes than no is a match."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 1.0
    """Sent with every vote's call."""
    top_p: Annotated[float, Field(gt=0, le=1)] = 0.95
    """Sent with every vote's call."""


class Sample(Settings):
    """How many asked questions matchers get, by how the judge voted; all of them where no number is set."""

    yes: Annotated[int, Field(ge=0)] | None = None
    """Questions that the judge matched."""
    no: Annotated[int, Field(ge=0)] | None = None
    """Questions that the judge matched with nothing."""
    split: Annotated[int, Field(ge=0)] | None = None
    """Questions on which the judge's votes differ."""
    unknown: Annotated[int, Field(ge=0)] | None = None
    """Questions without votes."""


class Coding(Settings):
    """What matchers code in place of asked questions: texts that participants of another study wrote."""

    of: Literal["answers", "messages"]
    """What the texts are. `answers`: answers to an assistant's questions, of a clarification study.
    `messages`: messages to an assistant, of a role-play study."""
    study: Text
    """SHA-256 of the study version in which they were written; `evaluate --coded` holds them together."""


class ClarificationSettings(JudgedSettings):
    """How a clarification study goes (ClarifyCodeBench's protocol, with a person in one of its seats)."""

    seat: Literal["answerer", "matcher", "asker", "author"] = "answerer"
    """Where the participant sits. `answerer`: a model asks and the person answers. `matcher`: the person
    says which key questions a model's question hits. `asker`: the person asks. `author`: the person leaves
    information out of a complete task and writes its key questions."""
    source: Literal["annotated", "full_statement"] = "annotated"
    """What the answers come from: the annotated answers, or the complete statement."""
    tasks_each: Annotated[int, Field(ge=1)] | None = None
    """Tasks a participant gets in a design without `items_each`; all by default. Each next slot begins
    further on, so that all tasks are used alike."""
    responses: Annotated[int, Field(ge=1, le=50)] = 6
    """Responses a session may have, the one with the code included."""
    askers: tuple[Slug, ...] = ()
    """Names of the assistants that ask and write code, in rotation; by default every assistant that does
    nothing else."""
    coder: str = ""
    """Seat `asker`: name of the assistant that writes the code from what the person found out. Without one no
    code is written, and pass@1 is undefined."""
    answers: Literal["annotated", "model"] = "annotated"
    """Seat `asker`: who answers. `annotated`: a matched question gets its annotated answer. `model`: the
    assistant named by `answerer` answers from the source."""
    answerer: str = ""
    """Name of the assistant that answers where `answers` is `model`."""
    judge: JudgeSettings = JudgeSettings()
    """Who matches asked questions with key questions."""
    matching: Literal["reference", "best", "several"] = "reference"
    """`reference`: key questions are walked in the file's order up to the first match, and one that was hit
    before ends the walk. `best`: the match with the most yes votes, open ones before answered ones.
    `several`: a question hits every open key question that it matches."""
    both: Literal["code", "question"] = "code"
    """What a response with a question and code counts as."""
    neither: Literal["question", "nothing"] = "question"
    """What a response with neither tags nor code counts as: a question, whole, as the benchmark does; or
    nothing, which uses up a response and is asked for again."""
    bundle: Literal["return_once", "accept"] = "return_once"
    """Seat `asker`: what happens to several questions at once. `return_once`: they come back once with the
    rule, and use up no round; after that they count as one question."""
    replies: Replies = Replies()
    """What the protocol says by itself."""
    sample: Sample = Sample()
    """Seat `matcher`: which asked questions are drawn."""
    coding: Coding | None = None
    """Seat `matcher`: the asked questions are texts of participants, and the statements key answers or facts.
    `new --from EXPORT` writes it."""
    cross_check: bool = True
    """Seat `author`: a second person checks each shortened task blind before differences are settled."""
