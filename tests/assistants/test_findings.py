"""What `doctor` says about live assistants."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.gateways import KEY, Home

from capa_tui.assistants.findings import examine


def found() -> dict[str, list[tuple[str, str]]]:
    made: dict[str, list[tuple[str, str]]] = {}
    for one in examine():
        made.setdefault(one.about, []).append((one.state, one.text))
    return made


def test_keys_are_told_by_name_and_never_by_value(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.configure('[assistants.other]\nkey_env = "ABSENT_KEY"\n')
    monkeypatch.delenv("ABSENT_KEY", raising=False)
    findings = found()
    assert findings["key"] == [("note", "ABSENT_KEY is not set here"), ("fine", "TEST_KEY is set")]
    assert findings["assistants"] == [("fine", "litellm 1.110.2, loaded by the gateway alone")]
    assert findings["gateway"][0][0] == "fine"
    assert KEY not in str(findings)


def test_each_problem_of_the_configuration_is_told(home: Home) -> None:
    home.configure("[assistants.other]\nrequests_per_minute = 0\napi_bas = 1\n")
    assert [state for state, _ in found()["machine"]] == ["missing", "missing"]


def test_a_machine_without_configuration_is_fine(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home.root / "nowhere"))
    monkeypatch.setenv("HOME", str(home.root / "nowhere"))
    assert found()["machine"][0][0] == "fine"


def test_the_doctor_loads_no_litellm(home: Home) -> None:
    code = "import sys\nfrom capa_tui.cli import main\nmain(['doctor'])\nprint('litellm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "litellm 1.110.2" in done.stdout
    assert done.stdout.splitlines()[-1] == "False"
