"""Scoring ClarifyCodeBench run records beside the benchmark's own scorer.

    python benchmarks/clarification.py [DIR]

DIR is a copy of github.com/fangz-cs/ClarifyCodeBench; without it only our times are printed. Made-up runs of
419 tasks by six models, one file a model, in the benchmark's proportions of one, two and three key questions.
Prints the best of several runs of each, and the ratio of the reference's time to ours; with DIR also the
largest difference between a figure of ours and its own. Nothing is asserted: times belong to the machine
they were taken on. The reference gives four means and checks nothing; we check every record, and a whole
evaluation has intervals, groups and hit rates beside the means.
"""

from __future__ import annotations

import importlib.util
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from studies.clarification.figures import MEANS
from studies.clarification.metrics import Run, ora, tkqr
from studies.clarification.records import Dialogue, read_records, record_of
from studies.clarification.scoring import Scored, score
from studies.clarification.taxonomy import TYPES

MODELS = 6
GAPS = [1] * 199 + [2] * 169 + [3] * 51
LIMIT = 6
THEIRS = {"tkqr": "TKQR", "ora": "ORA", "rounds": "avg_turns", "diff": "avg_diff"}
"""Our name of a mean -> the reference's."""


def made_up(model: int) -> list[dict[str, Any]]:
    """One model's records: some stop early, some ask again what they asked, some run into the limit."""
    draw = random.Random(model)
    return [_run(draw, f"model-{model}", task, gaps) for task, gaps in enumerate(GAPS, 1)]


def _run(draw: random.Random, model: str, task: int, gaps: int) -> dict[str, Any]:
    rounds = draw.choice((0, 1, 1, 2, 2, 3, 4, 5, LIMIT))
    ended = "limit" if rounds == LIMIT else "code"
    prompt = "Decide, for each of the numbers given, whether it is large. " * 20
    messages = [("system", "Ask one question, or give the code."), ("user", prompt)]
    matched: list[tuple[int, ...]] = []
    for turn in range(rounds):
        matched.append(draw.choice([(), *((place,) for place in range(gaps))]))
        messages += [("assistant", f"[QUESTION]What of case {turn}?[/QUESTION]"), ("user", "It is as said.")]
    if ended == "code":
        matched.append(())
        messages.append(("assistant", "[CODE]print(input())[/CODE]"))
    return record_of(
        Dialogue(
            task=f"task_{task}",
            source=f"source_{task}",
            key_questions=tuple(f"What is meant by {one}?" for one in range(gaps)),
            prompt=prompt,
            messages=tuple(messages),
            matched=tuple(matched),
            ended=ended,  # type: ignore[arg-type]
            code="print(input())" if ended == "code" else "",
            model=model,
            types=tuple(draw.sample(sorted(TYPES), draw.randint(1, gaps))),
            passed=draw.random() < 0.4,
        )
    )


def reference(directory: Path) -> ModuleType:
    """The benchmark's own scorer, which needs nothing but the standard library."""
    path = directory / "clarifycodebench" / "metrics.py"
    made = importlib.util.spec_from_file_location("reference_metrics", path)
    if made is None or made.loader is None or not path.is_file():
        raise SystemExit(f"{path}: not there; expected a copy of ClarifyCodeBench")
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    return module


def best(run: Callable[[], object], times: int = 5) -> float:
    """Seconds of the fastest run."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def means(runs: list[Run]) -> dict[str, float]:
    """The corpus figures alone, nothing remembered from the run before."""
    tkqr.cache_clear()
    ora.cache_clear()
    return {name: sum(map(value, runs)) / len(runs) for name, (value, _, _) in MEANS.items()}


def show(what: str, ours: float, theirs: float | None) -> None:
    ratio = (
        ""
        if theirs is None
        else f"   reference {theirs * 1e3:8.1f} ms   reference / ours {theirs / ours:6.2f}"
    )
    print(f"{what:58} {ours * 1e3:8.1f} ms{ratio}")


def differences(
    scored: Scored, peer: ModuleType, files: list[Path], runs: list[Run], given: list[Any]
) -> None:
    """The largest difference of any mean, and of any run's figure."""
    theirs = peer.aggregate(files)
    ours = scored.groups[0].means
    of_means = max(abs((ours[name].value or 0.0) - theirs[their]) for name, their in THEIRS.items())
    of_runs = max(
        max(
            abs(one.tkqr - own["tkqr"]),
            abs(one.ora - own["ora"]),
            abs(one.rounds - own["turns"]),
            abs(one.diff - own["diff"]),
        )
        for one, own in zip(runs, map(peer.score_record, given), strict=True)
    )
    print(f"largest difference from the reference: of a run {of_runs:.1e}, of a mean {of_means:.1e}")


def main() -> None:
    peer = reference(Path(sys.argv[1])) if len(sys.argv) > 1 else None
    given = [made_up(model) for model in range(MODELS)]
    print(f"{len(GAPS)} tasks x {MODELS} models")
    with tempfile.TemporaryDirectory() as directory:
        files = [Path(directory) / f"model-{model}.jsonl" for model in range(MODELS)]
        for path, records in zip(files, given, strict=True):
            path.write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
        data = [(str(path), path.read_bytes()) for path in files]
        runs = [run for name, own in data for run in read_records(name, own, model="").runs]
        score(data)  # loads what is loaded once
        whole = [one for records in given for one in records]
        show(
            "TKQR, ORA, rounds and Diff of runs in memory",
            best(lambda: means(runs)),
            best(lambda: [peer.score_record(one) for one in whole]) if peer else None,
        )
        show(
            "files to figures: ours with groups, hit rates, intervals",
            best(lambda: score([(str(path), path.read_bytes()) for path in files])),
            best(lambda: peer.aggregate(files)) if peer else None,
        )
        if peer:
            differences(score(data), peer, files, runs, whole)
        else:
            print("without the reference scorer: give the path of a copy of ClarifyCodeBench to compare")


if __name__ == "__main__":
    main()
