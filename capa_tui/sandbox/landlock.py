"""The isolation that a process puts on by itself: Landlock for files, seccomp for the rest, by ctypes.

Nothing is installed and no user namespace is needed. Compared with bubblewrap the names and sizes of files
can still be seen (`stat`), and there is no directory to write in. This module runs inside the sandbox.
"""

from __future__ import annotations

import ctypes
import posix
from _struct import pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

READ_FILE, READ_DIR = 1 << 2, 1 << 3
_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
"""System calls, alike on all processors."""
_CAPSET = {"x86_64": 126, "aarch64": 91}
_VERSION, _PATH_BENEATH = 1, 1
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""Kinds of file access that each version of Landlock can refuse, counted from bit 0."""
_NETWORK_SINCE, _SCOPES_SINCE = 4, 6
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38
_FILTER_MODE = 2
_CAPABILITIES_V3 = 0x20080522


def version() -> int:
    """The kernel's Landlock version; 0 where there is none."""
    try:
        return max(0, int(_libc().syscall(_CREATE, None, 0, _VERSION)))
    except (OSError, AttributeError):
        return 0


def confine(paths: Sequence[tuple[str, int]], program: bytes, pid_mark: int) -> None:
    """Leave this process nothing but reading at these paths, for good.

    Args:
        paths: what may be reached, with its rights.
        program: the system-call filter.
        pid_mark: what stands for this process's id in it.

    Raises:
        OSError: the kernel refused a step; the process must not go on.
    """
    libc = _libc()
    _checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _checked(libc.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0))
    _restrict(libc, paths)
    header = pack("<II", _CAPABILITIES_V3, 0)
    _checked(libc.syscall(_CAPSET[posix.uname().machine], header, bytes(24)))
    program = program.replace(pack("<I", pid_mark), pack("<I", posix.getpid()))
    buffer = ctypes.create_string_buffer(program, len(program))
    footing = pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    _checked(libc.prctl(_PR_SET_SECCOMP, _FILTER_MODE, ctypes.c_char_p(footing), 0, 0))


def _restrict(libc: ctypes.CDLL, paths: Sequence[tuple[str, int]]) -> None:
    abi = version()
    handled = (1 << max(bits for since, bits in _FILE_RIGHTS.items() if since <= max(abi, 1))) - 1
    attributes = pack("<Q", handled)
    if abi >= _NETWORK_SINCE:
        attributes += pack("<Q", 0b11)
    if abi >= _SCOPES_SINCE:
        attributes += pack("<Q", 0b11)
    rules = _checked(libc.syscall(_CREATE, attributes, len(attributes), 0))
    for path, rights in paths:
        try:
            fd = posix.open(path, posix.O_PATH | posix.O_CLOEXEC)
        except OSError:  # not on this system
            continue
        _checked(libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, pack("<Qi", rights, fd), 0))
        posix.close(fd)
    _checked(libc.syscall(_RESTRICT, rules, 0))
    posix.close(rules)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), "the sandbox could not be put on")
    return result
