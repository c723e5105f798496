"""The rules of a study's assistants, whatever the kind: their names, prompts, and who is told of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from studies.errors import Problem
from studies.findings import error, warning
from studies.reading import closest, listed, shown
from studies.settings import StudySettings

LOCAL = frozenset({"rehearsal", "local"})
"""Models whose calls leave no machine."""


def assistant_problems(settings: StudySettings, files: Collection[str]) -> Iterator[Problem]:
    """What is wrong with the assistants of a folder with these files."""
    names = [one.name for one in settings.assistants]
    if twice := [one for one, count in Counter(names).items() if count > 1]:
        yield error(
            "study.toml", "assistants", f"{listed(twice)} more than once", "a name of its own for each"
        )
    there = {name for name in files if name.startswith("prompts/")}
    for place, one in enumerate(settings.assistants):
        path = f"prompts/{one.prompt}"
        if one.prompt and path not in there:
            near = closest(path, there)
            expected = f"did you mean {near.removeprefix('prompts/')!r}?" if near else "a file in prompts/"
            found = f"{shown(one.prompt)}: there is no {path}"
            yield error("study.toml", f"assistants.{place}.prompt", found, expected)
    hosted = [one.name for one in settings.assistants if one.model not in LOCAL]
    if hosted and not any(one.covers == "processors" for one in settings.consent):
        found = f"{listed(hosted)} may send what participants write to others, and nobody is asked"
        yield warning("study.toml", "consent", found, 'an item with covers = "processors" that names them')


def named(settings: StudySettings, key: str, name: str, what: str = "an assistant") -> Iterator[Problem]:
    """A problem if `name` is none of the assistants."""
    names = [one.name for one in settings.assistants]
    if name not in names:
        near = closest(name, names)
        expected = f"did you mean {near!r}?" if near else "the name of one of [[assistants]]"
        yield error("study.toml", key, f"{shown(name)}, which is no assistant", expected)
