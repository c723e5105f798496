"""What an interpreter needs of the file system, and which parts of that must stay hidden."""

from __future__ import annotations

import os
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from glob import glob

_PACKAGES = ("site-packages", "dist-packages")


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths of this system."""

    python: str
    """The interpreter itself, no virtual environment's link to it."""
    shown: tuple[str, ...]
    """Files and directories that it reads."""
    hidden: tuple[str, ...]
    """Directories below those that hold installed packages, and so perhaps this program and its studies."""
    links: tuple[tuple[str, str], ...]
    """Links that lead there from the root: (link, target)."""


@cache
def layout() -> Layout:
    """The layout of the running interpreter."""
    python = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    wanted = [os.path.dirname(os.__file__), *(one for one in sys.path if one.endswith("lib-dynload"))]
    for prefix in {sys.base_prefix, sys.base_exec_prefix} - {"/usr", "/"}:
        wanted += [os.path.join(prefix, "lib"), os.path.join(prefix, "lib64")]
    wanted += [*_system_libraries(), "/etc/ld.so.cache", "/usr/share/zoneinfo"]
    shown = _outermost({os.path.realpath(one) for one in wanted if os.path.exists(one)})
    hidden = {
        found
        for top in shown
        for name in _PACKAGES
        for pattern in (f"{top}/{name}", f"{top}/python*/{name}")
        for found in glob(pattern)
        if os.path.isdir(found)
    }
    links = tuple(
        (one, os.readlink(one)) for one in ("/lib", "/lib64", "/usr/lib64", "/usr/lib") if os.path.islink(one)
    )
    return Layout(python, (python, *shown), tuple(sorted(hidden)), links)


def _system_libraries() -> list[str]:
    """Where the C library and its like are. Debian keeps them apart from everything else."""
    own = sysconfig.get_config_var("MULTIARCH")
    usual = ["/usr/lib64", "/lib64", "/usr/lib", "/lib"]
    if own and os.path.isdir(f"/usr/lib/{own}"):
        usual = [f"/usr/lib/{own}", f"/lib/{own}", "/lib64"]
    return usual + _loaded()


def _loaded() -> list[str]:
    """Where this process has the loader and the C library from; some systems keep them elsewhere."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            paths = {line.rstrip("\n").partition("/")[2] for line in maps}
    except OSError:
        return []
    return [
        os.path.dirname(f"/{one}")
        for one in paths
        if os.path.basename(one).startswith(("ld-", "libc.", "libc-", "libpython"))
    ]


def _outermost(paths: set[str]) -> list[str]:
    return [
        one
        for one in sorted(paths)
        if not any(one != other and one.startswith(f"{other}/") for other in paths)
    ]
