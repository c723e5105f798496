"""A whole role-play study in a real database, judged in the sandbox: who plays, refuses, leaves."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from capa_tui.sandbox.judge import SandboxJudge
from studies import bundles
from studies.conversation import Conversation
from studies.folder import read_files
from studies.replies import Call, Part, ReplyEnd, Usage
from studies.roleplay.protocol import sessions_of
from studies.runner import Visit
from studies.steps import Done, Field, Step
from support.stations import Lab
from support.visits import usual, walk

NAME = "personal-ambiguity"
SECRETS = {
    "refuses": "secret of one who refused",
    "leaves": "secret of one who left",
    "asks": "secret erased",
}
"""What those say, and are told, whose words may be in no export."""

Line = Callable[[Call], str] | str


def right(call: Call) -> str:
    """The last line of the task's script: accepted code."""
    return call.script[-1]


def nothing(call: Call) -> str:
    """A function that returns nothing."""
    return code_block(f"def {name_of(call)}(*given):\n    return None")


def broken(call: Call) -> str:
    """No Python at all behind the function's head."""
    return code_block(f"def {name_of(call)}(:\n    return")


def rude(call: Call) -> str:
    """Accepted code behind which an example of its own fails."""
    return right(call).rstrip().removesuffix("```") + "\nassert False, 'an example'\n```"


def modern(call: Call) -> str:
    """Accepted code that begins with a statement which must come first."""
    head, _, rest = right(call).partition("```python\n")
    return f"{head}```python\nfrom __future__ import annotations\n{rest}"


def code_block(code: str) -> str:
    """Code as a reply."""
    return f"Here:\n\n```python\n{code}\n```"


def name_of(call: Call) -> str:
    """The function that is asked for, as the prompt tells it."""
    return call.messages[0].content.split("The function: def ")[1].split("(")[0]


class Says:
    """An assistant with a list of lines, then always right."""

    def __init__(self, *lines: Line) -> None:
        self.lines = list(lines)
        self.calls: list[Call] = []

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        """The next line."""
        self.calls.append(call)
        line = self.lines.pop(0) if self.lines else right
        text = line if isinstance(line, str) else line(call)
        yield Part(text)
        yield ReplyEnd("complete", text, "served-1", usage=Usage(10, 20, cost=0.25), client="test")


def roleplay_files(**changes: Sequence[str]) -> dict[str, bytes]:
    """The bundled study with `shuffled` for a condition; `changes` are (old, new) in study.toml."""
    files = dict(read_files(bundles.directory("roleplay")))
    text = files["study.toml"].decode()
    swaps = {
        "conditions": ('conditions = ["none", "same-user"]', 'conditions = ["none", "shuffled"]'),
        **changes,
    }
    for old, new in swaps.values():
        assert text.count(old) == 1
        text = text.replace(old, new)
    return files | {"study.toml": text.encode(), "analysis.toml": b'primary_outcome = "es"\n'}


class RoleplayLab(Lab):
    """A station with a role-play study."""

    def __init__(self, path: Path, judge: SandboxJudge, files: dict[str, bytes] | None = None) -> None:
        super().__init__(path, files=files or roleplay_files())
        self.judge = judge

    async def __aenter__(self) -> RoleplayLab:
        await super().__aenter__()
        return self

    async def play(
        self,
        code: str,
        *lines: Line,
        answers: Mapping[str, Any] | None = None,
        tasks: int | None = None,
        says: str = "The second of the two.",
        pilot: bool = False,
    ) -> tuple[Visit, Says]:
        """One person from the first page to the end, or until so many sessions have ended."""
        visit = await self.sit(code, pilot=pilot)
        assistant = Says(*lines)
        live = Conversation(visit, assistant, self.judge, self.store.dialogues(self.study))

        def answer(step: Step, field: Field) -> Any:
            return (answers or {}).get(field.name, usual(step, field))

        while not isinstance(step := await walk(visit, lambda one: one.kind == "chat", answer), Done):
            if sum(one.disposition is not None for one in sessions_of(visit.state).all) == tasks:
                await visit.pause()
                break
            assert step.chat is not None
            self.clock.move(seconds=20)
            await visit.answer(step.ask_id("message"), step.chat.opening if step.chat.turn == 1 else says)
            await live.advance()
        self.clock.move(minutes=1)
        return visit, assistant


async def make_roleplay_lab(path: Path) -> None:
    """Two who complete, one who does not, and one of each who must not be seen."""
    judge = SandboxJudge(unsafe=True)
    try:
        async with RoleplayLab(path, judge) as lab:
            await lab.play("early", tasks=3)
            await lab.play("whole", "Which one?", nothing, rude, right, right, modern, broken, right)
            await lab.play("stranger", right, right, *[nothing] * 8, answers={"donor": False})
            for code, secret in SECRETS.items():
                publish = {"publication": code != "refuses"}
                await lab.play(code, f"{secret}?", answers=publish, tasks=1, says=secret)
                if code == "leaves":
                    await (await lab.sit(code)).withdraw()
            await lab.store.desk.erase(lab.record, "asks", "asked for it")
            await lab.play("trial", tasks=1, pilot=True)
    finally:
        await judge.close()


@pytest.fixture
def roleplay_file(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """A copy of `make_roleplay_lab`'s database; made once in a run."""
    made = tmp_path_factory.getbasetemp() / "whole-roleplay.db"
    if not made.exists():
        asyncio.run(make_roleplay_lab(made))
    return Path(shutil.copy(made, tmp_path / "roleplay.db"))
