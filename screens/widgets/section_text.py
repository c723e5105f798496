"""The text of one section of a sheet while a person rewrites it."""

from __future__ import annotations

from textual.widgets import TextArea

from screens.widgets.note import NoteField


class SectionText(NoteField, inherit_bindings=False):
    """The text of a section while it is rewritten. Leaving it is the screen's."""

    HELP = (
        "The text of this section, as you want it. ctrl+s takes it over; Escape leaves the section as "
        "it was, and keeps what you typed for when you come back to it."
    )
    BINDINGS = TextArea.BINDINGS
