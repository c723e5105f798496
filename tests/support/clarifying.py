"""Clarification studies and their live side in memory: assistants that say what a test gave them, by name."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

from studies.clarification.materials import ClarificationTask
from studies.clarification.sampling import drawn
from studies.clarification.seat import clarifications_of
from studies.clarification.sessions import Session
from studies.replies import Call, Part, ReplyEnd, Usage
from studies.steps import Done, Field, Step
from studies.study import Study
from support.chats import NoDialogues, Talk, WordJudge
from support.studies import study
from support.visits import Sitting, usual, walk

CODE = "[CODE]\ndef f(x):\n    return 'right'\n[/CODE]"
WRONG = "[CODE]\ndef f(x):\n    return 'wrong'\n[/CODE]"
Reply = str | ReplyEnd
Speaker = Sequence[Reply] | Callable[[Call], Reply]


def question(text: str) -> str:
    """A response that asks."""
    return f"[QUESTION]\n{text}\n[/QUESTION]"


def task(number: int = 1, gaps: int = 2, **changes: Any) -> ClarificationTask:
    """A task with the key questions `unit`, `tie` and `empty`, as far as it has so many."""
    known = [
        {
            "id": "unit",
            "question": "In which unit is x?",
            "answer": "In metres.",
            "type": "units",
            "cues": ["unit"],
        },
        {
            "id": "tie",
            "question": "What happens in a tie?",
            "answer": "The first one wins.",
            "type": "comparison-rules",
            "cues": ["tie", "equal"],
        },
        {
            "id": "empty",
            "question": "What is returned for no input?",
            "answer": "None.",
            "type": "edge-cases",
            "cues": ["empty"],
        },
    ]
    base: dict[str, Any] = {
        "id": f"t{number}",
        "statement": f"Write a function for {number}.",
        "full_statement": f"Write a function for {number}, in metres; the first one wins.",
        "interface": "def f(x: str) -> str",
        "entry_point": "f",
        "tests": "def check(candidate):\n    assert candidate('x') == 'right'\n",
        "reference": "def f(x):\n    return 'right'\n",
        "script": [question("Which unit?"), CODE],
        "key_questions": known[:gaps],
    }
    return ClarificationTask.model_validate(base | changes)


def clarification_study(
    tasks: Sequence[ClarificationTask] = (),
    assistants: Sequence[str] = ("model", "judge"),
    analysis: dict[str, Any] | None = None,
    design: dict[str, Any] | None = None,
    **clarification: Any,
) -> Study:
    """A study with these tasks; the judge serves where `judge` is told to."""
    changes = {"design": design} if design else {}
    if "model" in assistants:
        clarification = {"askers": ["model"], **clarification}
    made = study(
        items=0,
        kind="clarification",
        clarification=clarification,
        assistants=[{"name": name, "model": "test"} for name in assistants],
        analysis=analysis,
        **changes,
    )
    given = tuple(tasks) or (task(),)
    object.__setattr__(made, "clarification_tasks", given)
    if clarification.get("seat") == "matcher":
        asked = drawn(given, made.settings.clarification.sample, made.settings.seed)
        object.__setattr__(made, "asked", asked)
    made.__post_init__()
    return made


class Speakers:
    """An assistant port: each assistant of the study says its own lines; remembers every call."""

    def __init__(self, **lines: Speaker) -> None:
        self._lines = {name: said if callable(said) else list(said) for name, said in lines.items()}
        self.calls: list[Call] = []

    def of(self, name: str) -> list[Call]:
        """The calls to one assistant."""
        return [one for one in self.calls if one.assistant == name]

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        """The next line in two parts."""
        self.calls.append(call)
        lines = self._lines.get(call.assistant, lambda one: one.script[min(one.turn, len(one.script)) - 1])
        said = lines(call) if callable(lines) else lines.pop(0)
        text = said if isinstance(said, str) else said.text
        half = len(text) // 2
        for part in (text[:half], text[half:]):
            if part:
                yield Part(part)
        if isinstance(said, ReplyEnd):
            yield said
        else:
            yield ReplyEnd("complete", said, "test-served", usage=Usage(10, 20, cost=0.25), client="test")


async def sit_down(made: Study, slot: int = 1, spent: float = 0.0, **lines: Speaker) -> Talk:
    """A participant who sits down in a clarification study."""
    talk = Talk(Sitting(made, slot), Speakers(**lines), WordJudge(), NoDialogues(spent=spent))
    return await talk.sit()


async def to_chat(made: Talk) -> Step | Done:
    """Go on to the next dialogue, and let happen what is due there."""
    step = await walk(made.visit, lambda one: one.kind == "chat", usual)
    if isinstance(step, Done):
        return step
    return await made.live.advance()


async def respond(made: Talk, match: str, text: str = "in metres") -> Step | Done:
    """Answer the question that is open, or mark it; then let happen what is due."""
    step = made.live.step
    assert step is not None
    await made.visit.answer(step.ask_id("match"), match, walk=True)
    if made.visit.next_ask() == "message" and not made.visit.current.due:
        await made.visit.answer(step.ask_id("message"), text, walk=True)
    return await made.live.advance()


async def ask(made: Talk, text: str) -> Step | Done:
    """Ask a question; then let happen what is due."""
    step = made.live.step
    assert step is not None
    await made.visit.answer(step.ask_id("message"), text, walk=True)
    return await made.live.advance()


def sessions(made: Talk) -> tuple[Session, ...]:
    """The sessions so far."""
    return clarifications_of(made.visit.state).all


def payloads(made: Talk, kind: type) -> list[Any]:
    """The payloads of a kind that were stored."""
    return [one.payload for one in made.sitting.events if isinstance(one.payload, kind)]


def first_option(step: Step, field: Field) -> Any:
    """As `usual`, but writes in a dialogue."""
    return "In metres." if field.kind == "chat" else usual(step, field)


async def complete(made: Talk, *moves: Any) -> Talk:
    """Play to the end of the study: each move is (match, text) for an answerer, text for an asker, and None
    says that an asker has enough."""
    waiting = list(moves)
    while True:
        step = await to_chat(made)
        if isinstance(step, Done):
            return made
        while isinstance(made.visit.current, Step) and made.visit.current.kind == "chat":
            move = waiting.pop(0)
            if move is None:
                await made.live.end(made.visit.current, done=True)
                await made.live.advance()
            elif isinstance(move, str):
                await ask(made, move)
            else:
                await respond(made, *move)
