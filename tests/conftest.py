"""What every test shares: nothing of the machine it runs on, and no snapshots of another Textual."""

from __future__ import annotations

import gc
import os
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

from storage import database

# No test asserts a time, hypothesis included.
settings.register_profile("capa-tui", deadline=None)
settings.load_profile("capa-tui")

FROM_OUTSIDE = ("CAPA_TUI_", "TEXTUAL", "NO_COLOR", "FORCE_COLOR", "COLORTERM")
"""Beginnings of variables that change what the program does or looks like."""
SNAPSHOTS = "TEXTUAL_SNAPSHOT_TEMPDIR"
"""The snapshot plug-in's own."""


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders not there yet. To number one, pytest would read the names of all that were made before."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def _isolated(
    request: pytest.FixtureRequest, _homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home, and data, configuration and cache folders of the test's own."""
    if request.node.get_closest_marker("wheel"):
        # An installation needs the machine's own settings for it.
        return
    home = next(_homes)
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("DATA", "CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    for name in [one for one in os.environ if one.startswith(FROM_OUTSIDE) and one != SNAPSHOTS]:
        monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends a program here leaves the machine running, which then has all that was written.

    Programs started by a test, and tests of the database itself, wait as anybody's do.
    """
    if not request.node.get_closest_marker("durable"):
        pragmas = [one for one in database._PRAGMAS if not one.startswith("synchronous")]
        monkeypatch.setattr(database, "_PRAGMAS", (*pragmas, "synchronous = OFF"))


def pytest_configure(config: pytest.Config) -> None:
    """Snapshots belong to the pinned Textual; another one must not rewrite them."""
    if not getattr(config.option, "update_snapshots", False):
        return
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8"))
    pinned = next(one for one in project["project"]["dependencies"] if one.startswith("textual=="))
    if pinned != f"textual=={version('textual')}":
        raise pytest.UsageError(f"snapshots are made with {pinned}; here is textual {version('textual')}")


def pytest_collection_finish() -> None:
    """Screens leave many objects; at its own pace the collector takes a sixth of a test's time."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
