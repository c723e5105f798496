"""`judge`: verdicts outside a session."""

from __future__ import annotations

import asyncio
import json
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from capa_tui import packs, report
from studies.errors import InputError
from studies.verdicts import Verdict


def judge(arguments: Namespace) -> int:
    """`capa-tui judge TASKS --samples FILE | --replies FILE | --references`."""
    pack = packs.read_pack(arguments.tasks)
    chosen = [one for one in (arguments.samples, arguments.replies, arguments.references) if one]
    if len(chosen) != 1:
        raise InputError("judge takes exactly one of --samples FILE, --replies FILE and --references")
    if arguments.references:
        submitted = packs.references(pack)
    elif arguments.samples:
        submitted = packs.read_submitted(Path(arguments.samples), pack, "completion")
    else:
        submitted = packs.read_submitted(Path(arguments.replies), pack, "reply")
    verdicts = asyncio.run(verdicts_on(submitted))
    words: dict[str, int] = {}
    for one, verdict in zip(submitted, verdicts, strict=True):
        words[verdict.verdict] = words.get(verdict.verdict, 0) + 1
        line = {"task_id": one.task.id, "verdict": verdict.verdict, "detail": verdict.detail}
        report.line(json.dumps({**line, "ms": verdict.ms, "code": one.code}, ensure_ascii=True))
    report.say(", ".join(f"{count} {word}" for word, count in sorted(words.items())) or "nothing to judge")
    if arguments.references:
        return 1 if set(words) - {"passed"} and "not_run" not in words else 3 if "not_run" in words else 0
    return 3 if "not_run" in words else 0


async def verdicts_on(submitted: Sequence[packs.Submitted]) -> list[Verdict]:
    """The verdicts, in order. Without a sandbox each one is `not_run`, with what to install."""
    from capa_tui.sandbox.judge import SandboxJudge, judge_all

    verdicts: list[Verdict | None] = [one.certain for one in submitted]
    async with SandboxJudge() as judge:
        missing = await asyncio.to_thread(judge.available)
        if missing is not None:
            return [Verdict("not_run", missing)] * len(submitted)
        open_ = [at for at, verdict in enumerate(verdicts) if verdict is None]
        pairs = [(submitted[at].code, submitted[at].task.check) for at in open_]
        async for place, verdict in judge_all(pairs, judge):
            verdicts[open_[place]] = verdict
    return [one or Verdict("harness_error") for one in verdicts]
