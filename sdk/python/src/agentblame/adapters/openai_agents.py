"""A function that runs agents of the OpenAI Agents SDK as a program: the turns of each agent and the tools are steps."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import is_dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from agents import Agent, FunctionTool, Handoff, Model, MultiProvider, RunConfig, Runner, function_tool, handoff
from agents.items import ModelResponse
from agents.tool_context import ToolContext
from agents.usage import Usage
from pydantic import BaseModel, TypeAdapter

from ..context import current, tell
from ..decode import decoder
from ..errors import UsageError
from ..program import Program
from ..score import Score
from ..step import Input, Step
from ..values import plain
from ._program import call_name, in_program, named, text_version
from .variant import Variant, check_names

__all__ = ["agents_program", "named"]

_RESPONSE = TypeAdapter(ModelResponse)
_CHANGEABLE = ("instructions", "model", "model_settings", "prompt")


def agents_program(
    fn: Callable[..., Any],
    *,
    agent: Agent[Any] | Iterable[Agent[Any]],
    metric: Callable[..., Any] | Score,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    steps: Mapping[str, Mapping[str, Any]] | None = None,
    context_type: type | None = None,
    inputs: Iterable[str | Input] = (),
    name: str | None = None,
) -> Program[Any, Any]:
    """Makes a program of a function that calls ``Runner.run`` or ``Runner.run_sync``; it stays as it is.

    Each turn of an agent, a call of its model, is a call of a step named after the agent.
    Each call of a function tool is one of a step named after the tool. Handoffs, agents as
    tools and guardrails run as they are. Whole runs that go on at once are named:
    ``with named("shard-3"): …``.

    :param fn: sync or async; its parameters are the inputs of cases
    :param agent: those that the function starts; the agents that they hand off to, or have as tools, are found
    :param metric: ``metric(output)`` or ``metric(output, case)`` of what the function returns
    :param variants: by agent and a name for each: ``{"instructions": …, "model": …, "model_settings": …}``; by tool:
        another function, or a FunctionTool; either may be a Variant with options
    :param steps: options of agents and tools as steps: ``{"triage": {"cost": 2}}``; agents default to
        ``deterministic=False``
    :param context_type: the class of the context that runs are given, where that isn't a dict
    """
    found = _Found([agent] if isinstance(agent, Agent) else list(agent))
    variants, options = variants or {}, steps or {}
    what = f"program {name or getattr(fn, '__name__', 'program')}"
    check_names(what, "agent or tool", [*found.agents, *found.tools], variants, options)
    calls = _Calls()
    made: list[Step[Any, Any]] = []
    for agent_name, a in found.agents.items():
        turns = _Turns(a)
        defaults = {"version": turns.version({}), "deterministic": False}
        step = Step(agent_name, turns.function({}), **{**defaults, **options.get(agent_name, {})})
        for variant, given in variants.get(agent_name, {}).items():
            other = Variant.of(given)
            change = other.what
            check_names(f"variant {variant} of agent {agent_name}", "change", _CHANGEABLE, change)
            step.variant(variant, turns.function(change), **{"version": turns.version(change), **other.options})
        a.model = _Asking(turns.model, step, calls)
        made.append(step)
    for tool_name, tool in found.tools.items():
        read = None if context_type is None else decoder(context_type)
        step = Step(tool_name, _tool_run(tool, read), **{**_tool_defaults(tool), **options.get(tool_name, {})})
        for variant, given in variants.get(tool_name, {}).items():
            other = Variant.of(given)
            changed = other.what if isinstance(other.what, FunctionTool) else function_tool(other.what)
            step.variant(variant, _tool_run(changed, read), **{**_tool_defaults(changed), **other.options})
        _intercept(tool, step, calls)
        made.append(step)
    return Program(fn, name=name, inputs=inputs, steps=made, metric=metric)


class _Found:
    """The agents and tools that can be reached from some agents, by name."""

    def __init__(self, agents: Iterable[Agent[Any]]) -> None:
        self.agents: dict[str, Agent[Any]] = {}
        self.tools: dict[str, FunctionTool] = {}
        for a in agents:
            self._add(a)

    def _add(self, agent: Any) -> None:
        if not isinstance(agent, Agent) or self.agents.get(agent.name) is agent:
            return
        self._new(agent.name)
        self.agents[agent.name] = agent
        for tool in agent.tools:
            if getattr(tool, "_is_agent_tool", False):
                self._add(getattr(tool, "_agent_instance", None))
            elif isinstance(tool, FunctionTool) and self.tools.get(tool.name) is not tool:
                self._new(tool.name)
                self.tools[tool.name] = tool
        for h in agent.handoffs:
            ref = getattr(h, "_agent_ref", None) if isinstance(h, Handoff) else None
            self._add(ref() if ref is not None else h)

    def _new(self, name: str) -> None:
        if name in self.agents or name in self.tools:
            raise UsageError(f"two agents or tools are called {name}")


class _Calls:
    """How calls that may go on at once are named, in each run of the program."""

    def __init__(self) -> None:
        self._runs: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()

    def _of_run(self) -> dict[Any, Any]:
        return self._runs.setdefault(current.get().run, {})  # type: ignore[union-attr]

    def turn(self, step: str) -> str | None:
        """The name of an agent's turn in a named run."""
        name = call_name.get()
        if name is None:
            return None
        run = self._of_run()
        count = run[name, step] = run.get((name, step), 0) + 1
        return f"{name}-{count}"

    def asked(self, agent: str, response: ModelResponse) -> None:
        """Notes the tools that a turn asks for: those of one kind go on at once."""
        run = self._of_run()
        turn = run[agent] = run.get(agent, 0) + 1
        tools = [item for item in response.output if getattr(item, "type", "") == "function_call"]
        names = [getattr(item, "name", "") for item in tools]
        prefix = f"{call_name.get()} " if call_name.get() is not None else ""
        for k, item in enumerate(tools):
            if prefix or names.count(names[k]) > 1:
                run["call", getattr(item, "call_id", "")] = f"{prefix}{agent} {turn}.{k + 1}"

    def tool(self, call_id: str) -> str | None:
        """The name of a tool's call."""
        return self._of_run().get(("call", call_id))


