"""The system-call filters, run by a small interpreter of their language, so for every processor."""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable

import pytest

from capa_tui.sandbox import seccomp
from capa_tui.sandbox.seccomp import MACHINES, PID, Machine

ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSED, UNKNOWN = 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
X86_64, AARCH64 = MACHINES["x86_64"], MACHINES["aarch64"]
# (x86_64, aarch64)
NEEDED = {
    "read": (0, 63), "write": (1, 64), "close": (3, 57), "mmap": (9, 222), "munmap": (11, 215),
    "brk": (12, 214), "rt_sigaction": (13, 134), "getpid": (39, 172), "exit_group": (231, 94),
    "openat": (257, 56), "getrandom": (318, 278), "clock_gettime": (228, 113), "setrlimit": (160, 164),
    "getdents64": (217, 61), "lseek": (8, 62), "futex": (202, 98),
    "setitimer": (38, 103), "prlimit64 of itself": (302, 261),
}  # fmt: skip


def run(program: bytes, call: int, *args: int, audit: int) -> int:
    """What the kernel would answer."""
    data = struct.pack("<IIQ6Q", call, audit, 0, *args, *[0] * (6 - len(args)))
    at = loaded = 0
    while True:
        code, yes, no, value = struct.unpack_from("<HBBI", program, 8 * at)
        at += 1
        if code == 0x20:
            (loaded,) = struct.unpack_from("<I", data, value)
        elif code == 0x06:
            return value
        else:
            true = {
                0x15: loaded == value,
                0x25: loaded > value,
                0x35: loaded >= value,
                0x45: bool(loaded & value),
            }[code]
            at += yes if true else no


@pytest.fixture(params=MACHINES, name="kind")
def _kind(request: pytest.FixtureRequest) -> Machine:
    return MACHINES[request.param]


@pytest.mark.parametrize("make", [seccomp.contained, seccomp.confined])
def test_what_an_interpreter_needs_is_allowed(kind: Machine, make: Callable[[Machine], bytes]) -> None:
    program = make(kind)
    assert len(program) % 8 == 0
    assert len(program) // 8 < 4096
    for name, numbers in NEEDED.items():
        assert run(program, numbers[kind.column], audit=kind.audit) == ALLOW, name


@pytest.mark.parametrize("make", [seccomp.contained, seccomp.confined])
def test_what_reaches_out_is_refused(kind: Machine, make: Callable[[Machine], bytes]) -> None:
    program = make(kind)
    tables = [seccomp._ALWAYS, *([seccomp._CONFINED] if make is seccomp.confined else [])]
    for name, numbers in {key: value for one in tables for key, value in one.items()}.items():
        number = numbers[kind.column]
        if number is not None:
            assert run(program, number, audit=kind.audit) == REFUSED, name
    assert run(program, 435, audit=kind.audit) == UNKNOWN
    assert run(program, 500, audit=kind.audit) == UNKNOWN


def test_calls_of_other_kinds_of_processor_end_the_process(kind: Machine) -> None:
    program = seccomp.contained(kind)
    assert run(program, 0, audit=0x40000003) == KILL
    if kind is X86_64:
        assert run(program, 0x40000000, audit=kind.audit) == KILL


def test_signals_and_limits_are_for_the_process_itself(kind: Machine) -> None:
    program = seccomp.confined(kind).replace(struct.pack("<I", PID), struct.pack("<I", 4321))
    for numbers in ((62, 129), (234, 131), (200, 130), (302, 261)):
        number = numbers[kind.column]
        assert run(program, number, 4321, audit=kind.audit) == ALLOW
        for other in (1, 4322, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF):
            assert run(program, number, other, audit=kind.audit) == REFUSED
    assert run(program, (62, 129)[kind.column], 0, 9, audit=kind.audit) == REFUSED


@pytest.mark.parametrize(
    ("numbers", "args"),
    [
        ((2, None), (0, 0o1001)), ((257, 56), (0, 0, 0o1000)), ((157, 167), (1, 0)), ((72, 25), (3, 8)),
        ((72, 25), (3, 10)), ((72, 25), (3, 15)), ((16, 29), (3, 0x8901)), ((16, 29), (3, 0x8902)),
    ],
)  # fmt: skip
def test_some_arguments_are_refused(
    kind: Machine, numbers: tuple[int, int | None], args: tuple[int, ...]
) -> None:
    number = numbers[kind.column]
    if number is None:
        return
    program = seccomp.confined(kind)
    assert run(program, number, *args, audit=kind.audit) == REFUSED
    harmless = [*args]
    harmless[{2: 1, 257: 2, 56: 2, 157: 0, 167: 0}.get(number, 1)] = 0
    assert run(program, number, *harmless, audit=kind.audit) == ALLOW
    assert run(seccomp.contained(kind), number, *args, audit=kind.audit) == ALLOW


@pytest.mark.parametrize("make", [seccomp.contained, seccomp.confined])
def test_pairs_of_sockets_are_for_streams(kind: Machine, make: Callable[[Machine], bytes]) -> None:
    program, number = make(kind), (53, 199)[kind.column]
    for flags in (0, 0o4000, 0o2000000, 0o2004000):
        assert run(program, number, 1, 1 | flags, audit=kind.audit) == ALLOW
        assert run(program, number, 1, 2 | flags, audit=kind.audit) == REFUSED
        assert run(program, number, 1, 5 | flags, audit=kind.audit) == REFUSED


def test_other_processors_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    with pytest.raises(OSError, match="riscv64"):
        seccomp.this_machine()
