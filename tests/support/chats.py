"""Role-play studies and live ports in memory: a scripted assistant, a judge that looks for a word."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any

from studies.conversation import Conversation
from studies.replies import Call, Part, ReplyEnd, Usage
from studies.roleplay.context import Dialogue
from studies.roleplay.materials import Profile, Task
from studies.roleplay.payloads import Donor
from studies.runner import Visit
from studies.study import Study
from studies.verdicts import Check, Verdict
from support.studies import study
from support.visits import Sitting

PASS = "```python\ndef f(x):\n    return 'right'\n```"
FAIL = "```python\ndef f(x):\n    return 'wrong'\n```"
ASK = "Do you mean one or the other?"


def task(number: int, part: str, profile: str = "mara", pair: Sequence[str] = ("DCP", "HCO")) -> Task:
    """A fully authored task."""
    return Task.model_validate(
        {
            "id": f"{profile}-{number}",
            "profile": profile,
            "mechanisms": list(pair),
            "resolution": f"{profile} always means the second",
            "speaks": "She says it short.",
            "brief": f"The secret of {number}.",
            "interface": "def f(x: str) -> str",
            "entry_point": "f",
            "tests": "def check(candidate):\n    assert candidate('x') == 'right'\n",
            "reference": "def f(x):\n    return 'right'\n",
            "facts": [{"id": "a", "text": "t", "status": "withheld", "how": pair[0]}],
            "opening": f"Do number {number} for me.",
            "script": [ASK, PASS],
            "source_task": f"source-{profile}-{number}",
            "part": part,
        }
    )


def roleplay_study(history: int = 1, reserve: int = 0, held_out: int = 2, **roleplay: Any) -> Study:
    """A study with one cell."""
    parts = ["history"] * history + ["reserve"] * reserve + ["held_out"] * held_out
    settings = {"history": history, "held_out": held_out, "turns": 3} | roleplay
    made = study(
        items=0,
        kind="roleplay",
        roleplay=settings,
        assistants=[{"name": "helper", "model": "test"}, {"name": "gate", "model": "gate"}],
    )
    object.__setattr__(made, "tasks", tuple(task(n, part) for n, part in enumerate(parts, 1)))
    object.__setattr__(made, "_tasks", {one.id: one for one in made.tasks})
    person = {"id": "mara", "name": "Mara", "occupation": "lab technician", "about": "x", "manner": "y"}
    object.__setattr__(made, "profiles", (Profile.model_validate(person),))
    return made


class Scripted:
    """An assistant that says what a test gave it, and remembers what it was shown."""

    def __init__(self, *replies: str | ReplyEnd) -> None:
        self.replies = list(replies)
        self.calls: list[Call] = []
        self.closed = 0

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        """The next reply in two parts."""
        self.calls.append(call)
        said = self.replies.pop(0) if self.replies else PASS
        try:
            text = said if isinstance(said, str) else said.text
            half = len(text) // 2
            for part in (text[:half], text[half:]):
                if part:
                    yield Part(part)
            if isinstance(said, ReplyEnd):
                yield said
            else:
                yield ReplyEnd("complete", said, "test-served", usage=Usage(10, 20, cost=0.25), client="test")
        finally:
            self.closed += 1


class WordJudge:
    """Accepts code in which the word `right` stands."""

    def __init__(self) -> None:
        self.judged: list[str] = []
        self.verdict: Verdict | None = None

    async def judge(self, code: str, check: Check) -> Verdict:
        """The verdict."""
        self.judged.append(code)
        return self.verdict or Verdict("passed" if "right" in code else "failed_assertion", "line 2", 5)

    def available(self) -> str | None:
        """It needs nothing."""
        return None


class NoDialogues:
    """Nobody else took part."""

    def __init__(self, donors: Sequence[tuple[Donor, Dialogue | None]] = (), spent: float = 0.0) -> None:
        self._donors = dict(donors)
        self._spent = spent

    async def donors(self, study: str) -> Sequence[Donor]:
        """The sessions given."""
        return tuple(self._donors)

    async def dialogue(self, donor: Donor) -> Dialogue | None:
        """The dialogue given."""
        return self._donors[donor]

    async def spent(self, study: str) -> float:
        """The money given."""
        return self._spent


class Talk:
    """A visit with its conversation."""

    def __init__(
        self, sitting: Sitting, assistant: Scripted, judge: WordJudge, dialogues: NoDialogues
    ) -> None:
        self.sitting, self.assistant, self.judge, self.dialogues = sitting, assistant, judge, dialogues
        self.visit: Visit
        self.live: Conversation

    async def sit(self) -> Talk:
        """Sit down (again)."""
        self.visit = await self.sitting.visit()
        self.live = Conversation(self.visit, self.assistant, self.judge, self.dialogues)
        return self


async def talk(study: Study, *replies: str | ReplyEnd, dialogues: NoDialogues | None = None) -> Talk:
    """A participant who sits down in a role-play study."""
    made = Talk(Sitting(study), Scripted(*replies), WordJudge(), dialogues or NoDialogues())
    return await made.sit()
