"""`evaluate` on a specification study in a real database: judges, figures, looks, and what is refused."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.interviews import Interviewed
from support.specifications import BASELINE, BUDDY, SETTINGS, project, question

from capa_tui.cli import main
from capa_tui.services import Services
from studies.errors import NoPlaceError
from studies.events import Event
from studies.folder import parse
from studies.specification.payloads import SheetJudged
from studies.study import Study

KEYS = {
    *("by", "participants", "projects", "accuracy", "accuracy_not_asked", "test_retest", "queries"),
    *("early_submit_rate", "scores", "win_tie_loss"),
}


def a_study() -> Study:
    checklist = [question(number) for number in range(1, 5)]
    lines = "\n".join(json.dumps(project(name, checklist=checklist)) for name in ("club", "yard"))
    more = 'judges = ["scripted"]\nsecond_agent = true\nground_truth = "before"'
    return parse(
        {
            "study.toml": SETTINGS.format(agents=f"{BUDDY}, {BASELINE}", more=more).encode(),
            "analysis.toml": b'primary_outcome = "coverage"\ncontrast = "buddy minus plain"\nplanned_n = 9\n',
            "consent.md": b"Please read.",
            "instructions.md": b"Write what you want.",
            "debrief.md": b"Thank you.",
            "projects.jsonl": lines.encode(),
        }
    )


async def fill(path: Path, study: Study, people: Sequence[Interviewed]) -> None:
    async with Services.open(path) as services:
        await services.desk.load(study)
        for one in people:
            await services.store.journal.append(one.events)


async def stored(path: Path, study: Study) -> dict[str, Sequence[Event]]:
    async with Services.open(path) as services:
        return dict(await services.archive.streams(study.sha256))


@pytest.fixture
def lab(tmp_path: Path) -> tuple[Path, Study, Interviewed]:
    """One person who finished both tasks, and one who has not finished."""
    study = a_study()
    person = Interviewed(study)
    person.checklist("ABCN", "ABDA", asked=("q1",), by="agent", retest={"q1": "A"})
    one = person.sheet("54321", "mpc", item="yard", closed=False)
    other = person.sheet("33333", "mmm", item="yard", agent="plain", number=2, edit={"review-1": "accept"})
    person.compare(one, other, "left", "yard")
    person.end()
    going = Interviewed(study, 2)
    going.sheet("44444", "mmm")
    going.end("paused")
    path = tmp_path / "lab.db"
    asyncio.run(fill(path, study, [person, going]))
    return path, study, person


def test_judges_work_once_and_only_for_the_completed(
    lab: tuple[Path, Study, Interviewed], capsys: pytest.CaptureFixture[str]
) -> None:
    path, study, person = lab
    command = ["evaluate", "wishes", "--judges", "--json", "--db", str(path), "--reason", "a check"]
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert "3 judgements" in err
    assert "Before planned N (1 of 9" in err
    found = json.loads(out)
    whole = found["groups"][0]
    assert whole.keys() >= KEYS
    assert (whole["by"], whole["participants"], whole["projects"], whole["sessions"]) == ({}, 1, 2, 3)
    assert (whole["accuracy"], whole["accuracy_not_asked"], whole["test_retest"]) == (2 / 3, 0.5, 1)
    assert whole["scores"]["coverage"] == 4
    agents = {one["by"]["agent"]: one for one in found["groups"] if list(one["by"]) == ["agent"]}
    assert agents["buddy"]["win_tie_loss"] == {"win": 1, "tie": 0, "loss": 0}
    assert [one["reason"] for one in found["looks"]] == ["a check"]
    beside = found["judges"]["beside_participants"][0]
    assert (beside["judge"], beside["sheets"], beside["difference"]) == ("scripted", 2, -1)
    kinds = {
        stream: [one.kind for one in events] for stream, events in asyncio.run(stored(path, study)).items()
    }
    assert kinds[person.stream][-3:] == ["sheet_judged", "sheet_judged", "pair_judged"]
    assert sum("judged" in kind for one in kinds.values() for kind in one) == 3
    assert main(command) == 0
    assert "judgements" not in capsys.readouterr().err
    assert main(["verify", "--db", str(path)]) == 0
    after = {stream: len(events) for stream, events in asyncio.run(stored(path, study)).items()}
    assert after == {stream: len(events) for stream, events in kinds.items()}


def test_the_printed_outcomes_say_everything(
    lab: tuple[Path, Study, Interviewed], capsys: pytest.CaptureFixture[str]
) -> None:
    path, _, _ = lab
    assert main(["evaluate", "wishes", "--db", str(path), "--reason", "again"]) == 0
    out = capsys.readouterr().out
    for words in (
        "Task 1: predicted answers", "0.6667", "Task 2: rated sheets", "4.0000", "1/0/0", "contradicted",
        "coverage, agent buddy minus plain (planned): +2.0000", "buddy against plain, by participant: 1 won",
        "the judges have not been asked yet", "3 answers; 1 of no strong preference",
        "fewer than 15 participants", "unfinished (paused)", "look before planned N", "too few participants",
    ):  # fmt: skip
        assert words in out, words
    assert max(map(len, out.splitlines())) < 700


def test_a_participation_that_is_open_is_passed_over_and_said(
    lab: tuple[Path, Study, Interviewed], capsys: pytest.CaptureFixture[str]
) -> None:
    path, study, person = lab

    async def hold() -> int:
        async with Services.open(path) as services, services.hold(study, person.stream):
            with pytest.raises(NoPlaceError):
                async with services.hold(study, person.stream):
                    pass
            return await asyncio.to_thread(main, ["evaluate", "wishes", "--judges", "--db", str(path)])

    assert asyncio.run(hold()) == 0
    assert "not judged: this participation is open" in capsys.readouterr().err
    every = [one for events in asyncio.run(stored(path, study)).values() for one in events]
    assert not any(isinstance(one.payload, SheetJudged) for one in every)


def test_what_another_kind_has_is_refused(
    lab: tuple[Path, Study, Interviewed], capsys: pytest.CaptureFixture[str]
) -> None:
    path, _, _ = lab
    assert main(["evaluate", "wishes", "--blank", "--db", str(path)]) == 2
    assert "specification: it has no --blank" in capsys.readouterr().err
