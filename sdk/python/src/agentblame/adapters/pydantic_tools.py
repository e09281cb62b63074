"""Function tools of Pydantic AI agents as steps."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import nullcontext
from typing import Any, NamedTuple

from pydantic import TypeAdapter
from pydantic_ai import Agent, ModelRetry, RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred
from pydantic_ai.messages import ToolReturn
from pydantic_ai.models import infer_model
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import RunUsage

from ..errors import UsageError
from ..step import Step
from .call_names import Turns
from .codec import Codec, Kind
from .contexts import become
from .live import recording
from .running import ask_async, live_or, refusal

_RETURN = TypeAdapter(ToolReturn)
_CODEC = Codec([
    Kind("$tool_return", (ToolReturn,), lambda r: _RETURN.dump_python(r, mode="json"), _RETURN.validate_python)
])  # fmt: skip

Deps = tuple[Callable[[Any], Any], Callable[[Any], Any]]
"""How dependencies are written as JSON, and read back."""


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


class Tools:
    """The tools of a program's agents, by name."""

    def __init__(self, inline: Collection[str]) -> None:
        self.inline = inline
        self.steps: dict[str, Step[Any, Any]] = {}
        self.deps: dict[str, Deps] = {}
        """For the tools that may be given a run's dependencies."""
        self.turns = Turns()

    def function(self, name: str, deps: Deps, tool: Any) -> Callable[..., Any]:
        """The function of a tool's step, which runs that tool or another."""
        made: Tool[Any] = tool if isinstance(tool, Tool) else Tool(tool)
        write, read = deps
        if made.function_schema.takes_ctx:
            self.deps[name] = deps

        async def run(arguments: Any, deps: Any = None, retry: int = 0) -> Any:
            given = None if deps is None else read(deps)
            # It has no model and messages: a tool that has them couldn't be replayed on its own.
            at: RunContext[Any] = RunContext(
                deps=given, model=infer_model("test"), usage=RunUsage(), tool_name=made.name, retry=retry
            )
            schema = made.function_schema
            try:
                output = await schema.call(schema.validator.validate_python(arguments), at)
            except ModelRetry as again:
                return dump(_Returned(None, given, again))
            except (CallDeferred, ApprovalRequired) as left:
                raise UsageError(f"tool {made.name} leaves its call to others, which can't be replayed") from left
            return dump(_Returned(output, given))

        def dump(returned: _Returned) -> Any:
            left = None if returned.deps is None else write(returned.deps)
            if returned.retry is not None:
                return {"retry": returned.retry.message, "deps": left}
            return {"output": _CODEC.dump(returned.output), "deps": left}

        return live_or(dump, run)


class ToolCalls(AbstractCapability[Any]):
    """Has the calls of an agent's tools be calls of their steps."""

    def __init__(self, tools: Tools, agent: str) -> None:
        self._tools, self._agent = tools, agent

    async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        tools, name = self._tools, tool_def.name
        step = tools.steps.get(name)
        if name in tools.inline or (step is None and recording()):
            return await handler(args)
        if step is None:
            raise refusal(f"agent {self._agent}: its tool {name} can't be replayed, since it is no function tool")
        write, read_deps = tools.deps.get(name, (None, None))
        shared = write is not None and ctx.deps is not None

        def inputs() -> dict[str, Any]:
            out: dict[str, Any] = {"arguments": call.args_as_dict()}
            if shared:
                out["deps"] = write(ctx.deps)  # type: ignore[misc]
            return {**out, "retry": ctx.retry} if ctx.retry else out

        async def live() -> _Returned:
            given = ctx.deps if shared else None
            try:
                return _Returned(await handler(args), given)
            except ModelRetry as again:
                return _Returned(None, given, again)

        def read(returned: Any) -> _Returned:
            if returned["deps"] is not None:
                become(ctx.deps, read_deps(returned["deps"]))  # type: ignore[misc]
            again = ModelRetry(returned["retry"]) if "retry" in returned else None
            return _Returned(_CODEC.revive(returned.get("output")), ctx.deps, again)

        async with nullcontext() if recording() or not shared else tools.turns.turn(ctx.deps):
            called = await ask_async(step, tools.turns.tool(call.tool_call_id), inputs, read, live)
        if called.retry is not None:
            raise called.retry
        return called.output
