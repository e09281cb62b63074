"""Turns of Pydantic AI agents as steps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai import Agent, ModelMessagesTypeAdapter
from pydantic_ai.messages import InstructionPart, ModelRequest, ModelResponse
from pydantic_ai.models import CompletedStreamedResponse, Model, ModelRequestParameters, infer_model
from pydantic_ai.models.wrapper import WrapperModel

from ..errors import UsageError
from ..step import Step
from .live import recording
from .pydantic_tools import ToolCalls, Tools
from .pydantic_values import tell_usage, timeless, with_call_ids
from .running import ask_async, known, live_or, refusal

TURN_CHANGES = ("instructions", "model", "model_settings")
"""What a variant of an agent's turns changes."""

_PARAMETERS = TypeAdapter(ModelRequestParameters)
_RESPONSE = TypeAdapter(ModelResponse)


class Inside:
    """The turns of one agent, and the tools of its program."""

    step: Step[Any, Any]

    def __init__(self, agent: Agent[Any, Any], name: str, tools: Tools) -> None:
        self.agent, self.name, self.tools = agent, name, tools

    def turn(self, change: Mapping[str, Any]) -> Callable[..., Any]:
        """The function of the agent's step, with what is changed of the agent."""
        settings, text = change.get("model_settings") or {}, change.get("instructions")
        if not isinstance(settings, dict) or not isinstance(text, (str, list, type(None))):
            raise UsageError(
                f"agent {self.name}: a variant of its turns has model_settings as a dict, and instructions as text"
            )

        async def run(messages: Any, parameters: Any, settings: Any = None, model: Any = None) -> Any:
            asked = ModelMessagesTypeAdapter.validate_python(messages)
            wanted = _PARAMETERS.validate_python(parameters)
            if text is not None:
                asked, wanted = _instructed(asked, wanted, text if isinstance(text, str) else "\n\n".join(text))
            chosen = infer_model(change.get("model") or model or self.agent.model)  # type: ignore[arg-type]
            settings = {**(settings or {}), **(change.get("model_settings") or {})}
            response = await chosen.request(asked, settings or None, wanted)
            tell_usage(response.usage)
            out = _dump_response(response)
            return with_call_ids(out, [out], len(asked))

        return live_or(_dump_response, run)

    def model(self, given: Any) -> Model:
        """The model that an agent's run is given in place of its own: it asks the step."""
        if not (given is None or isinstance(given, str) or recording()):
            raise refusal(f"agent {self.name}: model= of a run can't be replayed unless it is a name; give it to the Agent")
        chosen = given or self.agent.model
        if chosen is None:
            raise refusal(f"agent {self.name} has no model")
        return _Asking(chosen, self, given if isinstance(given, str) else None)


def _dump_response(response: ModelResponse) -> Any:
    return timeless(_RESPONSE.dump_python(response, mode="json"))


def _instructed(messages: list[Any], wanted: ModelRequestParameters, text: str) -> tuple[list[Any], Any]:
    """A request with other instructions."""
    last = max((i for i, m in enumerate(messages) if isinstance(m, ModelRequest)), default=None)
    if last is not None:
        messages[last] = replace(messages[last], instructions=text)
    return messages, replace(wanted, instruction_parts=[InstructionPart(content=text)])


class _Asking(WrapperModel):
    """A model whose requests are calls of an agent's step."""

    def __init__(self, model: Any, inside: Inside, named_as: str | None) -> None:
        super().__init__(model)
        self._inside, self._named_as = inside, named_as

    async def request(self, messages: Any, model_settings: Any, model_request_parameters: Any) -> ModelResponse:
        inside = self._inside

        def inputs() -> dict[str, Any]:
            out = {
                "messages": timeless(ModelMessagesTypeAdapter.dump_python(messages, mode="json")),
                "parameters": _PARAMETERS.dump_python(model_request_parameters, mode="json", exclude_defaults=True),
            }
            if model_settings:
                out["settings"] = dict(model_settings)
            return out if self._named_as is None else {**out, "model": self._named_as}

        response: ModelResponse = await ask_async(
            inside.step,
            inside.tools.turns.name(inside.name),
            inputs,
            _RESPONSE.validate_python,
            lambda: self.wrapped.request(messages, model_settings, model_request_parameters),
        )
        inside.tools.turns.took(inside.name, [(p.tool_name, p.tool_call_id) for p in response.tool_calls])
        return response

    @asynccontextmanager
    async def request_stream(
        self, messages: Any, model_settings: Any, model_request_parameters: Any, run_context: Any = None
    ) -> AsyncIterator[Any]:
        if recording():
            async with self.wrapped.request_stream(
                messages, model_settings, model_request_parameters, run_context
            ) as stream:
                yield stream
            return
        response = await self.request(messages, model_settings, model_request_parameters)
        yield CompletedStreamedResponse(
            response, model_request_parameters=model_request_parameters, replay_events=True
        )


def intercept_turns(agent: Any) -> None:
    """Has an agent's turns and tools be calls of their steps in programs that know it by them; once for all."""
    iterate = agent.iter
    if getattr(iterate, "_agentblame_turns", False):
        return

    @asynccontextmanager
    async def iterated(user_prompt: Any = None, **given: Any) -> AsyncIterator[Any]:
        inside = known(agent)
        if not isinstance(inside, Inside):
            async with iterate(user_prompt, **given) as run:
                yield run
            return
        given["capabilities"] = [*(given.get("capabilities") or ()), ToolCalls(inside.tools, inside.name)]
        # What is overridden comes before what is given.
        with agent.override(model=inside.model(given.pop("model", None))):
            async with iterate(user_prompt, **given) as run:
                yield run

    iterated._agentblame_turns = True  # type: ignore[attr-defined]
    agent.iter = iterated
