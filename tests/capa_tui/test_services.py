"""The wiring: what a process holds, and in which order it lets go."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support.labs import study_folder

from capa_tui.cli import main
from capa_tui.services import Services
from studies.errors import NoPlaceError


def test_a_stream_is_held_until_all_of_it_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db = tmp_path / "lab.db"
    assert main(["load", str(study_folder(tmp_path / "mechanisms", 2)), "--db", str(db)]) == 0
    services = Services.open(db)
    visit = asyncio.run(services.seat("mechanisms", "ada"))
    close, held = services.store.close, []

    def watched() -> None:
        with pytest.raises(NoPlaceError, match="open in another window"):
            services.store.lock(visit.stream)
        close()
        held.append(True)

    monkeypatch.setattr(services.store, "close", watched)
    services.close()
    assert held
    services.store.lock(visit.stream).release()
