"""The application: paints first, opens the database behind it, then shows the screen it was started for.

Importing this module loads neither pydantic nor a database nor numpy; what needs them is imported in the
thread that opens the database.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Static

from capa_tui.keys import display, read_keymap
from capa_tui.steady import hung_up, steady_terminal
from capa_tui.theme import THEMES
from studies.errors import CapaError

if TYPE_CHECKING:
    from capa_tui.services import Services

Opening = Callable[["CapaApp"], Awaitable[Screen[Any]]]
"""Opens what the application needs, without holding up the event loop, and gives its first screen."""


TERMINAL_SECONDS = 2.0
"""How often it is looked whether the terminal is still there."""


class CapaApp(App[Any]):
    """The shell around all screens. It exits with the result of the first one."""

    TITLE = "capa-tui"
    CSS = """
    #opening { width: 100%; height: 100%; content-align: center middle; text-align: center; }
    Toast { text-style: none; }
    """
    ENABLE_COMMAND_PALETTE = True
    BINDINGS = [
        Binding("ctrl+q", "quit", "Leave", show=False, priority=True, tooltip="Leave; asks first"),
        Binding("ctrl+p", "command_palette", "find", show=False, tooltip="Find everything by its name"),
    ]

    def __init__(self, opening: Opening, keymap: dict[str, str] | None = None) -> None:
        """An application that shows what `opening` opens."""
        super().__init__()
        self._opening = opening
        self._swallow_release = False
        self._hanging_up = False
        self.failure: CapaError | None = None
        """Why it could not open, to be said once the terminal is normal again."""
        for one in THEMES.values():
            self.register_theme(one)
        self.theme = THEMES.get(os.environ.get("CAPA_TUI_THEME", ""), THEMES["dark"]).name
        if "TEXTUAL_ANIMATIONS" not in os.environ:
            # Motion costs time, and times are recorded.
            self.animation_level = "none"
        if keymap:
            self.set_keymap(keymap)

    def compose(self) -> ComposeResult:
        """The first frame needs no data."""
        yield Static("capa-tui\n\nopening...", id="opening", markup=False)

    def on_mount(self) -> None:
        """Open behind the first frame."""
        self._watch_terminal()
        self.call_after_refresh(
            lambda: self.run_worker(self._open(), group="opening", exit_on_error=True) and None
        )

    async def _open(self) -> None:
        try:
            screen = await self._opening(self)
        except CapaError as error:
            self.failure = error
            self.exit(return_code=error.exit_code)
            return
        self.push_screen(screen, self.exit)

    # -- input ---------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """Hand input on only to a screen that had been painted when it was made."""
        watched = isinstance(event, events.InputEvent | events.Paste) and not event.is_forwarded
        if watched or isinstance(event, events.AppFocus | events.AppBlur):
            for screen in reversed(self.screen_stack):
                noticed = getattr(screen, "noticed", None)
                if noticed is not None:
                    noticed(event)
        if watched and not self._taken(event):
            return
        await super().on_event(event)

    def on_key(self, event: events.Key) -> None:
        """Give a key that comes back unused to the text field that has got the focus in the meantime.

        Keys typed in one go are handed on at once: those behind the key that opens a field went to the
        widget before it.
        """
        field = self.focused
        if field is not None and field.check_consume_key(event.key, event.character):
            event.stop()
            event.prevent_default()
            # A new one: what was stopped once is not handled again.
            field.post_message(events.Key(event.key, event.character))

    def _taken(self, event: events.Event) -> bool:
        takes = getattr(self.screen, "takes", None)
        taken = takes is None or takes(event)
        if isinstance(event, events.MouseDown):
            self._swallow_release = not taken
        elif isinstance(event, events.MouseUp) and self._swallow_release:
            # A click belongs to the screen on which it began.
            self._swallow_release = False
            return False
        return bool(taken)

    async def action_quit(self) -> None:
        """Leave, asking first where somebody is in the middle of something."""
        for screen in reversed(self.screen_stack):
            ask = getattr(screen, "action_pause", None)
            if ask is not None and screen is self.screen:
                ask()
                return
            if ask is not None:
                # A dialog is open over it: closing that comes first.
                return
        self.exit()

    def action_colours(self) -> None:
        """The next theme."""
        names = [one.name for one in THEMES.values()]
        self.theme = names[(names.index(self.theme) + 1) % len(names)]

    def get_key_display(self, binding: Binding) -> str:
        """Keys in words."""
        return binding.key_display or display(binding.key)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """What the palette finds: what the screen offers, and the colours."""
        offered = getattr(screen, "commands", None)
        if offered is not None:
            yield from offered()
        for word, one in THEMES.items():
            yield SystemCommand(f"Colours: {word}", f"Show everything in the {word} theme",
                                lambda name=one.name: setattr(self, "theme", name))  # fmt: skip

    # -- the end -------------------------------------------------------------------------------

    def _watch_terminal(self) -> None:
        if not self.is_headless:
            self.set_interval(TERMINAL_SECONDS, lambda: self._hang_up() if hung_up() else None)
        loop = asyncio.get_running_loop()
        for one in (signal.SIGHUP, signal.SIGTERM):
            try:
                loop.add_signal_handler(one, self._hang_up)
            except (NotImplementedError, RuntimeError, ValueError):
                # Not the main thread (tests), or not a Unix loop.
                return

    def _hang_up(self) -> None:
        if self._hanging_up:
            return
        self._hanging_up = True
        self.run_worker(self._leave_in_order(), group="leaving", exit_on_error=False)

    async def _leave_in_order(self) -> None:
        for screen in reversed(self.screen_stack):
            hang_up = getattr(screen, "hang_up", None)
            if hang_up is not None:
                await hang_up()
        self.exit()

    def run_to_exit_code(self) -> int:
        """Run to the end; the process's exit code.

        Raises:
            CapaError: it could not open.
        """
        with steady_terminal():
            self.run()
        if self.failure is not None:
            raise self.failure
        return self.return_code or 0


def participant_app(
    database: Path, study: str, code: str, *, pilot: bool = False, ask_if_new: bool = True
) -> CapaApp:
    """The application for one participant's visit; it exits when the visit ends."""
    return _Served(database, lambda app, services: _visit(app, services, study, code, pilot, ask_if_new))


