"""Function tools of the OpenAI Agents SDK as steps."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple

from agents import FunctionTool, RunContextWrapper, ToolOutputFileContent, ToolOutputImage, ToolOutputText, function_tool
from agents.tool_context import ToolContext

from ..decode import decoder, hints
from ..step import Step
from .call_names import Turns
from .codec import Codec, class_kinds
from .contexts import become
from .digest import digest_of
from .live import recording
from .running import ask_async, known, live_or

_STRUCTURED = (ToolOutputText, ToolOutputImage, ToolOutputFileContent)
_CODEC = Codec(class_kinds(_STRUCTURED))


class _Returned(NamedTuple):
    """What a tool returns, and what it leaves of the run's context."""

    output: Any
    context: Any


class Tools:
    """The tools of a program, by their ids."""

    def __init__(self, context_type: type | None, turns: Turns) -> None:
        self.steps: dict[int, Step[Any, Any]] = {}
        self.with_context: set[int] = set()
        """The tools that may be given the run's context."""
        self.turns = turns
        self.read_context = (None if context_type is None else decoder(context_type)) or (lambda context: context)

    def function(self, of: int, tool: FunctionTool) -> Callable[..., Any]:
        """The function of the step of the tool with an id, which runs that tool or another."""
        invoke = getattr(tool.on_invoke_tool, "_agentblame", tool.on_invoke_tool)
        if _takes_context(tool):
            self.with_context.add(of)

        async def run(arguments: Any, context: Any = None) -> Any:
            given = None if context is None else self.read_context(context)
            text = json.dumps(arguments, ensure_ascii=False)
            at = ToolContext(context=given, tool_name=tool.name, tool_call_id="call", tool_arguments=text)
            return dump(_Returned(await invoke(at, text), given))

        def dump(returned: _Returned) -> Any:
            return {"output": _written(returned.output), "context": returned.context}

        return live_or(dump, run)


def as_tool(given: Any) -> FunctionTool:
    """A tool, or what is to be one."""
    return given if isinstance(given, FunctionTool) else function_tool(given)


def _written(output: Any) -> Any:
    """A tool's output as JSON; as text, which the SDK makes of it for the model, where it isn't that."""
    return _CODEC.dump(output) if _is_plain(output) else str(output)


def _is_plain(output: Any) -> bool:
    if type(output) is list:
        return all(map(_is_plain, output))
    if type(output) is dict:
        return all(type(k) is str and _is_plain(v) for k, v in output.items())
    return output is None or type(output) in (str, int, float, bool) or isinstance(output, _STRUCTURED)


def _takes_context(tool: FunctionTool) -> bool:
    """Whether a tool may read or change the run's context; yes, where that can't be seen."""
    fn = _function_of(tool)
    if fn is None:
        return True
    first = next(iter(inspect.signature(fn).parameters), None)
    hint = hints(fn).get(first or "")
    kind = getattr(hint, "__origin__", hint)
    return isinstance(kind, type) and issubclass(kind, RunContextWrapper)


def _function_of(tool: FunctionTool) -> Any:
    """The function that a tool was made of, if that is known."""
    try:
        fn = inspect.unwrap(tool.wrapped_callable)  # type: ignore[attr-defined]
    except AttributeError:
        return None
    return fn if inspect.isfunction(fn) or inspect.ismethod(fn) else None


def seen_of_tool(tool: FunctionTool) -> dict[str, Any]:
    """The options of a step or variant that a tool suggests."""
    invoke = getattr(tool.on_invoke_tool, "_agentblame", tool.on_invoke_tool)
    return {"version": digest_of(_function_of(tool) or invoke)}


def intercept_tool(tool: FunctionTool) -> None:
    """Has a tool's calls be calls of its step in programs that know it; once for all programs."""
    invoke = tool.on_invoke_tool
    if hasattr(invoke, "_agentblame"):
        return

    async def call(ctx: ToolContext[Any], text: str) -> Any:
        tools = known(tool)
        if tools is None:
            return await invoke(ctx, text)
        try:
            arguments = json.loads(text or "{}")
        except ValueError:
            return await invoke(ctx, text)  # it tells the model what is wrong
        shared = ctx.context is not None and id(tool) in tools.with_context

        async def live() -> _Returned:
            return _Returned(await invoke(ctx, text), ctx.context)

        def read(returned: Any) -> _Returned:
            if shared:
                become(ctx.context, tools.read_context(returned["context"]))
            return _Returned(_CODEC.revive(returned["output"]), ctx.context)

        async with nullcontext() if recording() or not shared else tools.turns.turn(ctx.context):
            called = await ask_async(
                tools.steps[id(tool)],
                tools.turns.tool(ctx.tool_call_id),
                lambda: {"arguments": arguments, **({"context": ctx.context} if shared else {})},
                read,
                live,
            )
        return called.output

    call._agentblame = invoke  # type: ignore[attr-defined]
    tool.on_invoke_tool = call
