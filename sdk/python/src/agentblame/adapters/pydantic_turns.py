"""Turns of Pydantic AI agents and their tools as steps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic import TypeAdapter
from pydantic_ai import Agent, ModelMessagesTypeAdapter, RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry
from pydantic_ai.messages import InstructionPart, ModelRequest, ModelResponse, ToolReturn
from pydantic_ai.models import CompletedStreamedResponse, Model, ModelRequestParameters, infer_model
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import RunUsage

from ..errors import UsageError
from ..step import Step
from .call_names import Turns
from .codec import Codec, Kind
from .contexts import become
from .live import recording
from .pydantic_values import tell_usage, timeless, with_call_ids
from .running import ask_async, known, live_or, refusal

TURN_CHANGES = ("instructions", "model", "model_settings")
"""What a variant of an agent's turns changes."""

_PARAMETERS = TypeAdapter(ModelRequestParameters)
_RESPONSE = TypeAdapter(ModelResponse)
_RETURN = TypeAdapter(ToolReturn)
_CODEC = Codec([
    Kind("$tool_return", (ToolReturn,), lambda r: _RETURN.dump_python(r, mode="json"), _RETURN.validate_python)
])  # fmt: skip


class _Returned(NamedTuple):
    """What a tool returns, and what it leaves of the run's dependencies.

    ``retry`` is what it tells the model in place of an output: no failure, but part of the talk.
    """

    output: Any
    deps: Any
    retry: ModelRetry | None = None


def tools_of(agent: Agent[Any, Any]) -> dict[str, Tool[Any]]:
    """The function tools of an agent, by name."""
    return {n: t for s in agent.toolsets if isinstance(s, FunctionToolset) for n, t in s.tools.items()}


class Inside:
    """The turns of one agent, and its tools."""

    step: Step[Any, Any]

    def __init__(
        self, agent: Agent[Any, Any], name: str, deps: tuple[Callable[[Any], Any], Callable[[Any], Any]]
    ) -> None:
        self.agent, self.name = agent, name
        self.write_deps, self.read_deps = deps
        self.tools: dict[str, Step[Any, Any]] = {}
        self.with_deps: set[str] = set()
        """The tools that may be given the run's dependencies."""
        self.inline: set[str] = set()
        self.turns = Turns()

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

    def tool(self, name: str, tool: Any) -> Callable[..., Any]:
        """The function of a tool's step."""
        made: Tool[Any] = tool if isinstance(tool, Tool) else Tool(tool)
        if made.function_schema.takes_ctx:
            self.with_deps.add(name)

        async def run(arguments: Any, deps: Any = None, retry: int = 0) -> Any:
            given = None if deps is None else self.read_deps(deps)
            # It has no model and messages: a tool that has them couldn't be replayed on its own.
            at: RunContext[Any] = RunContext(
                deps=given, model=infer_model("test"), usage=RunUsage(), tool_name=made.name, retry=retry
            )
            schema = made.function_schema
            try:
                output = await schema.call(schema.validator.validate_python(arguments), at)
            except ModelRetry as retry:
                return dump(_Returned(None, given, retry))
            except (CallDeferred, ApprovalRequired) as left:
                raise UsageError(f"tool {made.name} leaves its call to others, which can't be replayed") from left
            return dump(_Returned(output, given))

        def dump(returned: _Returned) -> Any:
            deps = None if returned.deps is None else self.write_deps(returned.deps)
            if returned.retry is not None:
                return {"retry": returned.retry.message, "deps": deps}
            return {"output": _CODEC.dump(returned.output), "deps": deps}

        return live_or(dump, run)

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
            inside.turns.name(inside.name),
            inputs,
            _RESPONSE.validate_python,
            lambda: self.wrapped.request(messages, model_settings, model_request_parameters),
        )
        inside.turns.took(inside.name, [(p.tool_name, p.tool_call_id) for p in response.tool_calls])
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


class _Tools(AbstractCapability[Any]):
    """Has the calls of an agent's tools be calls of their steps."""

    def __init__(self, inside: Inside) -> None:
        self._inside = inside

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        inside, name = self._inside, tool_def.name
        step = inside.tools.get(name)
        if name in inside.inline or (step is None and recording()):
            return await handler(args)
        if step is None:
            raise refusal(f"agent {inside.name}: its tool {name} can't be replayed, since it is no function tool")

        shared = ctx.deps is not None and name in inside.with_deps

        def inputs() -> dict[str, Any]:
            out: dict[str, Any] = {"arguments": call.args_as_dict()}
            if shared:
                out["deps"] = inside.write_deps(ctx.deps)
            return {**out, "retry": ctx.retry} if ctx.retry else out

        async def live() -> _Returned:
            try:
                return _Returned(await handler(args), ctx.deps)
            except ModelRetry as retry:
                return _Returned(None, ctx.deps, retry)

        def read(returned: Any) -> _Returned:
            if returned["deps"] is not None:
                become(ctx.deps, inside.read_deps(returned["deps"]))
            retry = ModelRetry(returned["retry"]) if "retry" in returned else None
            return _Returned(_CODEC.revive(returned.get("output")), ctx.deps, retry)

        async with nullcontext() if recording() or not shared else inside.turns.turn(ctx.deps):
            called = await ask_async(step, inside.turns.tool(call.tool_call_id), inputs, read, live)
        if called.retry is not None:
            raise called.retry
        return called.output


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
        given["capabilities"] = [*(given.get("capabilities") or ()), _Tools(inside)]
        # What is overridden comes before what is given.
        with agent.override(model=inside.model(given.pop("model", None))):
            async with iterate(user_prompt, **given) as run:
                yield run

    iterated._agentblame_turns = True  # type: ignore[attr-defined]
    agent.iter = iterated
