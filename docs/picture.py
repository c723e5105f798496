"""Draw the pictures of the README from the program itself: `make picture`.

The bundled study runs in a throwaway database: a participant's screen is drawn as they see it, and, once all
have taken part, the researcher's figures.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

DOCS = Path(__file__).resolve().parent
SIZE = (100, 30)


def answer(step: Any, field: Any, chance: random.Random) -> Any:
    """A plausible answer: mostly the intended label."""
    if field.kind == "consent":
        return True
    if field.kind == "multi":
        return []
    if field.kind in ("info", "text"):
        return "It could be either." if field.kind == "text" and field.required else None
    if field.name != "dominant":
        return field.options[len(field.options) // 2].value
    return chance.choice(field.options).value


async def walk(visit: Any, until: Callable[[Any], bool], label: Callable[[Any, Any], Any]) -> None:
    """Answer field by field until a step fulfils `until`, or to the end."""
    from studies.steps import Done

    while not isinstance(step := visit.current, Done) and not until(step):
        name = visit.next_ask()
        if name is None:
            await visit.leave(step)
        else:
            await visit.answer(step.ask_id(name), label(step, step.field(name)), walk=True)
    await visit.pause()


async def annotate(db: Path) -> str:
    """A request that points back into a dialogue, half annotated."""
    from capa_tui.app import participant_app
    from capa_tui.services import Services
    from screens.annotation import AnnotationScreen
    from studies import bundles

    chance = random.Random(7)
    async with Services.open(db) as services:
        loaded = await services.desk.load(bundles.study("annotation"))
        study = loaded.record.reference
        visit = await services.seat(study, "ada")
        await visit.begin("plain")
        await walk(
            visit,
            lambda step: step.id.startswith("main") and step.material.context,
            lambda step, field: answer(step, field, chance),
        )
    app = participant_app(db, study, "ada")
    async with app.run_test(size=SIZE) as pilot:
        while not isinstance(app.screen, AnnotationScreen):
            await pilot.pause()
        await pilot.press("3", "a", "4", "a", "s", "4")
        await pilot.pause()
        return app.export_screenshot(title="capa-tui")


async def main() -> None:
    """Draw the pictures."""
    with TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = os.environ["XDG_CONFIG_HOME"] = folder
        (DOCS / "annotate.svg").write_text(await annotate(Path(folder) / "picture.db"), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
