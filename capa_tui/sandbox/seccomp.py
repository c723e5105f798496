"""A system-call filter, assembled by hand, so that no library is needed.

By default a call is allowed. Refused is what makes processes or threads, reaches other processes or the
network, keeps memory outside the limits, or talks to rarely used parts of the kernel; and every call newer
than this list. `confined()` refuses in addition what namespaces would have made harmless.
"""

from __future__ import annotations

import errno
import platform
import sys
from dataclasses import dataclass
from struct import pack

_LOAD, _EQUAL, _GREATER, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_X32 = 0x40000000
_NEWEST = 462
"""The last system call this list was made with (mseal, Linux 6.10); from 424 on all count alike."""


@dataclass(frozen=True, slots=True)
class Machine:
    """How one kind of processor names its calls."""

    audit: int
    """Its AUDIT_ARCH value."""
    column: int
    """Its place in the tables below."""


MACHINES = {"x86_64": Machine(0xC000003E, 0), "aarch64": Machine(0xC00000B7, 1)}

# name: (x86_64, aarch64); None where there is no such call.
_ALWAYS: dict[str, tuple[int | None, int | None]] = {
    # processes and threads
    "fork": (57, None), "vfork": (58, None), "clone": (56, 220),
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "kcmp": (312, 272), "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440), "process_mrelease": (448, 448),
    "move_pages": (279, 239), "migrate_pages": (256, 238),
    # the network
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202),
    "accept4": (288, 242),
    # namespaces and mounts
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "statmount": (457, 457), "listmount": (458, 458),
    # memory that no limit counts
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "shmat": (30, 196),
    "shmctl": (31, 195), "shmdt": (67, 197), "semget": (64, 190), "semop": (65, 193), "semctl": (66, 191),
    "semtimedop": (220, 192), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188),
    "msgctl": (71, 187), "mq_open": (240, 180), "mq_unlink": (241, 181),
    # parts of the kernel that solutions have no use for
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "keyctl": (250, 219),
    "add_key": (248, 217), "request_key": (249, 218), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "syslog": (103, 116), "quotactl": (179, 60), "quotactl_fd": (443, 443), "sethostname": (170, 161),
    "setdomainname": (171, 162), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "clock_adjtime": (305, 266), "adjtimex": (159, 171), "iopl": (172, None), "ioperm": (173, None),
    "modify_ldt": (154, None), "lookup_dcookie": (212, 18), "vhangup": (153, 58),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263), "personality": (135, 92), "uselib": (134, None), "ustat": (136, None),
    "sysfs": (139, None), "_sysctl": (156, None), "mbind": (237, 235), "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450), "nfsservctl": (180, 42), "sync": (162, 81), "syncfs": (306, 267),
}  # fmt: skip

# Without namespaces: other programs, signals and limits of other processes, and files that a path can name.
_CONFINED: dict[str, tuple[int | None, int | None]] = {
    "execve": (59, 221), "execveat": (322, 281), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "setpriority": (141, 140), "ioprio_set": (251, 30),
    "sched_setparam": (142, 118), "sched_setscheduler": (144, 119), "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274), "setpgid": (109, 154), "chmod": (90, None), "fchmod": (91, 52),
    "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, None), "fchown": (93, 55),
    "lchown": (94, None), "fchownat": (260, 54), "utime": (132, None), "utimes": (235, None),
    "futimesat": (261, None), "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6),
    "fsetxattr": (190, 7), "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "truncate": (76, 45), "creat": (85, None), "inotify_init": (253, None), "inotify_init1": (294, 26),
}  # fmt: skip

_UNKNOWN: dict[str, tuple[int | None, int | None]] = {"clone3": (435, 435)}
"""Answered as by a kernel that does not have them, so that the C library falls back on what is refused."""
_UNKNOWN_CONFINED: dict[str, tuple[int | None, int | None]] = {"openat2": (437, 437)}

_O_TRUNC = 0o1000
_PR_SET_PDEATHSIG = 1
_F_SETOWN, _F_SETSIG, _F_SETOWN_EX = 8, 10, 15
_SOCK_STREAM, _SOCK_NONBLOCK, _SOCK_CLOEXEC = 1, 0o4000, 0o2000000
_FIOSETOWN, _SIOCSPGRP = 0x8901, 0x8902

PID = 0xDEADCAFE
"""Stands for a process id in `confined`."""


