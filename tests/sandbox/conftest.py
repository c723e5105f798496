"""Judges for tests: one for each isolation, kept for the whole run."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from capa_tui.sandbox.judge import SandboxJudge
from capa_tui.sandbox.pair import Isolation

ISOLATIONS: tuple[Isolation, ...] = ("bubblewrap", "landlock")


@pytest.fixture(scope="session", params=ISOLATIONS)
def isolation(request: pytest.FixtureRequest) -> Isolation:
    """Each isolation in turn."""
    which: Isolation = request.param
    return which


@pytest.fixture(scope="session")
def judge(isolation: Isolation) -> Iterator[SandboxJudge]:
    """A judge that uses this isolation."""
    one = SandboxJudge(isolation=isolation)
    missing = one.available()
    if missing and not os.environ.get("CI"):
        pytest.skip(missing)
    assert missing is None
    yield one
    asyncio.run(one.close())


@pytest.fixture
def secret(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A file that this user can read, and code under test must not."""
    path = tmp_path_factory.mktemp("secret") / "secret"
    path.write_text("what the sandbox must not show")
    path.chmod(0o644)
    before = _looks(path)
    yield str(path)
    assert _looks(path) == before


def _looks(path: Path) -> tuple[object, ...]:
    now = path.stat()
    return now.st_size, now.st_mode, now.st_mtime_ns, os.listdir(path.parent), os.listxattr(path)
