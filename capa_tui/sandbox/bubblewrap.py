"""The isolation of choice: namespaces of its own, made by `bwrap`, which needs no privileges.

Some options that one would expect are left out on purpose: `--proc` (nothing needs it, it shows more than it
should, and without it bwrap also works where /proc is masked, as in containers), `--dev` (its /dev could be
filled with hundreds of megabytes), and `--new-session` (the process starts in a session without a
terminal anyway, and a further one would leave the process group by which everything is ended).
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from functools import cache

from capa_tui.sandbox.layout import Layout

TEMPORARY = 16 << 20
"""Bytes of /tmp."""


@cache
def find() -> str | None:
    """The program, on the path or beside the interpreter."""
    return shutil.which("bwrap") or shutil.which("bwrap", path=os.path.dirname(sys.executable))


def arguments(layout: Layout, filter_fd: int) -> list[str]:
    """The command line before the command: what is shared with the host is what the interpreter reads.

    Args:
        layout: this system's paths.
        filter_fd: a descriptor from which the system-call filter can be read.

    Raises:
        OSError: bubblewrap is not installed.
    """
    program = find()
    if program is None:
        raise FileNotFoundError(errno.ENOENT, "bubblewrap is not installed")
    line = [program, "--unshare-all", "--unshare-user", "--die-with-parent", "--cap-drop", "ALL"]
    line += ["--uid", "65534", "--gid", "65534"]
    for path in layout.shown:
        line += ["--ro-bind", path, path]
    for path in layout.hidden:
        line += ["--tmpfs", path, "--remount-ro", path]
    for link, target in layout.links:
        line += ["--symlink", target, link]
    line += ["--dev-bind", "/dev/null", "/dev/null", "--size", str(TEMPORARY), "--tmpfs", "/tmp"]
    line += ["--chdir", "/tmp", "--remount-ro", "/", "--seccomp", str(filter_fd), "--"]
    return line