def this_machine() -> Machine:
    """This machine.

    Raises:
        OSError: its system calls are not known here.
    """
    name = platform.machine()
    if name not in MACHINES or sys.maxsize < 1 << 32:
        raise OSError(errno.ENOSYS, f"no system-call filter for a {name or 'nameless'} processor")
    return MACHINES[name]


def contained(kind: Machine) -> bytes:
    """The filter for a process that has namespaces of its own."""
    return _program(kind, _ALWAYS, _UNKNOWN, _only_streams(kind))


def confined(kind: Machine) -> bytes:
    """The filter for a process that shares its namespaces with others.

    Signals and limits are for the process itself alone: it puts its process id where `PID` stands.
    """
    rules = [
        *_refuse_argument(kind, (2, None), 1, _ANY_BIT, [_O_TRUNC]),
        *_refuse_argument(kind, (257, 56), 2, _ANY_BIT, [_O_TRUNC]),
        *_refuse_argument(kind, (157, 167), 0, _EQUAL, [_PR_SET_PDEATHSIG]),
        *_refuse_argument(kind, (72, 25), 1, _EQUAL, [_F_SETOWN, _F_SETSIG, _F_SETOWN_EX]),
        *_refuse_argument(kind, (16, 29), 1, _EQUAL, [_FIOSETOWN, _SIOCSPGRP]),
        *_unless_argument(kind, (62, 129), 0, [PID]),  # kill
        *_unless_argument(kind, (234, 131), 0, [PID]),  # tgkill
        *_unless_argument(kind, (200, 130), 0, [PID]),  # tkill
        *_unless_argument(kind, (302, 261), 0, [0, PID]),  # prlimit64
        *_only_streams(kind),
    ]
    return _program(kind, _ALWAYS | _CONFINED, _UNKNOWN | _UNKNOWN_CONFINED, rules)


def _only_streams(kind: Machine) -> list[bytes]:
    """Event loops want a pair of sockets; one for datagrams could send to any address."""
    flags = (0, _SOCK_CLOEXEC, _SOCK_NONBLOCK, _SOCK_CLOEXEC | _SOCK_NONBLOCK)
    return _unless_argument(kind, (53, 199), 1, [_SOCK_STREAM | one for one in flags])


def _program(
    kind: Machine,
    refused: dict[str, tuple[int | None, int | None]],
    unknown: dict[str, tuple[int | None, int | None]],
    rules: list[bytes],
) -> bytes:
    program = [
        _op(_LOAD, _ARCHITECTURE),
        _op(_EQUAL, kind.audit, 1, 0),
        _op(_RETURN, _KILL),
        _op(_LOAD, _NUMBER),
    ]
    if kind.column == 0:
        program += [_op(_AT_LEAST, _X32, 0, 1), _op(_RETURN, _KILL)]
    program += [_op(_GREATER, _NEWEST, 0, 1), _op(_RETURN, _ERRNO | errno.ENOSYS)]
    for calls, answer in ((refused, errno.EPERM), (unknown, errno.ENOSYS)):
        for numbers in calls.values():
            number = numbers[kind.column]
            if number is not None:
                program += [_op(_EQUAL, number, 0, 1), _op(_RETURN, _ERRNO | answer)]
    return b"".join([*program, *rules, _op(_RETURN, _ALLOW)])


def _refuse_argument(
    kind: Machine, numbers: tuple[int | None, int | None], argument: int, test: int, values: list[int]
) -> list[bytes]:
    """Refuse a call if the low half of an argument is one of these values (or has one of these bits)."""
    number = numbers[kind.column]
    if number is None:
        return []
    body = [_op(_LOAD, _ARGUMENTS + 8 * argument)]
    for value in values:
        body += [_op(test, value, 0, 1), _op(_RETURN, _ERRNO | errno.EPERM)]
    body.append(_op(_LOAD, _NUMBER))
    return [_op(_EQUAL, number, 0, len(body)), *body]


def _unless_argument(
    kind: Machine, numbers: tuple[int, int], argument: int, values: list[int]
) -> list[bytes]:
    """Refuse a call unless the low half of an argument is one of these values."""
    body = [_op(_LOAD, _ARGUMENTS + 8 * argument)]
    body += [_op(_EQUAL, value, len(values) - at, 0) for at, value in enumerate(values)]
    body += [_op(_RETURN, _ERRNO | errno.EPERM), _op(_LOAD, _NUMBER)]
    return [_op(_EQUAL, numbers[kind.column], 0, len(body)), *body]


def _op(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return pack("<HBBI", code, yes, no, value)
