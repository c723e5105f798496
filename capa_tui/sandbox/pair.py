"""One driver and one worker, started together and used for one check."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from typing import Literal

from capa_tui.sandbox import bubblewrap, guest, seccomp
from capa_tui.sandbox.layout import layout

Isolation = Literal["bubblewrap", "landlock", "unsafe"]

# -I would ignore PYTHONHASHSEED, which makes sets come in the same order every time.
_FLAGS = ("-s", "-P", "-S", "-B", "-X", "utf8", "-c", guest.BOOT)
_SEND_SECONDS = 10.0
_ENVIRONMENT = {"PYTHONHASHSEED": "0"}


class Pair:
    """Two processes and the descriptors that lead to them.

    Start it from a thread that outlives it: where that thread ends, the kernel ends the processes.

    Raises:
        OSError: a process could not be started; none is left.
    """

    def __init__(self, isolation: Isolation, *, spare: bool = False) -> None:
        self.spare = spare
        """Whether it was started before there was work for it."""
        self._isolation = isolation
        self._processes: list[subprocess.Popen[bytes]] = []
        theirs: list[int] = []
        self.job, job = socket.socketpair()
        """The channel to the driver: the job goes in, the verdict comes out."""
        end, other = socket.socketpair()
        stdin, self.stdin = os.pipe()
        self.stdout, stdout = os.pipe()
        self.stderr, stderr = os.pipe()
        theirs += [stdin, stdout, stderr]
        try:
            self._start("worker", [end.fileno()], stdin, stdout, stderr)
            self._send_program(other, "worker")
            self._start("driver", [other.fileno(), job.fileno()], *(subprocess.DEVNULL,) * 3)
            self._send_program(self.job, "driver")
        except BaseException:
            self.kill()
            self.reap()
            raise
        finally:
            for mine in (job, end, other):
                mine.close()
            for fd in theirs:
                os.close(fd)

    def _program(self, role: str) -> bytes:
        return guest.program(role, self._isolation == "landlock")

    def _send_program(self, channel: socket.socket, role: str) -> None:
        # As a rule it fits into the socket's buffer; the reader may have died.
        channel.settimeout(_SEND_SECONDS)
        channel.sendall(self._program(role))
        channel.setblocking(True)

    def _start(self, role: str, channels: list[int], stdin: int, stdout: int, stderr: int) -> None:
        # The last channel brings the program, whose `main` is given all of them.
        numbers = (channels[-1], len(self._program(role)), *channels, int(self.spare))
        line = [layout().python, *_FLAGS, *map(str, numbers)]
        filter_fd = -1
        if self._isolation == "bubblewrap":
            filter_fd = _readable(seccomp.contained(seccomp.this_machine()))
            line = bubblewrap.arguments(layout(), filter_fd) + line
        try:
            process = subprocess.Popen(
                line,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                env=_ENVIRONMENT,
                cwd="/",
                pass_fds=[*channels, *([filter_fd] if filter_fd >= 0 else [])],
                start_new_session=True,
            )
        finally:
            if filter_fd >= 0:
                os.close(filter_fd)
        self._processes.append(process)

    @property
    def alive(self) -> bool:
        """Whether both processes are still there."""
        return all(one.poll() is None for one in self._processes)

    def status(self, seconds: float) -> int | None:
        """The worker's exit status once it is gone; None if it is not within that time."""
        try:
            return self._processes[0].wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        """End both process groups at once. Killing bwrap alone could leave its child behind."""
        for one in self._processes:
            if one.returncode is None:
                try:
                    os.killpg(one.pid, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    one.kill()

    def reap(self) -> None:
        """Wait until they are gone, and let go of the descriptors."""
        for one in self._processes:
            one.wait()
        self.job.close()
        self.close_stdin()
        for fd in (self.stdout, self.stderr):
            os.close(fd)

    def close_stdin(self) -> None:
        """The code reads the end of its input from here on."""
        if self.stdin >= 0:
            os.close(self.stdin)
            self.stdin = -1


def _readable(data: bytes) -> int:
    """A descriptor from which these few bytes can be read."""
    source, sink = os.pipe()
    os.write(sink, data)
    os.close(sink)
    return source
