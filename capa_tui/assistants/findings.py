"""What `doctor` says about live assistants: configuration, keys by the names of their variables, packages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from capa_tui.assistants import local
from capa_tui.assistants.places import place
from capa_tui.doctor import Finding
from capa_tui.machine import machine_file, read_machine
from studies.errors import CapaError, FolderError


def examine() -> Iterator[Finding]:
    """Look at everything a live assistant needs, without loading litellm and without reading a key."""
    try:
        yield Finding("assistants", "fine", f"litellm {version('litellm')}, loaded by the gateway alone")
    except PackageNotFoundError:
        yield Finding(
            "assistants", "missing", "litellm is not installed: install capa-tui with what it needs"
        )
    yield _gateway()
    yield from _machine()
    lacking = local.missing()
    yield Finding("local", "note" if lacking else "fine", lacking or "the small local model is installed")


def _gateway() -> Finding:
    try:
        here = place(machine_file())
    except CapaError as error:
        return Finding("gateway", "missing", str(error))
    return Finding("gateway", "fine", f"listens in {here.socket.parent} while in use; its log is {here.log}")


def _machine() -> Iterator[Finding]:
    path = machine_file()
    try:
        machine = read_machine(path)
    except FolderError as error:
        for one in error.problems:
            yield Finding("machine", "missing", str(one))
        return
    there = path.exists()
    yield Finding(
        "machine", "fine", str(path) if there else f"{path} does not exist; it is needed for no study"
    )
    for name in machine.variables:
        held = name in os.environ
        yield Finding("key", "fine" if held else "note", f"{name} is {'set' if held else 'not set here'}")
