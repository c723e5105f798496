"""What a sandboxed process may use. Each process limits itself before it runs anything foreign."""

from __future__ import annotations

MEMORY = 1 << 30
"""Bytes of address space."""
FILE = 16 << 20
"""Bytes of one file."""
FILES = 32
"""Open files."""
OUTPUT_KEPT = 64 << 10
"""Bytes of output that a verdict carries."""
OUTPUT = 16 << 20
"""Bytes of output after which the code is stopped."""
GRACE = 2.0
"""Seconds after the time limit at which the app ends whatever has not ended by itself."""


def limit(seconds: float) -> None:
    """Limit this process. A limit that the system already holds lower stays as it is."""
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = int(used.ru_utime + used.ru_stime + seconds) + 2
    for what, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, FILE),
        (resource.RLIMIT_NOFILE, FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        try:
            resource.setrlimit(what, (most, most))
        except (ValueError, OSError):  # macOS knows no limit of address space
            continue