def home_app(database: Path) -> CapaApp:
    """The application for the researcher."""

    async def home(app: CapaApp, services: Services) -> Screen[Any]:
        from capa_tui.wiring import home_screen

        return home_screen(services)

    return _Served(database, home)


class _Served(CapaApp):
    """An application over a database, which it closes at the end."""

    def __init__(self, database: Path, first: Callable[[CapaApp, Services], Awaitable[Screen[Any]]]) -> None:
        self._database, self._first = database, first
        self._services: Services | None = None
        super().__init__(lambda _: self._open_database(), read_keymap())

    async def _open_database(self) -> Screen[Any]:
        def load() -> Services:
            from capa_tui.services import Services

            return Services.open(self._database)

        self._services = await asyncio.to_thread(load)
        screen = await self._first(self, self._services)
        # What is loaded by now stays loaded: looking through it for garbage would hold up a key.
        gc.freeze()
        return screen

    def run_to_exit_code(self) -> int:
        """Run to the end, then close the database."""
        try:
            return super().run_to_exit_code()
        finally:
            if self._services is not None:
                self._services.close()


async def _visit(
    app: CapaApp, services: Services, study: str, code: str, pilot: bool, ask_if_new: bool
) -> Screen[Any]:
    from screens.dialogs import confirm
    from screens.visit import VisitScreen
    from studies.errors import UnknownCodeError

    try:
        visit = await services.seat(study, code, pilot=pilot, known=ask_if_new)
    except UnknownCodeError:
        asked = confirm(
            "New participant?",
            f"The code {code} has not been used in this study before.",
            "Yes, I am new here",
            "No, leave",
        )
        if not await app.push_screen_wait(asked):
            raise
        visit = await services.seat(study, code, pilot=pilot)
    return VisitScreen(visit, services.station)
