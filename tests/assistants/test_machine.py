"""machine.toml: what it may say, and how it is told what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from capa_tui.machine import Access, Machine, machine_file, read_machine
from studies.errors import FolderError


def read(tmp_path: Path, text: str) -> Machine:
    path = tmp_path / "machine.toml"
    path.write_text(text)
    return read_machine(path)


def problems(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(FolderError) as found:
        read(tmp_path, text)
    return [str(one).removeprefix(f"{tmp_path}/") for one in found.value.problems]


def test_a_missing_file_is_fine(tmp_path: Path) -> None:
    assert read_machine(tmp_path / "machine.toml") == Machine()
    assert Machine().access("a", "openai/m") == Access()


def test_it_is_looked_for_in_the_platforms_place() -> None:
    assert machine_file().name == "machine.toml"
    assert machine_file().parent.name == "capa-tui"


WHOLE = """
[assistants.helper]
api_base = "http://127.0.0.1:8000/v1"
requests_per_minute = 30
price = { input = 1e-6, output = 2e-6, cached = 1e-7 }
structured = "json_object"

[models."openai/"]
key_env = "OPENAI_API_KEY"

[models."openai/gpt-4"]
key_env = "BETTER_KEY"
"""


def test_the_most_special_entry_serves_and_alone(tmp_path: Path) -> None:
    machine = read(tmp_path, WHOLE)
    helper = machine.access("helper", "openai/gpt-4o")
    assert (helper.api_base, helper.key_env, helper.requests_per_minute) == (
        "http://127.0.0.1:8000/v1",
        None,
        30,
    )
    assert machine.access("other", "openai/gpt-4o").key_env == "BETTER_KEY"
    assert machine.access("other", "openai/o3").key_env == "OPENAI_API_KEY"
    assert machine.access("other", "anthropic/x") == Access()
    assert machine.variables == ("BETTER_KEY", "OPENAI_API_KEY")


def test_every_problem_is_told_at_once_with_its_key(tmp_path: Path) -> None:
    text = """
[assistants.a]
api_bas = "http://x"
requests_per_minute = 0
[models."openai/"]
structured = "prompted"
price = { input = 1, output = "x", cahced = 2 }
[model.x]
"""
    assert problems(tmp_path, text) == [
        "machine.toml assistants.a.requests_per_minute: 0; expected at least 1",
        "machine.toml assistants.a.api_bas: unknown key; expected did you mean api_base?",
        "machine.toml models.openai/.price.output: 'x'; expected a number",
        "machine.toml models.openai/.price.cahced: unknown key; expected did you mean cached?",
        "machine.toml models.openai/.structured: 'prompted'; "
        "expected 'tool_call', 'json_schema', 'json_object' or 'prompt'; did you mean 'prompt'?",
        "machine.toml model: unknown key; expected did you mean models?",
    ]


@pytest.mark.parametrize(
    "line",
    [
        'key_env = "sk-a-real-key-here"',
        'api_key = "sk-a-real-key-here"',
        'key = "sk-a-real-key-here"',
        'api_base = "http://user:sk-a-real-key-here@host/v1"',
    ],
)
def test_a_key_in_the_file_is_refused_and_not_repeated(tmp_path: Path, line: str) -> None:
    (problem,) = problems(tmp_path, f"[assistants.a]\n{line}\n")
    assert "sk-a-real-key-here" not in problem


@pytest.mark.parametrize("address", ["127.0.0.1:8000", "ftp://x", "http://", "http://a b"])
def test_an_address_is_one(tmp_path: Path, address: str) -> None:
    (problem,) = problems(tmp_path, f'[assistants.a]\napi_base = "{address}"\n')
    assert "http://" in problem


def test_what_is_not_toml_or_not_readable_is_told(tmp_path: Path) -> None:
    assert "not TOML" in problems(tmp_path, "[assistants")[0]
    with pytest.raises(FolderError, match="directory"):
        read_machine(tmp_path)
