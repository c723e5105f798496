"""This machine's configuration: where an assistant is reached, and which variable holds its key.

What belongs to a study is in its folder; what belongs to a machine is in `machine.toml` in the platform's
configuration directory. The file may be missing. It never holds a key, only the name of its variable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_config_path
from pydantic import AfterValidator, Field, model_validator

from studies.errors import FolderError, Problem
from studies.reading import read_settings
from studies.setting_types import Settings

Rung = Literal["json_schema", "json_object", "prompt"]
"""Ways to ask for an answer by schema, the strictest first."""


def _variable(name: str) -> str:
    # The value is not repeated: whoever put a key here does not want to see it in a message.
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,127}", name):
        raise ValueError("not the name of an environment variable (the key itself never stands in a file)")
    return name


def _address(text: str) -> str:
    if not re.fullmatch(r"https?://[^\s@]+", text):
        raise ValueError("not an address that begins with http:// or https:// and holds no password")
    return text


Dollars = Annotated[float, Field(ge=0)]


class Price(Settings):
    """US dollars for one token."""

    input: Dollars
    """A token of the request."""
    output: Dollars
    """A token of the reply."""
    cached: Dollars | None = None
    """A token of the request that the provider had cached; as `input` without it."""


class Access(Settings):
    """How this machine reaches one assistant, or all models of a prefix."""

    api_base: Annotated[str, AfterValidator(_address)] | None = None
    """Address of an OpenAI-compatible server; the provider's own without it."""
    key_env: Annotated[str, AfterValidator(_variable)] | None = None
    """Name of the environment variable that holds the key. Without it, the provider's usual variable; and
    none at all where `api_base` is set, so that no key goes to a server it was not meant for."""
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    """Calls that may begin within any minute; further ones wait."""
    price: Price | None = None
    """What it costs. Without it the price is litellm's, and unknown where `api_base` is set."""
    structured: Rung | None = None
    """How answers by schema are asked for; without it the strictest way the model supports."""

    @model_validator(mode="before")
    @classmethod
    def _no_key(cls, values: Any) -> Any:
        if isinstance(values, Mapping) and any(name in values for name in ("api_key", "key", "token")):
            raise ValueError("a key never stands in a file; name its environment variable in key_env")
        return values


class Machine(Settings):
    """machine.toml."""

    assistants: dict[str, Access] = {}
    """By the study's name for an assistant."""
    models: dict[str, Access] = {}
    """By the beginning of a model's name, as litellm names it; the longest that fits serves."""

    def access(self, assistant: str, model: str) -> Access:
        """How to reach an assistant: by its own entry, else its model's longest prefix; never a mixture."""
        if assistant in self.assistants:
            return self.assistants[assistant]
        fitting = [prefix for prefix in self.models if model.startswith(prefix)]
        return self.models[max(fitting, key=len)] if fitting else Access()

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables that hold keys."""
        every = (*self.assistants.values(), *self.models.values())
        return tuple(sorted({one.key_env for one in every if one.key_env}))


def machine_file() -> Path:
    """Where the configuration is looked for."""
    return user_config_path("capa-tui", appauthor=False) / "machine.toml"


def read_machine(path: Path | None = None) -> Machine:
    """The configuration; the default one where there is no file.

    Raises:
        FolderError: the file cannot be read or holds something else; it carries every problem.
    """
    path = path or machine_file()
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Machine()
    except OSError as error:
        raise FolderError([Problem(str(path), 0, "", str(error.strerror), "a file")]) from error
    problems: list[Problem] = []
    made = read_settings(str(path), data, Machine, problems)
    if made is None or problems:
        raise FolderError(problems)
    return made
