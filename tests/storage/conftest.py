"""An open store, and a database path."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from storage.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lab.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    async with Store.open(path, "station", "test") as opened:
        yield opened
