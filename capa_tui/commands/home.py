"""`capa-tui` alone: the researcher's home."""

from __future__ import annotations

from argparse import Namespace

from capa_tui import paths
from capa_tui.commands.participate import require_terminal


def home(arguments: Namespace) -> int:
    """Open the home screen."""
    require_terminal()
    from capa_tui.app import home_app

    return home_app(paths.database(arguments.db)).run_to_exit_code()
