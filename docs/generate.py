"""Write what is generated in the pages: outputs of the walk-through, event kinds, tables.

`python docs/generate.py` runs the README's walk-through and writes its true outputs into the README, and the
registered events and the database's schema into data-model.md. A test holds that the pages are current.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
import re
import subprocess
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from studies.events import PAYLOAD_MODULES, Payload
from studies.schema_docs import descriptions

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
DATA_MODEL = ROOT / "docs" / "data-model.md"

FENCE = re.compile(r"^```(?P<language>\w+)(?: (?P<name>\S+))?\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    name: str
    """What the block is saved as, from the word behind the language; empty for none."""
    body: str


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    for one in FENCE.finditer(page):
        yield Block(one["language"], one["name"] or "", one["body"])


def commands(body: str) -> list[str]:
    """The commands of a `console` block: lines behind `$`, with the lines that go on behind a backslash."""
    found: list[str] = []
    goes_on = False
    for line in body.splitlines():
        if goes_on:
            found[-1] += f"\n{line}"
        elif line.startswith("$ "):
            found.append(line[2:])
        goes_on = (goes_on or line.startswith("$ ")) and line.endswith("\\")
    return found


# -- the walk-through --------------------------------------------------------------------------


def environment(folder: Path) -> dict[str, str]:
    """Variables under which `capa-tui` and `python3` are this checkout's, and nothing outside is written."""
    shims = folder / "shims"
    shims.mkdir(exist_ok=True)
    for name, module in (("capa-tui", "-m capa_tui"), ("python3", "")):
        shim = shims / name
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n', encoding="utf-8")
        shim.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CAPA_TUI_")}
    return kept | {
        "PATH": f"{shims}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        # So that what is said and what is printed come in the order a terminal shows them in.
        "PYTHONUNBUFFERED": "1",
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "COLUMNS": "80",
    }


def with_outputs(page: str, folder: Path) -> str:
    """The page with the true output of each command, all run in one shell in `folder`.

    Blocks with a name are saved there first.

    Raises:
        RuntimeError: a command failed.
    """
    work = folder / "work"
    work.mkdir()
    script: list[str] = ["set -e -o pipefail"]
    for one in blocks(page):
        if one.name:
            (work / one.name).write_text(one.body, encoding="utf-8")
        if one.language == "console":
            script += (f"{command}\nprintf '\\0'" for command in commands(one.body))
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=work,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    if done.returncode:
        raise RuntimeError(f"the walk-through failed: {done.stdout}")
    outputs = iter(done.stdout.split("\0"))

    def renewed(match: re.Match[str]) -> str:
        if match["language"] != "console":
            return match.group()
        shown = "".join(f"$ {one}\n{next(outputs)}" for one in commands(match["body"]))
        return f"```console\n{shown}```"

    return FENCE.sub(renewed, page)


# -- events ------------------------------------------------------------------------------------


def payloads(module: str) -> list[type[Payload]]:
    """The event payloads that a module defines, in its order."""
    return [
        one
        for one in vars(importlib.import_module(module)).values()
        if isinstance(one, type) and issubclass(one, Payload) and one.kind and one.__module__ == module
    ]


def event_table(module: str) -> str:
    """Every event kind of a module with its fields, as a table."""
    rows = ["| event | field | type | meaning |", "|---|---|---|---|"]
    for one in payloads(module):
        rows.append(f"| **`{one.kind}`** | | | {_sentence(one.__doc__)} |")
        rows += _fields(one, "")
    return "\n".join(rows)


def _fields(cls: type[Any], prefix: str) -> Iterator[str]:
    meanings = descriptions(cls)
    hints = typing.get_type_hints(cls)
    for one in dataclasses.fields(cls):
        inner = one.metadata.get("of")
        meaning = meanings.get(one.name, "") or (_sentence(inner.__doc__) if inner else "")
        yield f"| | `{prefix}{one.name}` | {_type(hints[one.name])} | {_cell(meaning)} |"
        if inner:
            yield from _fields(inner, f"{prefix}{one.name}[].")


