"""What a dataset card says about a study of each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from storage.export.cells import plain
from storage.export.dataset import Dataset
from studies.annotation.rows import ANNOTATIONS
from studies.clarification.rows import QUESTIONS
from studies.roleplay.rows import SESSIONS
from studies.specification import rows as specification
from studies.tables import Table


@dataclass(frozen=True, slots=True)
class Portrait:
    """The words for one study kind, as Markdown."""

    task: str
    """The Hub's word for what models could be tried on."""
    default: Table
    """The table that a reader sees first."""
    motivation: str
    composition: str
    collection: Callable[[Dataset], Iterator[str]]
    """How the data came about, a line each."""
    uses: str
    limits: tuple[str, ...]


def _annotation(data: Dataset) -> Iterator[str]:
    settings = data.study.settings
    offered = "with" if settings.annotation.escapes else "without"
    yield f"- Six mechanisms {offered} the escape codes `not ambiguous` and `other`; nothing preselected."
    rule = "shown" if settings.annotation.tie_break else "not shown"
    yield f"- The codebook's rule for ties was {rule}."
    yield f"- Codebook version: {plain(data.study.codebook.version)}."
    mark = settings.training.pass_mark
    yield (
        f"- Practice items with feedback: {len(data.study.training)}; pass mark: "
        f"{'none' if mark is None else mark}."
    )


def _roleplay(data: Dataset) -> Iterator[str]:
    settings = data.study.settings
    how = settings.roleplay
    yield (
        f"- Up to {how.turns} assistant turns a session, opened by a {how.opening} request; {how.history} "
        f"resolved sessions make a history; then {how.held_out} held-out sessions a person, history "
        f"conditions {', '.join(how.conditions)}."
    )
    for one in settings.assistants:
        yield f"- Assistant {plain(one.name)}: {plain(one.model)}."
    yield f"- What participants learned of a verdict: `{how.feedback}`."
    used = ", ".join(data.declares.get("isolation", ())) or "none was run"
    allowed = "; the study allowed running it without isolation" if how.unsafe else ""
    yield f"- Isolation in which submitted code ran: {used}{allowed}."


_SEATS = {
    "answerer": "an assistant asked, and the participant, who knew more (`{source}`), answered",
    "asker": "the participant asked about an underspecified task until they had enough",
    "matcher": "the participant said which key questions a model's question asks about",
    "author": "the participant left information out of a complete task and wrote its key questions",
}


def _clarification(data: Dataset) -> Iterator[str]:
    settings = data.study.settings
    how = settings.clarification
    yield f"- Seat `{how.seat}`: {_SEATS[how.seat].format(source=how.source)}."
    if how.seat in ("answerer", "asker"):
        yield f"- At most {how.responses} responses of whoever asks, a final one included."
        votes = f"{how.judge.samples} votes of {plain(how.judge.by)} a pair, majority"
        by = "whoever answered" if how.judge.by == "person" else votes
        yield f"- Questions were matched with key questions by {by}; rule `{how.matching}`."
        used = ", ".join(data.declares.get("isolation", ())) or "none was run"
        yield f"- Isolation in which code ran: {used}."
    for one in settings.assistants:
        yield f"- Assistant {plain(one.name)}: {plain(one.model)}."


def _specification(data: Dataset) -> Iterator[str]:
    settings = data.study.settings
    how = settings.specification
    whose = "a persona that they studied" if how.identity == "persona" else "the participants themselves"
    yield (
        f"- Order: proposal, ground truth ({how.ground_truth} the interview), interview of at most "
        f"{' or '.join(map(str, how.budgets))} questions, rating of the frozen sheet, editing, retest of "
        f"{how.retest:.0%} of the ground truth."
    )
    yield f"- Preferences are those of {whose}."
    models = {one.name: one.model for one in settings.assistants}
    for one in how.agents:
        yield f"- Agent {plain(one.name)} ({one.design}): {plain(models[one.assistant])}."
    for judge in how.judges:
        yield f"- Judge {plain(judge)}: {plain(models[judge])}."
    if how.checkpoints:
        yield f"- Silent predictions after {', '.join(map(str, how.checkpoints))} questions."
    if how.second_agent:
        yield "- A second agent interviewed the same person about the same project; period is recorded."


PORTRAITS: Mapping[str, Portrait] = {
    "annotation": Portrait(
        task="text-classification",
        default=ANNOTATIONS,
        motivation="Coding requests annotated by people with the mechanism that makes each ambiguous, to "
        "measure how far annotators agree.",
        composition="Raw labels, adjudicated labels and aggregated votes are apart. Every revision of every "
        "rater is a row.",
        collection=_annotation,
        uses="Meant for measuring agreement, for studying where annotators differ, and as labels with their "
        "spread. A majority label hides disagreement that is part of the finding; a tie is left a tie. "
        "Not meant for judging individual annotators, or for identifying them.",
        limits=("Notes are free text and were not screened for names.",),
    ),
    "roleplay": Portrait(
        task="text-generation",
        default=SESSIONS,
        motivation="People who played users with habits of their own asked coding assistants for programs, "
        "until hidden tests accepted the code, to measure whether an assistant profits from earlier "
        "sessions with the same user.",
        composition="A session is one task inside a participation. Every attempt at a reply and every "
        "verdict is a row. Hidden tests, references and details of verdicts are left out, because what is "
        "published here ends up in training data; the canonical export has them.",
        collection=_roleplay,
        uses="Meant for comparing history conditions and assistants, with the participant as the unit, and "
        "for studying how people make themselves understood. Participants played somebody from a "
        "brief: what they wrote says little about what they would ask for themselves. Not meant for "
        "judging or identifying them.",
        limits=(
            "Requests are free text and were not screened for names.",
            "Replies are those of the models named above and may be under their providers' terms.",
        ),
    ),
    "clarification": Portrait(
        task="question-answering",
        default=QUESTIONS,
        motivation="Programming tasks from which information was left out, with the questions that uncover "
        "it: how early, and how sparingly, do models and people ask (ClarifyCodeBench), and do people agree "
        "with the judge about what a question asks?",
        composition="A session is one task inside a participation. Every response, reply, vote and verdict "
        "is a row, and so is every decision of a matcher. Hidden tests and references are left out, because "
        "what is published here ends up in training data; the canonical export has them.",
        collection=_clarification,
        uses="Meant for comparing how models and people ask, with the participant as the unit where people "
        "sat in the seat, and for checking a judge against people. Seats are never pooled. ORA peaks where "
        "as many questions are asked as there are gaps; questions after the last gap cost nothing in TKQR. "
        "Not meant for judging or identifying participants.",
        limits=(
            "Questions and answers are free text and were not screened for names.",
            "Replies are those of the models named above and may be under their providers' terms.",
        ),
    ),
    "specification": Portrait(
        task="text-generation",
        default=specification.SESSIONS,
        motivation="People turned an idea into a spec sheet, or had their answers to a checklist predicted, "
        "with an agent that interviewed them within a budget of questions, to measure how far few questions "
        "carry towards what a person wants.",
        composition="A session is one agent's interview about one project. Questions, answers, the ground "
        "truth that no agent saw, every call of an agent, every revision of a sheet and every rating are "
        "rows.",
        collection=_specification,
        uses="Meant for comparing agents and budgets, with the participant as the unit, and for studying "
        "which questions are worth asking. Test-retest agreement is the ceiling of accuracy. Not meant for "
        "judging or identifying participants.",
        limits=(
            "Proposals, wishes and answers are free text and were not screened for names.",
            "Questions and sheets are those of the models named above and may be under their providers' "
            "terms.",
        ),
    ),
}
