"""What can go wrong with a call: from exceptions to a kind, plain words, and a detail without keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Literal

from studies.replies import Status

Kind = Literal[
    "rate_limit",
    "timeout",
    "server",
    "unreachable",
    "refused",
    "empty",
    "too_long",
    "lost_stream",
    "gateway",
    "configuration",
]

_HAPPENED: Mapping[Kind, str] = {
    "rate_limit": "The assistant is asked too often just now.",
    "timeout": "The assistant did not answer in time.",
    "server": "The assistant's server had a fault.",
    "unreachable": "The assistant cannot be reached from this machine.",
    "refused": "The assistant's server refused the request.",
    "empty": "The assistant sent an empty reply.",
    "too_long": "The conversation or the reply is too long for the assistant.",
    "lost_stream": "The reply broke off.",
    "gateway": "The connection to the assistant was lost on this machine.",
    "configuration": "The assistant is not set up on this machine.",
}
_NEXT: Mapping[Kind, str] = {
    "rate_limit": "Wait a little, then try again.",
    "refused": "Try again; if it stays so, tell the researcher.",
    "too_long": "Please tell the researcher.",
    "configuration": "Please tell the researcher.",
}
_DETAIL = 500
"""Characters of a provider's own words that are kept."""


class Fault(Exception):
    """A call went wrong."""

    def __init__(self, kind: Kind, detail: str = "", status: int | None = None) -> None:
        super().__init__(detail)
        self.kind: Kind = kind
        self.detail = detail
        self.status = status
        """The provider's HTTP status, where it gave one."""


def plain(kind: Kind, *, kept: bool = False) -> str:
    """What happened, what was kept, what to do, for anybody; names no model and no provider."""
    said = [_HAPPENED[kind], "What had come is kept." if kept else "", _NEXT.get(kind, "Try again.")]
    return " ".join(filter(None, said))


def status_after(kind: Kind, text: str) -> Status:
    """`interrupted` once something had come, or where the gateway died; else `failed`."""
    return "interrupted" if text or kind == "gateway" else "failed"


# -- keys stay here ------------------------------------------------------------------------------

_SECRET_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SECRET_LOOKS = re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|AIza)[-_][\w*.-]{6,}|(?i:\bbearer\s+)[\w*.~+/=-]{6,}")
SCRUBBED = "[key]"


class Scrubber:
    """Takes out of a text whatever is, or looks like, a key."""

    def __init__(
        self, environment: Mapping[str, str], named: Iterable[str] = (), also: Iterable[str] = ()
    ) -> None:
        named = set(named)
        held = (value for name, value in environment.items() if name in named or _SECRET_NAMES.search(name))
        # Shorter ones would be found inside ordinary words.
        values = {one for one in (*held, *also) if len(one) >= 6}
        self._values = sorted(values, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """The text without keys."""
        for value in self._values:
            text = text.replace(value, SCRUBBED)
        return _SECRET_LOOKS.sub(SCRUBBED, text)


# -- exceptions ----------------------------------------------------------------------------------


def fault_of(error: BaseException, variable: str) -> Fault:
    """The fault behind whatever litellm raised; `variable` names where the key came from."""
    if isinstance(error, Fault):
        return error
    chain = list(_chain(error))
    names = {cls.__name__ for one in chain for cls in type(one).__mro__}
    detail = _detail(chain)
    if isinstance(error, TimeoutError) or names & {"APITimeoutError", "Timeout", "TimeoutException"}:
        return Fault("timeout", detail)
    if "ContextWindowExceededError" in names:
        return Fault("too_long", detail)
    if "UnsupportedParamsError" in names:
        return Fault("configuration", detail, 400)
    if "BadRequestError" in names and "LLM Provider NOT provided" in detail:
        return Fault("configuration", f"litellm knows no provider for this model: {detail}")
    if names & {"ConnectError", "ClientConnectorError"}:
        return Fault("unreachable", detail)
    status = _status(chain)
    if status is None:
        return Fault("lost_stream", detail)
    return _by_status(status, variable, detail)


def fault_of_body(body: object, variable: str) -> Fault | None:
    """The fault that an answer's body tells of, whatever its status said; None if it tells of none."""
    told = body.get("error") if isinstance(body, dict) else None
    if told is None:
        return None
    message = told.get("message", "") if isinstance(told, dict) else told
    status = _number(told.get("code")) or _number(told.get("status")) if isinstance(told, dict) else None
    return _by_status(status or 500, variable, str(message)[:_DETAIL])


def _by_status(status: int, variable: str, detail: str) -> Fault:
    if status in (401, 403):
        key = f"the key in {variable}" if variable else "a call without a key"
        return Fault("configuration", f"{key} was refused (HTTP {status}): {detail}", status)
    kinds: dict[int, Kind] = {404: "configuration", 408: "timeout", 413: "too_long", 429: "rate_limit"}
    kind = kinds.get(status, "server" if status >= 500 else "refused")
    return Fault(kind, f"HTTP {status}: {detail}", status)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, BaseException) and id(one) not in seen:
            seen.add(id(one))
            yield one
            waiting += [getattr(one, "original_exception", None), one.__cause__, one.__context__]


_WORDS = {"rate_limit": 429, "insufficient_quota": 429, "overloaded": 529, "invalid_api_key": 401}


def _number(code: object) -> int | None:
    """An HTTP status from what providers write as a code."""
    if isinstance(code, int) and 400 <= code < 600:
        return code
    if isinstance(code, str):
        if code.isdecimal() and len(code) == 3:
            return int(code)
        return next((status for word, status in _WORDS.items() if code.startswith(word)), None)
    return None


def _told(one: BaseException) -> bool:
    """Whether an exception carries what the provider said, rather than what a transport made of it."""
    return type(one).__module__.split(".")[0] in ("openai", "anthropic", "litellm")


def _status(chain: Iterable[BaseException]) -> int | None:
    """The status the provider gave. litellm's wrappers carry a 500 of their own, so the inmost counts."""
    for one in filter(_told, reversed(list(chain))):
        body = getattr(one, "body", None)
        codes = [getattr(one, "code", None), body.get("code") if isinstance(body, dict) else None]
        if type(one).__name__ not in ("MidStreamFallbackError", "APIConnectionError"):
            codes.append(getattr(one, "status_code", None))
        if (found := next(filter(None, map(_number, codes)), None)) is not None:
            return found
    return None


def _detail(chain: list[BaseException]) -> str:
    """The provider's own words: those of the inmost exception that has any."""
    told = list(filter(_told, reversed(chain)))
    words = [_message(getattr(one, "body", None)) for one in told]
    words += [_message(getattr(one, "message", None)) or str(one) for one in (*told, *reversed(chain))]
    said = next(filter(None, words), type(chain[0]).__name__)
    return " ".join(said.split())[:_DETAIL]


_WRAPPING = re.compile(r"^(?:litellm\.)?(?:\w+(?:Error|Exception): )*(?:\w+(?:Error|Exception) - )?")


def _message(body: object) -> str:
    """The message in what a provider sent: a text, JSON as text or bytes, or a body already read."""
    if isinstance(body, bytes):
        body = body.decode("utf-8", "replace")
    if isinstance(body, str):
        body = _WRAPPING.sub("", body)
        with suppress(ValueError):
            return _message(json.loads(body)) or body
        return body
    if isinstance(body, dict):
        return _message(body.get("message")) or _message(body.get("error"))
    return ""
