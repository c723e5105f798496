"""A copy of the sheet for the person, saved whenever they ask for one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from io import StringIO

from screens.participant import ParticipantScreen
from screens.sheet_copy import copies, file_name, write_copies
from studies.specification.views import SheetView


class CopyingScreen(ParticipantScreen):
    """Saves copies beside the screen, one at a time: a slow disk holds up no key."""

    _copying = False

    def save_copy(self, view: SheetView) -> None:
        """Save a copy of a sheet as it is now."""
        if self._copying:
            self.say("A copy is still being saved.", urgent=True)
            return
        self._copying = True
        self.say("Saving a copy ...")
        self.run_worker(self._copy(file_name(view.title), copies(view)), group="copy")

    async def _copy(self, name: str, texts: Mapping[str, str]) -> None:
        from platformdirs import user_downloads_path

        try:
            if self.app.is_web:
                for ending, text in texts.items():
                    self.app.deliver_text(StringIO(text), save_filename=f"{name}{ending}")
                self.say("Your browser saves the copy: Markdown and JSON.")
                return
            written = await asyncio.to_thread(write_copies, user_downloads_path(), name, texts)
        except OSError as error:
            self.say(f"No copy was saved: {error.strerror or error}. The sheet itself is safe.", urgent=True)
        else:
            self.say(f"Saved: {written[0]} and {written[-1].suffix}")
        finally:
            self._copying = False
