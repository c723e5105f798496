"""The rules of single tasks: what is authored, what an opening gives away, whether code can be read at all.

Nothing of a study folder is run here: code is only parsed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from studies.code_rules import FILE, code_problems
from studies.errors import Problem
from studies.findings import error, warning
from studies.reading import closest, listed, shown
from studies.roleplay.materials import Fact, Task
from studies.taxonomy import MECHANISMS
from studies.wording import holds, nearly_holds

if TYPE_CHECKING:
    from studies.annotation.materials import Codebook
    from studies.roleplay.folder import RoleplayParts

IN_OTHER_WORDS = frozenset({"SLM", "CCM"})
"""Mechanisms that hide how words belong together or what they point to: the words themselves are there."""


def task_problems(parts: RoleplayParts) -> Iterator[Problem]:
    """Every problem of a task, or between it and the profiles."""
    yield from _identities(parts)
    rehearsed = _rehearsed(parts)
    yield from _profiles(parts)
    for row in parts.tasks:
        task, line = row.value, row.line
        yield from code_problems(task, line)
        yield from _authored(task, line)
        yield from _facts(task, line)
        yield from _behaviour(task, line, parts.common.codebook)
        if rehearsed and not task.script:
            found = f"{task.id} has none, and the assistant {listed(rehearsed)} says nothing else"
            yield error(FILE, "script", found, "what the rehearsal says, turn by turn", line)


def _profiles(parts: RoleplayParts) -> Iterator[Problem]:
    if parts.profiles is None:
        return
    known = {one.id for one in parts.profiles.profiles}

    def wrong(name: str) -> tuple[str, str]:
        near = closest(name, known)
        return f"{shown(name)}, which is no profile", f"did you mean {near!r}?" if near else listed(
            sorted(known)
        )

    for row in parts.tasks:
        if row.value.profile not in known:
            yield error(FILE, "profile", *wrong(row.value.profile), row.line)
    for shipped in parts.shipped:
        # It may come from another study; a slip of the pen would let it be shown to its own profile.
        if shipped.value.profile not in known:
            yield warning("histories.jsonl", "profile", *wrong(shipped.value.profile), shipped.line)


def _identities(parts: RoleplayParts) -> Iterator[Problem]:
    tasks = {row.value.id: row.line for row in parts.tasks}
    for row in parts.shipped:
        if row.value.id in tasks:
            found = f"the id {shown(row.value.id)} is in {FILE}, line {tasks[row.value.id]}, too"
            yield error("histories.jsonl", "id", found, "an id of its own", row.line)


def _rehearsed(parts: RoleplayParts) -> list[str]:
    if parts.settings is None:
        return []
    gate = parts.settings.roleplay.gate
    return [one.name for one in parts.settings.assistants if one.model == "rehearsal" and one.name != gate]


# -- words -------------------------------------------------------------------------------------


def missing(task: Task) -> tuple[str, ...]:
    """What a researcher has yet to write before a task may count."""
    wanted = {name: bool(getattr(task, name)) for name in ("brief", "speaks", "resolution", "opening")}
    wanted["a withheld fact"] = any(one.status == "withheld" for one in task.facts)
    wanted["facts of its own instead of derived ones"] = not task.derived
    return tuple(name for name, there in wanted.items() if not there)


def _authored(task: Task, line: int) -> Iterator[Problem]:
    if not task.authored:
        found = f"{task.id} is unauthored and runs only as a pilot; it lacks {listed(missing(task))}"
        yield warning(FILE, "", found, line=line)


def _facts(task: Task, line: int) -> Iterator[Problem]:
    if twice := [one for one, count in Counter(one.id for one in task.facts).items() if count > 1]:
        yield error(
            FILE, "facts", f"{task.id}: {listed(twice)} twice", "an id of its own for each fact", line
        )
    for one in task.facts:
        if one.how is not None and one.how not in task.mechanisms:
            found = f"{task.id}: the fact {one.id} is hidden by {one.how}"
            yield warning(FILE, "facts", found, f"one of the pair, {' or '.join(task.mechanisms)}", line)
        if one.status == "withheld" and gives_away(task.opening, one):
            found = f"{task.id}: it seems to hold the withheld fact {one.id}, {shown(one.text)}"
            yield warning(FILE, "opening", found, "an opening that leaves it out", line)
    if task.authored and (idle := set(task.mechanisms) - {one.how for one in task.facts}):
        found = f"{task.id}: no fact is hidden by {listed(sorted(idle))}"
        yield warning(FILE, "facts", found, "a withheld fact for each mechanism of the pair", line)


def gives_away(opening: str, fact: Fact) -> bool:
    """Whether an opening seems to hold a fact: its text, or nearly all of its telling words."""
    if holds(opening, fact.text):
        return True
    return fact.how not in IN_OTHER_WORDS and nearly_holds(opening, fact.text)


def _behaviour(task: Task, line: int, codebook: Codebook | None) -> Iterator[Problem]:
    entries = codebook.entries if codebook else ()
    names = [one.name for one in entries if one.label in MECHANISMS]
    named = [one for one in MECHANISMS if re.search(rf"\b{one}\b", task.speaks)]
    named += [one for one in names if one.casefold() in task.speaks.casefold()]
    if named:
        found = f"{task.id}: it names {listed(named)}, which a participant does not learn"
        yield warning(FILE, "speaks", found, "how this person speaks, as behaviour", line)
