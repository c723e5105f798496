"""`codes`, `release`, `status` and `erase`: who takes part."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections.abc import Sequence

from capa_tui import paths, report
from capa_tui.services import Services
from studies.assignment import planned_slots
from studies.errors import InputError
from studies.ports import StudyRecord


def codes(arguments: Namespace) -> int:
    """`capa-tui codes STUDY --n N`: issue participant codes."""
    return asyncio.run(_codes(arguments))


async def _codes(arguments: Namespace) -> int:
    if arguments.n < 1:
        raise InputError(f"--n {arguments.n}: expected 1 or more")
    async with Services.open(paths.existing(arguments.db)) as services:
        study = await services.archive.find(arguments.study)
        issued = await services.desk.issue_codes(study, arguments.n)
        placed = await services.archive.participations(study.sha256)
        whole = await services.archive.study(study.sha256)
    waiting = [one.code for one in placed if one.code and one.code in issued and one.slot is None]
    if waiting and planned_slots(whole) is not None:
        report.say(
            f"attention: {study.reference} has no slot for {len(waiting)} of these codes: "
            f"{', '.join(waiting)}. "
            "They take one only if it is released before they come."
        )
    if arguments.json:
        report.emit({"study": study.name, "version": study.version, "codes": list(issued)})
    else:
        for code in issued:
            report.line(code)
    return 0


def release(arguments: Namespace) -> int:
    """`capa-tui release STUDY --participant CODE`: free a drop-out's slot."""
    return asyncio.run(_release(arguments))


async def _release(arguments: Namespace) -> int:
    async with Services.open(paths.existing(arguments.db)) as services:
        study = await services.archive.find(arguments.study)
        freed = await services.desk.release(study, arguments.participant)
        # The person may sit in an older version than the one that was named.
        theirs = await services.archive.find(freed.study)
    slot = "the place" if freed.slot is None else f"slot {freed.slot}"
    report.say(f"{theirs.reference}: {slot} of {arguments.participant} is free for a replacement.")
    return 0


def status(arguments: Namespace) -> int:
    """`capa-tui status [STUDY]`: the studies, or one study's people and items."""
    return asyncio.run(_status(arguments))


async def _status(arguments: Namespace) -> int:
    if arguments.study is None and paths.absent(arguments.db):
        # Nothing has been loaded yet; looking makes no database.
        return _list([], arguments.json)
    async with Services.open(paths.existing(arguments.db)) as services:
        if arguments.study is None:
            return _list(await services.archive.studies(), arguments.json)
        study = await services.archive.find(arguments.study)
        from studies.progress import progress_of

        progress = await progress_of(services.archive, study)
    if arguments.json:
        report.emit(progress.to_json())
        return 0
    report.say(f"{study.title} ({study.reference}, {study.sha256[:8]})")
    report.table(
        ("code", "slot", "state", "done", "assigned"),
        [(one.code, one.slot, one.state, one.done, len(one.assigned)) for one in progress.participants],
    )
    counts: dict[int, int] = {}
    for item in progress.items:
        counts[item.completed] = counts.get(item.completed, 0) + 1
    said = (f"{n} by {_people(times)}" for times, n in sorted(counts.items()))
    what = {"roleplay": "tasks played", "clarification": "tasks done", "specification": "projects done"}
    report.say(f"{what.get(study.study_kind, 'items annotated')}: {', '.join(said) or 'none'}")
    return 0


def _people(n: int) -> str:
    if n == 0:
        return "nobody yet"
    return "1 person each" if n == 1 else f"{n} people each"


def _list(records: Sequence[StudyRecord], as_json: bool) -> int:
    if as_json:
        report.emit(
            {
                "studies": [
                    {
                        "study": one.name,
                        "version": one.version,
                        "title": one.title,
                        "kind": one.study_kind,
                        "items": one.items,
                        "sha256": one.sha256,
                        "loaded_at": one.loaded_at,
                    }
                    for one in records
                ]
            }
        )
    elif not records:
        report.say("No studies yet. Load one with: capa-tui load DIR")
    else:
        report.table(
            ("study", "kind", "items", "title"),
            [(one.reference, one.study_kind, one.items, one.title) for one in records],
        )
    return 0


def erase(arguments: Namespace) -> int:
    """`capa-tui erase STUDY --participant CODE --reason R`: erase a person's words."""
    return asyncio.run(_erase(arguments))


async def _erase(arguments: Namespace) -> int:
    if not arguments.reason.strip():
        raise InputError("--reason: expected a sentence for the record")
    async with Services.open(paths.existing(arguments.db)) as services:
        study = await services.archive.find(arguments.study)
        blanked = await services.desk.erase(study, arguments.participant, arguments.reason)
    report.say(
        f"{study.reference}: {blanked} events of {arguments.participant} were blanked and a tombstone was "
        "written. Backups and exports made before still hold the words; delete them too."
    )
    return 0