_TYPES: Mapping[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    types.NoneType: "null",
    Any: "any JSON",
}


def _type(hint: Any) -> str:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return " or ".join(f"`{one}`" for one in arguments)
    if origin in (types.UnionType, typing.Union):
        return " or ".join(map(_type, arguments))
    if origin is tuple and arguments[-1] is Ellipsis:
        return "objects" if dataclasses.is_dataclass(arguments[0]) else f"list of {_type(arguments[0])}"
    if origin is tuple:
        return f"pair ({', '.join(map(_type, arguments))})"
    return _TYPES.get(hint, "object")


def _sentence(text: str | None) -> str:
    return _cell((text or "").split("\n\n")[0])


def _cell(text: str) -> str:
    """Words on one line of a table, with JSON's names for Python's values."""
    for python, json in (("None", "null"), ("True", "true"), ("False", "false")):
        text = re.sub(rf"\b{python}\b", json, text)
    return " ".join(text.split()).replace("|", "\\|")


# -- tables ------------------------------------------------------------------------------------

CREATED = re.compile(r"^CREATE (TABLE|VIEW) (\w+)", re.MULTILINE)


def schema_tables(sort: Literal["TABLE", "VIEW"]) -> str:
    """The tables or views of a new database, with the words above them in its scripts and their columns."""
    from storage.database import open_database
    from storage.migrations import SCRIPTS, statements

    schema = "".join((ROOT / "storage" / one).read_text("utf-8") for one in SCRIPTS)
    rows: dict[str, str] = {}
    with TemporaryDirectory() as folder:
        database = open_database(Path(folder) / "empty.db")
        for statement in statements(schema):
            made = CREATED.search(statement)
            if made and made[1] == sort:
                columns = database.execute(f"PRAGMA table_xinfo({made[2]})").fetchall()
                names = ", ".join(f"`{column[1]}`" for column in columns)
                # A later script may make a view anew.
                rows[made[2]] = f"| `{made[2]}` | {_cell(_comment(statement[: made.start()]))} | {names} |"
        database.close()
    return "\n".join([f"| {sort.lower()} | what it holds | columns |", "|---|---|---|", *rows.values()])


def _comment(before: str) -> str:
    """The last paragraph of comments in what stands before a statement."""
    paragraph = before.strip("\n").split("\n\n")[-1]
    return " ".join(line.removeprefix("--").strip() for line in paragraph.splitlines())


# -- pages -------------------------------------------------------------------------------------


def parts() -> dict[str, str]:
    """What stands between `<!-- generated: NAME -->` and `<!-- end -->`, by name."""
    made = {f"events of {module}": event_table(module) for module in PAYLOAD_MODULES}
    return made | {"tables": schema_tables("TABLE"), "views": schema_tables("VIEW")}


def with_parts(page: str, made: Mapping[str, str]) -> str:
    """The page with each generated part written anew.

    Raises:
        KeyError: the page has a part that is not generated, or lacks one that is.
    """
    seen: set[str] = set()

    def renewed(match: re.Match[str]) -> str:
        seen.add(match[1])
        return f"<!-- generated: {match[1]} -->\n\n{made[match[1]]}\n\n<!-- end -->"

    page = re.sub(r"<!-- generated: (.+?) -->\n.*?<!-- end -->", renewed, page, flags=re.DOTALL)
    if missing := made.keys() - seen:
        raise KeyError(f"the page has no place for {', '.join(sorted(missing))}")
    return page


def main() -> None:
    """Write the pages."""
    page = README.read_text("utf-8")
    with TemporaryDirectory() as folder:
        renewed = with_outputs(page, Path(folder))
    if README.read_text("utf-8") != page:
        sys.exit("the README was edited while its walk-through ran; nothing was written, run this again")
    README.write_text(renewed, encoding="utf-8")
    DATA_MODEL.write_text(with_parts(DATA_MODEL.read_text("utf-8"), parts()), encoding="utf-8")


if __name__ == "__main__":
    main()
