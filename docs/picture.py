"""Draw the pictures of the README from the program itself: `make picture`.

The bundled study runs in throwaway databases with simulated people, most of whose labels are the intended
ones: a participant's screen is drawn as they see it, and the researcher's figures once all have finished.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from textual.pilot import Pilot

from capa_tui.app import CapaApp, home_app, participant_app
from capa_tui.services import Services
from screens.agreement import AgreementScreen
from screens.annotation import AnnotationScreen
from screens.home import HomeScreen
from studies import bundles
from studies.clock import SystemClock
from studies.runner import Visit
from studies.steps import Done, Field, Step

if TYPE_CHECKING:
    from studies.study import Study

CHANCE = random.Random(1)
DOCS = Path(__file__).resolve().parent
PEOPLE = 12
WHO, SHOWN = 4, "a-056"
"""Who is drawn at which request: one that points back unclearly."""
SHARE_INTENDED = 0.75
"""Of labels."""


def fixed_token(nbytes: int | None = None) -> str:
    """The next of always the same ids."""
    return CHANCE.randbytes(nbytes or 16).hex()


class Unhurried(SystemClock):
    """A clock by which every answer takes its time, so that no speed limit excludes the simulated."""

    _ms = 0

    def monotonic_ms(self) -> int:
        """Milliseconds; each look takes four seconds."""
        self._ms += 4_000
        return self._ms


class Simulated:
    """One of the people: labels as intended, or as its neighbour in the codebook."""

    def __init__(self, study: Study, seed: int) -> None:
        self._intended = {one.id: one.gold for one in study.items}
        self._checks = {one.id: one.dominant for one in study.checks}
        self._neighbours = {one.label: one.neighbour for one in study.codebook.entries}
        self._chance = random.Random(seed)

    def answer(self, step: Step, field: Field) -> Any:
        """Any answer."""
        if field.name == "dominant":
            return self._label(step, field)
        if field.kind == "text":
            return "It could be either." if field.required else None
        if field.kind in ("consent", "choice"):
            return field.options[0].value if field.name != "flag" else False
        if field.kind == "scale":
            return self._chance.choice(field.options).value
        return [] if field.kind == "multi" else None

    def _label(self, step: Step, field: Field) -> Any:
        if step.about in self._checks:
            return self._checks[step.about]
        intended = self._intended.get(step.about or "")
        if intended and self._chance.random() > SHARE_INTENDED:
            intended = self._neighbours[intended]
        return intended or self._chance.choice(field.options[:6]).value


async def walk(visit: Visit, person: Simulated, until: Callable[[Step], bool]) -> None:
    """Answer field by field until a step fulfils `until`, or to the end."""
    await visit.begin("plain")
    while not isinstance(step := visit.current, Done) and not until(step):
        name = visit.next_ask()
        if name is None:
            await visit.leave(step)
        else:
            await visit.answer(step.ask_id(name), person.answer(step, step.field(name)), walk=True)
    await visit.pause()


async def take_part(db: Path, people: int, until: Callable[[Step], bool] = lambda step: False) -> str:
    """So many people come, each to the end or until a step; what the study is called."""
    study = bundles.study("annotation")
    async with Services.open(db) as services:
        services.clock = Unhurried()
        reference = (await services.desk.load(study)).record.reference
        for number in range(1, people + 1):
            visit = await services.seat(reference, f"person-{number}")
            await walk(visit, Simulated(study, number), until)
    return reference


async def annotate(app: CapaApp, pilot: Pilot[Any]) -> None:
    """Half annotate the request that is up."""
    screen = await at(AnnotationScreen, app, pilot)
    labels = [one.value for one in screen.step.fields[0].options]
    await pilot.press(str(labels.index("CCM") + 1), "a", str(labels.index("HCO") + 1), "a", "s", "4")


async def look(app: CapaApp, pilot: Pilot[Any]) -> None:
    """Open the figures and wait for them."""
    await at(HomeScreen, app, pilot)
    while not app.screen.chosen:  # type: ignore[attr-defined]
        await pilot.pause()
    await pilot.press("a")
    screen = await at(AgreementScreen, app, pilot)
    while not screen.query_one("#figures").display:
        await pilot.pause()


async def at(sort: type[Any], app: CapaApp, pilot: Pilot[Any]) -> Any:
    """The screen of that sort, once it is up and takes keys.

    Raises:
        RuntimeError: another one stays up.
    """
    for _ in range(1_000):
        if isinstance(app.screen, sort) and getattr(app.screen, "is_open", False):
            return app.screen
        await pilot.pause()
    raise RuntimeError(f"{type(app.screen).__name__} is up instead of {sort.__name__}")


async def draw(
    name: str, app: CapaApp, size: tuple[int, int], act: Callable[[CapaApp, Pilot[Any]], Any]
) -> None:
    """Run the application without a terminal, do something in it, and keep what it shows."""
    async with app.run_test(size=size) as pilot:
        await act(app, pilot)
        await pilot.pause()
        picture = app.export_screenshot(title="capa-tui")
    # A picture loads no fonts from elsewhere; a viewer's own will do.
    picture = re.sub(r"@font-face \{.*?\}\n?", "", picture, flags=re.DOTALL)
    (DOCS / name).write_text(
        "\n".join(line.rstrip() for line in picture.splitlines()) + "\n", encoding="utf-8"
    )


async def main() -> None:
    """Draw the pictures."""
    # People's random ids decide the order of the sets that a bootstrap draws from.
    secrets.token_hex = fixed_token
    with TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = os.environ["XDG_CONFIG_HOME"] = folder
        begun, finished = Path(folder) / "begun.db", Path(folder) / "finished.db"
        name = await take_part(begun, WHO, lambda step: step.about == SHOWN)
        await draw("annotate.svg", participant_app(begun, name, f"person-{WHO}"), (100, 32), annotate)
        await take_part(finished, PEOPLE)
        await draw("agreement.svg", home_app(finished), (96, 40), look)


if __name__ == "__main__":
    asyncio.run(main())
