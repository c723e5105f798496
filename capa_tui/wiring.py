"""What the researcher's screens get: ports, and the two ways of seating somebody."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from capa_tui.services import Services
from screens.home import HomeScreen
from screens.lab import ExportFormat, Lab
from studies.ports import StudyRecord
from studies.runner import Visit

DEMO_CODE = "DEMO"


def home_screen(services: Services) -> HomeScreen:
    """The researcher's home over an open database."""
    return HomeScreen(lab_of(services))


def lab_of(services: Services) -> Lab:
    """An open database as the researcher's screens see it."""
    from storage.export.write import FORMATS

    @asynccontextmanager
    async def seat(study: StudyRecord, code: str, pilot: bool, known: bool) -> AsyncIterator[Visit]:
        visit = await services.seat_in(study, code, pilot=pilot, known=known)
        try:
            yield visit
        finally:
            services.rise()

    return Lab(
        archive=services.archive,
        desk=services.desk,
        clock=services.clock,
        database=str(services.store.path),
        formats=[ExportFormat(name, one.about, one.kinds) for name, one in FORMATS.items()],
        station=services.station,
        seat=seat,
        demo=_demo,
    )


@asynccontextmanager
async def _demo() -> AsyncIterator[Visit]:
    """The bundled annotation study in a database that is gone afterwards."""
    from studies import bundles

    with tempfile.TemporaryDirectory(prefix="capa-tui-demo-") as folder:
        opened = await asyncio.to_thread(Services.open, Path(folder) / "demo.db")
        async with opened as services:
            study = await asyncio.to_thread(bundles.study, "annotation")
            loaded = await services.desk.load(study)
            yield await services.seat_in(loaded.record, DEMO_CODE)