class _Captured(Exception):
    """The turn is over: what it came to is known."""


class _Capturing(Model):
    """A model that lets an agent's run take one turn."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.response: ModelResponse | None = None

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        self.response = await self._model.get_response(*args, **kwargs)
        raise _Captured

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


class _Turns:
    """The turns of one agent."""

    def __init__(self, agent: Agent[Any]) -> None:
        self.agent = agent
        self.model = agent.model.model if isinstance(agent.model, _Asking) else agent.model

    def function(self, change: Mapping[str, Any]) -> Callable[..., Any]:
        """The function of the step, with what is changed of the agent."""

        async def turn(instructions: Any, input: Any, tools: list[str], handoffs: list[str]) -> Any:
            model = _Capturing(_resolved(change.get("model", self.model)))
            given = {k: v for k, v in change.items() if k != "model"}
            alone = self.agent.clone(
                **{
                    "instructions": instructions, "hooks": None, "input_guardrails": [], "output_guardrails": [],
                    **given, "model": model,
                }
            )  # fmt: skip
            alone.tools = [_enabled(t) for t in alone.tools if getattr(t, "name", None) in tools]
            alone.handoffs = [h for h in map(_as_handoff, alone.handoffs) if h.tool_name in handoffs]
            try:
                await Runner.run(alone, input, max_turns=1, run_config=RunConfig(tracing_disabled=True))
            except _Captured:
                pass
            response = model.response
            if response is None:
                raise RuntimeError(f"agent {self.agent.name} didn't call its model")
            usage = response.usage
            tell(usage={"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens})
            response = ModelResponse(output=response.output, usage=usage, response_id=None)
            return _RESPONSE.dump_python(response, mode="json", exclude_unset=True)

        return turn

    def version(self, change: Mapping[str, Any]) -> str:
        model = change.get("model", self.model)
        instructions = change.get("instructions", self.agent.instructions)
        settings = change.get("model_settings", self.agent.model_settings)
        named_as = model if isinstance(model, str) else getattr(model, "model", type(model))
        return text_version(named_as, instructions, settings)


class _Asking(Model):
    """An agent's model: in a program, its step."""

    def __init__(self, model: Model | str | None, step: Step[Any, Any], calls: _Calls) -> None:
        self.model, self._step, self._calls = model, step, calls

    async def get_response(
        self,
        system_instructions: str | None,
        input: Any,
        model_settings: Any,
        tools: list[Any],
        output_schema: Any,
        handoffs: list[Any],
        tracing: Any,
        **more: Any,
    ) -> ModelResponse:
        if not in_program():
            return await _resolved(self.model).get_response(
                system_instructions, input, model_settings, tools, output_schema, handoffs, tracing, **more
            )
        for key in ("previous_response_id", "conversation_id"):
            if more.get(key) is not None:
                raise UsageError(
                    f"agent {self._step.name}: a conversation that the server keeps ({key}) can't be replayed"
                )
        name = self._calls.turn(self._step.name)
        out = await (self._step if name is None else self._step.at(name))(
            instructions=system_instructions,
            input=plain(input, f"the input of agent {self._step.name}"),
            tools=[t.name for t in tools],
            handoffs=[h.tool_name for h in handoffs],
        )
        response = _RESPONSE.validate_python({"usage": Usage(), "response_id": None, **out})
        self._calls.asked(self._step.name, response)
        return response

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        if in_program():
            raise UsageError(f"agent {self._step.name}: Runner.run_streamed can't be replayed; use Runner.run")
        return _resolved(self.model).stream_response(*args, **kwargs)


