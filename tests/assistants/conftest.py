"""One provider and one gateway for the whole session; each test finds the machine as it came."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from support.gateways import Home, end_gateway
from support.provider import Provider

from capa_tui.assistants.client import Gateway
from capa_tui.assistants.places import place
from capa_tui.machine import machine_file

FOREVER = 600.0
"""Seconds the session's gateway waits between two tests."""


@pytest.fixture(scope="session")
def whole_home() -> Iterator[Home]:
    with Provider() as provider:
        home = Home.make(provider)
        yield home
        home.remove()


@pytest.fixture(autouse=True)
def home(whole_home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    for name, value in whole_home.environment.items():
        monkeypatch.setenv(name, value)
    whole_home.configure()
    whole_home.provider.answers.clear()
    return whole_home


@pytest.fixture
def provider(home: Home) -> Provider:
    return home.provider


@pytest.fixture
async def gateway(home: Home) -> AsyncIterator[Gateway]:
    made = Gateway(FOREVER)
    yield made
    await made.close()


@pytest.fixture
def socket_path(home: Home) -> Path:
    """Where the session's gateway listens."""
    return place(machine_file()).socket


@pytest.fixture
def elsewhere(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place without a gateway; what is started there is ended."""
    with tempfile.TemporaryDirectory(prefix="capa-") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        here = place(machine_file()).socket
        yield here
        if here.with_suffix(".lock").exists():
            end_gateway(here)
