"""The rules of single tasks: what is authored, what an opening gives away, whether code can be read at all.

Nothing of a study folder is run here: code is only parsed.
"""

from __future__ import annotations

import ast
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from studies.errors import Problem
from studies.findings import error, warning
from studies.reading import closest, listed, shown
from studies.roleplay.materials import Fact, Task
from studies.taxonomy import MECHANISMS

if TYPE_CHECKING:
    from studies.annotation.materials import Codebook
    from studies.roleplay.folder import RoleplayParts

FILE = "tasks.jsonl"
GIVEN_AWAY = 0.8
"""Share of a withheld fact's telling words from which an opening may hold it."""
FEW_WORDS = 3
"""Telling words below which nothing can be said."""
IN_OTHER_WORDS = frozenset({"SLM", "CCM"})
"""Mechanisms that hide how words belong together or what they point to: the words themselves are there."""
_COMMON = """
about also always been both does each else ever every from have into itself made make makes more most must
never next none only other over same some such than that their them then there these they this those upon
very what when where which while whose will with within without would
"""
_COMMON_WORDS = frozenset(_COMMON.split())
_TELLING = re.compile(r"[^\W\d_]{4,}|\d+(?:[.,]\d+)*")


def task_problems(parts: RoleplayParts) -> Iterator[Problem]:
    """Every problem of a task, or between it and the profiles."""
    yield from _identities(parts)
    rehearsed = _rehearsed(parts)
    yield from _profiles(parts)
    for row in parts.tasks:
        task, line = row.value, row.line
        yield from _code(task, line)
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


# -- code --------------------------------------------------------------------------------------


def _code(task: Task, line: int) -> Iterator[Problem]:
    trees: dict[str, ast.Module] = {}
    for key, source in (("prompt", task.prompt), ("reference", task.reference), ("tests", task.tests)):
        if not source:
            continue
        tree = _parsed(source)
        if key == "prompt" and isinstance(tree, str):
            # It may end in the line of a function whose body is the candidate's.
            tree = _parsed(f"{source.rstrip()}\n    pass\n")
        if isinstance(tree, str):
            yield error(FILE, key, f"{task.id}: {tree}", "Python that can be parsed", line)
        else:
            trees[key] = tree
    if "reference" in trees and task.entry_point not in _defined(trees["reference"]):
        found = f"{task.id}: the reference does not define {task.entry_point}"
        yield error(FILE, "reference", found, f"a function {task.entry_point}", line)
    if "tests" in trees and "check" not in _defined(trees["tests"]):
        yield error(FILE, "tests", f"{task.id}: no function check", "check(candidate)", line)
    if not re.search(rf"\b{task.entry_point}\b", task.interface):
        found = f"{shown(task.interface)} does not name {task.entry_point}"
        yield error(FILE, "interface", found, "the signature line of the entry point", line)
    for place, pair in enumerate(task.pairs):
        arguments, result = _literal(pair.arguments), _literal(pair.result)
        if not (arguments and isinstance(arguments[0], tuple)):
            found, expected = shown(pair.arguments), "a tuple of Python literals, as in (1, 2) or (1,)"
            yield error(FILE, f"pairs.{place}.arguments", found, expected, line)
        if not result:
            yield error(FILE, f"pairs.{place}.result", shown(pair.result), "a Python literal", line)


def _parsed(source: str) -> ast.Module | str:
    try:
        # Odd escapes and comparisons in other people's code are no concern of ours.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as problem:
        return f"line {problem.lineno or 1}: {problem.msg}"
    except (ValueError, RecursionError, MemoryError) as problem:
        return f"cannot be parsed: {problem or type(problem).__name__}"


def _defined(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Assign(targets=targets):
                names |= {one.id for one in targets if isinstance(one, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                names |= {one.asname or one.name for one in imported}
    return names


def _literal(text: str) -> tuple[object] | None:
    """The value of a literal in a tuple of one, so that a None differs from none."""
    try:
        return (ast.literal_eval(text.strip()),)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None


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
    if _key(fact.text) in _key(opening):
        return True
    if fact.how in IN_OTHER_WORDS:
        return False
    told = _telling(fact.text)
    return len(told) >= FEW_WORDS and len(told & _telling(opening)) >= GIVEN_AWAY * len(told)


def _key(text: str) -> str:
    return unicodedata.normalize("NFC", " ".join(text.split())).casefold().rstrip(".")


def _telling(text: str) -> set[str]:
    words = (one.removesuffix("s") for one in _TELLING.findall(_key(text)))
    return {one for one in words if one not in _COMMON_WORDS}


def _behaviour(task: Task, line: int, codebook: Codebook | None) -> Iterator[Problem]:
    entries = codebook.entries if codebook else ()
    names = [one.name for one in entries if one.label in MECHANISMS]
    named = [one for one in MECHANISMS if re.search(rf"\b{one}\b", task.speaks)]
    named += [one for one in names if one.casefold() in task.speaks.casefold()]
    if named:
        found = f"{task.id}: it names {listed(named)}, which a participant does not learn"
        yield warning(FILE, "speaks", found, "how this person speaks, as behaviour", line)
