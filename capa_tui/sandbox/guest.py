"""How a process in the sandbox gets its program: through its channel, so that no file of ours is shown."""

from __future__ import annotations

import marshal
import os
from functools import cache
from importlib.resources import files

from capa_tui.sandbox import seccomp
from capa_tui.sandbox.landlock import READ_DIR, READ_FILE
from capa_tui.sandbox.layout import Layout, layout

_PACKAGE = "capa_tui.sandbox"
_MODULES = ("values", "codec", "limits", "proxy", "stub", "worker")
BOOT = """
import marshal, posix, sys
fd, size, data = int(sys.argv[1]), int(sys.argv[2]), b""
while len(data) < size:
    part = posix.read(fd, size - len(data))
    if not part:
        posix._exit(1)
    data += part
modules, fence = marshal.loads(data)
for name, code in modules:
    module = sys.modules[name] = type(sys)(name)
    exec(code, module.__dict__)
main = module.main
if fence:
    sys.modules["capa_tui.sandbox.landlock"].confine(*fence)
del data, modules, fence, module, code
main(*map(int, sys.argv[3:]))
"""
"""Runs the last of the modules that come through the descriptor in the first argument."""


@cache
def program(role: str, fenced: bool) -> bytes:
    """What `BOOT` reads: the modules of the `worker` or the `driver`, and the fence to put up first."""
    names = [*_MODULES] if role == "worker" else [*_MODULES, "driver"]
    if fenced:
        names.insert(0, "landlock")
    return marshal.dumps(([_code(name) for name in names], _fence() if fenced else None))


def _code(name: str) -> tuple[str, object]:
    source = files(_PACKAGE).joinpath(f"{name}.py").read_text("utf-8")
    return f"{_PACKAGE}.{name}", compile(source, "<sandbox>", "exec", dont_inherit=True, optimize=2)


def _fence() -> tuple[list[tuple[str, int]], bytes, int]:
    return readable(layout()), seccomp.confined(seccomp.this_machine()), seccomp.PID


def readable(paths: Layout) -> list[tuple[str, int]]:
    """What may be read, as Landlock wants it: rights are for all below, so what is hidden is gone around."""
    rules: list[tuple[str, int]] = []

    def allow(path: str) -> None:
        if path in paths.hidden:
            return
        if not os.path.isdir(path):
            rules.append((path, READ_FILE))
        elif any(one.startswith(f"{path}/") for one in paths.hidden):
            rules.append((path, READ_DIR))
            for name in os.listdir(path):
                allow(os.path.join(path, name))
        else:
            rules.append((path, READ_FILE | READ_DIR))

    for path in paths.shown:
        allow(path)
    return rules
