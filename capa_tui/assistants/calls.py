"""Calls through litellm. Only the gateway makes a `Models`: that alone loads litellm."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from capa_tui.assistants.faults import Fault, fault_of
from capa_tui.assistants.hearing import Heard, Say
from capa_tui.assistants.route import Route, checked
from capa_tui.assistants.structured import asked_for, rungs
from capa_tui.machine import Rung
from studies.replies import Call, ChatMessage, ReplyEnd

REFUSED_FORMAT = (400, 422)
"""Statuses by which providers refuse a response format, or tools, that they do not know."""


class Models:
    """litellm, loaded and set up once. That takes seconds: make one in a thread.

    Raises:
        ImportError: litellm is not installed as it should be.
    """

    def __init__(self) -> None:
        for name in [one for one in os.environ if one.startswith("LITELLM_")]:
            del os.environ[name]
        # No prices and no tokenizer from the network; no key from a `.env` file.
        os.environ |= {"LITELLM_OFFLINE_MODE": "true", "LITELLM_MODE": "PRODUCTION"}
        # What it makes stays: looking for garbage meanwhile takes a tenth of the time.
        gc.disable()
        try:
            import litellm
        finally:
            gc.enable()
        litellm.suppress_debug_info = True
        litellm.drop_params = False
        litellm.modify_params = False
        litellm.turn_off_message_logging = True
        # A reply that repeats itself is what the model said, not an error.
        litellm.REPEATED_STREAMING_CHUNK_LIMIT = sys.maxsize
        # Its log quotes requests; what is worth knowing is in what it raises.
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logger = logging.getLogger(name)
            logger.handlers[:] = [logging.NullHandler()]
            logger.propagate = False
        from importlib.metadata import version

        self._litellm: Any = litellm
        self.client = f"litellm {version('litellm')}"
        # What was just loaded stays, so no collection need walk it while a reply streams.
        gc.collect()
        gc.freeze()

    async def warm(self) -> None:
        """Go once through what the first call would load, without any provider."""
        stream = await self._litellm.acompletion(
            model="openai/none",
            messages=[{"role": "user", "content": "none"}],
            mock_response="none",
            stream=True,
            stream_options={"include_usage": True},
        )
        async for _ in stream:
            pass

    def usual_variables(self, model: str) -> Sequence[str]:
        """The variables of keys that a model's provider wants: the missing ones, else the one it has."""
        try:
            provider = self._litellm.get_llm_provider(model)[1]
            missing = self._litellm.validate_environment(model)["missing_keys"]
        except Exception:  # a model litellm does not know: the call itself says so
            return ()
        usual = f"{provider.upper()}_API_KEY"
        wanted = [one for one in missing if one.endswith("_API_KEY")]
        return wanted or [one for one in (usual,) if one in os.environ]

    async def reply(self, call: Call, route: Route, scrub: Callable[[str], str], say: Say) -> ReplyEnd:
        """Call a model; `say` gets each piece of text. Cancelling it closes the provider's stream.

        Never raises for what a provider does.
        """
        heard = Heard(self._litellm, call, route, say)
        fault: Fault | None = None
        try:
            async with heard.limits():
                await self._by_schema(call, route, heard)
            fault = heard.emptiness()
        except Exception as error:
            fault = heard.fault(error)
        return await heard.end(fault, self.client, scrub)

    async def _by_schema(self, call: Call, route: Route, heard: Heard) -> None:
        """One request; where a way to ask for a schema or a tool call is refused, a further one."""
        if call.schema is None and not call.tools:
            return await self._ask(call, route, call.messages, {}, heard)
        ways = self._rungs(call, route)
        for rung in ways:
            heard.structured = rung
            messages, beside = asked_for(call, rung)
            if rung == "tool_call" and self._calls_several(call):
                beside["parallel_tool_calls"] = False
            try:
                return await self._ask(call, route, messages, beside, heard)
            except Exception as error:
                fault = fault_of(error, route.variable)
                if rung == ways[-1] or heard.text or fault.status not in REFUSED_FORMAT:
                    raise

    def _rungs(self, call: Call, route: Route) -> tuple[Rung, ...]:
        schemas = formats = functions = False
        with suppress(Exception):  # litellm knows nothing about the model
            provider = self._litellm.get_llm_provider(call.model)[1]
            known = self._litellm.get_supported_openai_params(call.model, custom_llm_provider=provider)
            formats = "response_format" in (known or ())
            schemas = self._litellm.supports_response_schema(call.model, provider)
            functions = "tools" in (known or ()) and self._litellm.supports_function_calling(
                call.model, provider
            )
        return rungs(route.structured, schemas, formats, functions if call.tools else None)

    def _calls_several(self, call: Call) -> bool:
        with suppress(Exception):
            provider = self._litellm.get_llm_provider(call.model)[1]
            return bool(self._litellm.supports_parallel_function_calling(call.model, provider))
        return False

    async def _ask(
        self,
        call: Call,
        route: Route,
        messages: Sequence[ChatMessage],
        beside: Mapping[str, Any],
        heard: Heard,
    ) -> None:
        arguments = checked(call.parameters) | {
            "model": route.model,
            "messages": [{"role": one.role, "content": _sendable(one.content)} for one in messages],
            "api_base": route.api_base,
            "api_key": route.api_key,
            "stream": True,
            "stream_options": {"include_usage": True},
            "timeout": call.read_timeout,
            "max_retries": 0,
            "drop_params": False,
        }
        stream = await self._litellm.acompletion(**arguments, **beside)
        try:
            await heard.listen(stream)
        finally:
            await stream.aclose()


def _sendable(text: str) -> str:
    """The text with lone surrogates replaced, which no request can carry."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
