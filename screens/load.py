"""Load a study folder: choose it, see every problem at once, or have it copied into the database."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.widgets import DirectoryTree, Input
from textual.widgets.directory_tree import DirEntry
from textual.widgets.tree import TreeNode

from screens import words
from screens.dialogs import confirm, message
from screens.form_dialog import Folders, expanded
from screens.lab import LabScreen
from screens.widgets.bars import KeyBar, WhereAmI
from screens.widgets.panes import Pane
from screens.widgets.text import PlainText
from studies.errors import FolderError, Problem
from studies.ports import Desk, Loaded, StudyRecord
from studies.study import Study
from studies.visible import visible_line

SHOWN = 1_000
"""Problems that are spelled out; more than that is one mistake many times."""
MARK = "study.toml"


class LoadScreen(LabScreen[StudyRecord | None]):
    """The result is the version that was loaded, or None."""

    CSS_PATH = ["lab.tcss", "load.tcss"]
    HELP = (
        "Type the path of a study folder, or choose it below: folders that hold a study are marked. "
        "Everything is checked before anything is stored; all problems are shown at once, by file and line."
    )
    BINDINGS = [
        Binding("escape", "leave", "back", tooltip="Back to the folders, or to the studies"),
    ]

    def __init__(self, desk: Desk, start: Path, *, at_once: bool = False) -> None:
        """A choice of folders.

        Args:
            desk: takes the study.
            start: the folder to begin in.
            at_once: check and load `start` itself.
        """
        super().__init__()
        self._desk = desk
        self._start = start
        self._at_once = at_once

    def compose(self) -> ComposeResult:
        """The path, and folders or problems below it."""
        yield WhereAmI("Load a study folder")
        with Horizontal(id="load-row"):
            yield PlainText("Folder")
            yield PathField(
                str(self._start) + os.sep, suggester=Folders(), compact=True, select_on_focus=False, id="path"
            )
        yield FolderTree(self._start if not self._at_once else self._start.parent, id="folders")
        with Pane(id="problems"):
            yield PlainText(id="problem-list")
        yield PlainText(id="says")
        yield KeyBar(stateful=False)

    def on_mount(self) -> None:
        """Begin in the path."""
        super().on_mount()
        self.query_one("#folders").border_title = "Folders"
        self.set_focus(self.query_one("#path"))
        self._say("Enter checks and loads; Right completes a path; Tab goes to the folders.")
        if self._at_once:
            self.call_after_refresh(self.action_load)

    def action_leave(self) -> None:
        """Go back one step."""
        if self.has_class("-problems"):
            self._show(())
            self.set_focus(self.query_one("#path"))
        else:
            self.dismiss(None)

    def action_load(self) -> None:
        """Check the folder, and load it if it is sound."""
        self.begin(self._load, self.query_one("#path", Input).value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_load()

    @on(DirectoryTree.DirectorySelected)
    def _chosen(self, event: DirectoryTree.DirectorySelected) -> None:
        event.stop()
        path = self.query_one("#path", Input)
        path.value = str(event.path) + os.sep
        path.cursor_position = len(path.value)
        if (event.path / MARK).is_file():
            self.set_focus(path)

    def _say(self, text: str) -> None:
        self.query_one("#says", PlainText).update(text)

    def _show(self, problems: Sequence[Problem]) -> None:
        self.set_class(bool(problems), "-problems")
        lines = [str(one) if not one.warning else f"warning: {one}" for one in problems[:SHOWN]]
        if len(problems) > SHOWN:
            lines.append(f"and {len(problems) - SHOWN:,} more")
        self.query_one("#problem-list", PlainText).update("\n".join(lines))
        errors = sum(1 for one in problems if not one.warning)
        warnings = len(problems) - errors
        pane = self.query_one("#problems", Pane)
        pane.border_title = f"{words.counted(errors, 'problem')}, {words.counted(warnings, 'warning')}"
        pane.renew()

    async def _load(self, typed: str) -> None:
        if not typed.strip():
            self._say("Which folder?")
            return
        self._say("Checking ...")
        study, problems = await asyncio.to_thread(examine, expanded(typed))
        if study is None:
            self._show(problems)
            self._say("Nothing was loaded. Correct the files, then press Enter to check again.")
            self.set_focus(self.query_one("#path"))
            return
        self._say("Nothing was loaded.")
        if problems and not await self._warned(problems):
            self._show(problems)
            return
        loaded = await self.attempt("The study was not loaded", self._desk.load(study))
        if loaded is not None:
            await self.app.push_screen_wait(message("Loaded", _loaded(loaded), "Go on"))
            self.dismiss(loaded.record)

    async def _warned(self, warnings: Sequence[Problem]) -> bool:
        asked = confirm(
            f"Load it with {words.counted(len(warnings), 'warning')}?",
            "A loaded version is frozen: corrected files become another one.\n\n"
            + "\n".join(str(one) for one in warnings[:SHOWN]),
            "Load it as it is",
            "Correct the files first",
        )
        return await self.app.push_screen_wait(asked) is True


def examine(folder: Path) -> tuple[Study | None, Sequence[Problem]]:
    """The study in a folder with its warnings, or None with all its problems. Reads the disk."""
    from studies.folder import parse, read_files
    from studies.folder_checks import check

    try:
        files = read_files(folder)
        problems = check(files)
        if any(not one.warning for one in problems):
            return None, problems
        return parse(files), problems
    except FolderError as error:
        return None, error.problems


def _loaded(loaded: Loaded) -> str:
    record = loaded.record
    already = "" if loaded.new else "It was there already; nothing changed. "
    return f"{already}{record.title} is {record.reference}, with {words.counted(record.items, 'item')}."


class PathField(Input):
    """The path. Enter loads what is there."""

    BINDINGS = [Binding("enter", "submit", "check and load", tooltip="Check the folder and load it")]


class FolderTree(DirectoryTree):
    """Folders only, those that hold a study marked; names are never parsed."""

    ICON_NODE = ""
    ICON_NODE_EXPANDED = ""

    def __init__(self, path: Path, *, id: str | None = None) -> None:
        super().__init__(path, id=id)
        self._studies: set[Path] = set()

    def filter_paths(self, paths: Iterable[Path]) -> Iterable[Path]:
        """Leave files and hidden folders out. Called in a thread."""
        kept = []
        for one in paths:
            try:
                if one.name.startswith(".") or not one.is_dir():
                    continue
                if (one / MARK).is_file():
                    self._studies.add(one)
            except OSError:
                continue
            kept.append(one)
        return kept

    def process_label(self, label: str | Text) -> Text:
        """A folder's name on one line, as it is."""
        return Text(visible_line(label if isinstance(label, str) else label.plain))

    def render_label(self, node: TreeNode[DirEntry], base_style: Style, style: Style) -> Text:
        """The name, open or closed, and whether it holds a study."""
        mark = "  (study)" if node.data is not None and node.data.path in self._studies else ""
        front = "- " if node.is_expanded else "+ "
        return Text.assemble(front, str(node.label), mark, style=base_style + style)
