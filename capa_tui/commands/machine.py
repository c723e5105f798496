"""`doctor`: what this machine has."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

from capa_tui import doctor as doctors
from capa_tui import paths, report


def doctor(arguments: Namespace) -> int:
    """`capa-tui doctor`: 3 if something that a command needs is missing."""
    findings = list(doctors.examine(paths.database(arguments.db)))
    if arguments.json:
        report.emit({"findings": [asdict(one) for one in findings]})
    else:
        report.table(("about", "state", "what"), [(one.about, one.state, one.text) for one in findings])
    return 3 if any(one.state == "missing" for one in findings) else 0
