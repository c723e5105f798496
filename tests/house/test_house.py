"""The shape of the house: what may be loaded when, and how large a file may grow."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("capa_tui", "screens", "storage", "studies")
HEAVY = (
    *("textual", "rich", "pydantic", "sqlite_utils", "pysqlite3", "sqlite3"),
    *("numpy", "scipy", "pandas", "litellm"),
)


def loaded_by(code: str) -> set[str]:
    """Which of the heavy packages a fresh interpreter has loaded after running `code`."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(set(sys.modules) & set({HEAVY!r}))))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd="/", timeout=60, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_command_line_loads_nothing_heavy() -> None:
    code = "from capa_tui.cli import parser\nparser().format_help()"
    assert loaded_by(code) == set()


def test_help_works_without_anything_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "capa_tui", "--help"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert "usage: capa-tui" in done.stdout
    names = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in done.stderr.splitlines()}
    assert "argparse" in names
    assert names & set(HEAVY) == set()


def domain_modules() -> list[str]:
    """Every module of the domain that needs no pydantic: all but models and what reads folders."""
    return [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in sorted((ROOT / "studies").rglob("*.py"))
        if path.name != "__init__.py"
    ]


def test_the_domain_loads_no_interface_no_sql_and_no_numbers() -> None:
    imports = "\n".join(f"import {name}" for name in domain_modules())
    assert loaded_by(imports) <= {"pydantic"}


@pytest.mark.parametrize(
    "module",
    ["studies.runner", "studies.protocol", "studies.annotation.protocol", "studies.ports", "studies.events"],
)
def test_what_a_visit_runs_on_loads_nothing_heavy(module: str) -> None:
    assert loaded_by(f"import {module}") == set()


def test_storing_loads_no_numbers() -> None:
    assert loaded_by("import storage.store").isdisjoint({"numpy", "scipy", "pandas"})
    # Nor do they stay hidden.
    assert "numpy" in loaded_by("import storage.store, numpy")


def test_the_front_end_loads_textual_and_nothing_else_before_its_first_paint() -> None:
    assert loaded_by("import capa_tui.app") <= {"textual", "rich"}


@pytest.mark.parametrize("package", PACKAGES)
def test_package_inits_are_empty(package: str) -> None:
    for path in (ROOT / package).rglob("__init__.py"):
        assert path.read_text() == "", path


def test_no_file_is_two_ideas() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if (lines := len(path.read_text().splitlines())) > 400
    }
    assert long == {}


def test_focus_moves_before_the_next_key() -> None:
    # `Widget.focus()` moves it later: of two keys typed in one go the second would go to the old widget.
    late = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in (ROOT / "screens").rglob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if ".focus()" in line
    ]
    assert late == []
