"""From a study's call and this machine's configuration to what one request needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from capa_tui.assistants.faults import Fault
from capa_tui.machine import Access, Price, Rung
from studies.reading import closest
from studies.replies import Call

PARAMETERS = frozenset(
    {
        *("temperature", "top_p", "top_k", "min_p", "seed", "stop", "max_tokens", "max_completion_tokens"),
        *("presence_penalty", "frequency_penalty", "repetition_penalty", "logit_bias"),
        *("reasoning_effort", "thinking", "verbosity", "service_tier", "extra_body"),
    }
)
"""What a study may set. Nothing that could send a key elsewhere, repeat a call, or bring in another model."""
_OURS = (
    *("model", "messages", "stream", "stream_options", "response_format", "n"),
    *("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call"),
)
NO_KEY = "none"
"""Sent where a server of one's own asks for no key; servers and clients want some text there."""


@dataclass(frozen=True, slots=True)
class Route:
    """Where a call goes, with what."""

    model: str
    api_base: str | None
    api_key: str | None
    """None: litellm takes it from the provider's usual variable."""
    variable: str
    """Name of the variable the key came from, for messages."""
    price: Price | None
    own_server: bool
    """The address is this machine's choice, so that litellm's prices do not hold."""
    structured: Rung | None
    free: bool = False
    """It runs on this machine and costs nothing."""


def route_of(
    call: Call,
    access: Access,
    environment: Mapping[str, str],
    usual_variables: Callable[[str], Sequence[str]],
) -> Route:
    """The route of a call.

    Args:
        call: what the study asks.
        access: what this machine says about it.
        environment: where keys are.
        usual_variables: from a model's name to the variables its provider needs.

    Raises:
        Fault: a key is missing, named by its variable.
    """
    key = None
    if access.key_env is not None:
        variable, key = access.key_env, environment.get(access.key_env)
        if not key:
            raise Fault("configuration", _missing(variable))
    elif access.api_base is not None:
        variable, key = "", NO_KEY
    else:
        needed = usual_variables(call.model)
        variable = ", ".join(needed)
        if missing := [one for one in needed if not environment.get(one)]:
            raise Fault("configuration", _missing(", ".join(missing)))
    return Route(
        model=call.model,
        api_base=access.api_base,
        api_key=key,
        variable=variable,
        price=access.price,
        own_server=access.api_base is not None,
        structured=access.structured,
    )


def _missing(variables: str) -> str:
    return (
        f"the environment variable {variables} is not set, or empty. Set it before capa-tui starts, "
        "or name another one in key_env in machine.toml"
    )


def checked(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """A study's parameters, as they are.

    Raises:
        Fault: one of them is not a study's to set.
    """
    for name in parameters:
        if name not in PARAMETERS:
            near = closest(name, PARAMETERS)
            hint = f"; did you mean {near}?" if near else f"; allowed are {', '.join(sorted(PARAMETERS))}"
            raise Fault("configuration", f"the study's parameter {name!r} is not allowed{hint}")
    body = parameters.get("extra_body", {})
    if not isinstance(body, Mapping) or (taken := [one for one in _OURS if one in body]):
        named = "is not a table" if not isinstance(body, Mapping) else f"must not set {', '.join(taken)}"
        raise Fault("configuration", f"the study's parameter extra_body {named}")
    return dict(parameters)