def _resolved(model: Model | str | None) -> Model:
    return model if isinstance(model, Model) else MultiProvider().get_model(model)


def _as_handoff(h: Any) -> Handoff[Any, Any]:
    return h if isinstance(h, Handoff) else handoff(h)


def _enabled(tool: Any) -> Any:
    """A tool that is there whatever the context: whether it is was decided before."""
    return replace(tool, is_enabled=True) if isinstance(tool, FunctionTool) else tool


def _tool_run(tool: FunctionTool, read: Callable[[Any], Any] | None) -> Callable[..., Any]:
    """The function of a tool's step."""
    invoke = tool.on_invoke_tool

    async def run(arguments: Any, context: Any = None) -> Any:
        if read is not None and context is not None:
            context = read(context)
        text = json.dumps(arguments, ensure_ascii=False)
        at = ToolContext(context=context, tool_name=tool.name, tool_call_id="call", tool_arguments=text)
        output = await invoke(at, text)
        if not isinstance(output, (str, dict, BaseModel)):
            output = str(output)  # as the SDK has it
        return {"output": output, "context": context}

    return run


def _tool_defaults(tool: FunctionTool) -> dict[str, Any]:
    try:
        wrapped = tool.wrapped_callable  # type: ignore[attr-defined]
    except AttributeError:
        wrapped = tool.on_invoke_tool
    return {"version": text_version(inspect.unwrap(wrapped) if inspect.isroutine(wrapped) else repr(type(wrapped)))}


def _intercept(tool: FunctionTool, step: Step[Any, Any], calls: _Calls) -> None:
    """Has a tool's calls of a program be calls of the step; all others are as they were."""
    invoke = tool.on_invoke_tool

    async def call(ctx: ToolContext[Any], text: str) -> Any:
        if not in_program():
            return await invoke(ctx, text)
        try:
            arguments = json.loads(text or "{}")
        except ValueError:
            return await invoke(ctx, text)  # it tells the model what is wrong
        name = calls.tool(ctx.tool_call_id)
        given: dict[str, Any] = {"arguments": arguments}
        if ctx.context is not None:
            given["context"] = plain(ctx.context, f"the context of tool {tool.name}")
        out = await (step if name is None else step.at(name))(**given)
        if ctx.context is not None and out["context"] != given["context"]:
            _change(ctx.context, out["context"])
        return out["output"]

    tool.on_invoke_tool = call


def _change(context: Any, to: dict[str, Any]) -> None:
    """Makes a run's context what a tool has left of it."""
    if isinstance(context, dict):
        context.clear()
        context.update(to)
        return
    now = decoder(type(context))
    changed = to if now is None else now(to)
    if is_dataclass(changed) or isinstance(changed, BaseModel):
        for key, value in vars(changed).items():
            setattr(context, key, value)
