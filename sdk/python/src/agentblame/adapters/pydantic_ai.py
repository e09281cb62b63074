"""A function that runs Pydantic AI agents as a program: each agent's run is a step, or each of its turns and tools.

See docs/python-frameworks.md#pydantic-ai.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

from ..decode import decoder
from ..errors import UsageError
from ..program import Program
from ..score import Score
from ..step import Input, Step
from .call_names import named
from .digest import digest_of
from .pydantic_runs import Runs, intercept_runs
from .pydantic_turns import TURN_CHANGES, Inside, intercept_turns, tools_of
from .running import own_steps, running
from .variant import Variant, check_names, variant_options

__all__ = ["agents_program", "named"]


def agents_program(
    fn: Callable[..., Any],
    *,
    agents: Mapping[str, Agent[Any, Any]] | Iterable[Agent[Any, Any]],
    metric: Callable[..., Any] | Score,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    steps: Mapping[str, Mapping[str, Any]] | None = None,
    turns: Iterable[str] = (),
    inline: Iterable[str] = (),
    deps: tuple[Callable[[Any], Any], Callable[[Any], Any]] | None = None,
    others: Iterable[Step[Any, Any]] = (),
    inputs: Iterable[str | Input] = (),
    name: str | None = None,
) -> Program[Any, Any]:
    """Makes a program of a function that runs agents; the function and the agents stay as they are.

    Each ``agent.run`` or ``agent.run_sync`` that the function makes is a call of a step
    named after the agent: its inputs are the prompt, the message history and the
    dependencies, its output is the result with its messages. The model's turns and the
    tools are part of it, other agents that a tool runs too. With ``turns`` each turn, a
    request to the model, is a call of the agent's step, and each call of a function tool
    is one of a step named after the tool. Times and random ids in messages are left out.
    Runs of one agent that go on at once are named: ``with named("shard-3"): …``.

    :param fn: sync or async; its parameters are the inputs of cases
    :param agents: by name, or those that have one
    :param metric: ``metric(output)`` or ``metric(output, case)`` of what the function returns
    :param variants: by agent and a name for each, what ``agent.override`` is given: model, instructions, tools,
        model_settings …; by tool another function, or a Tool. Any may be a Variant with options. The first is the
        default fix
    :param steps: options of agents and tools as steps: ``{"writer": {"cost": 2}}``. Agents of hosted models default
        to ``deterministic=False``
    :param turns: names of the agents whose turns and tools are steps
    :param inline: names of tools of theirs that are no steps, since they run agents or call steps themselves
    :param deps: how dependencies are written as JSON and read back, as two functions, where they hold clients or the
        like; default: as values are, and as the agent's ``deps_type``
    :param others: steps of your own that the function calls, where they aren't found in it
    :raises UsageError: if there is no agent or tool of a name
    """
    known = _by_name(agents)
    variants, options, turned, inline = variants or {}, steps or {}, list(turns), list(inline)
    what = f"program {name or getattr(fn, '__name__', 'program')}"
    check_names(what, "agent", known, dict.fromkeys(turned))
    tools = {n: t for a in turned for n, t in tools_of(known[a]).items()}
    check_names(what, "tool", tools, dict.fromkeys(inline))
    tools = {n: t for n, t in tools.items() if n not in inline}
    check_names(what, "agent or tool" if tools else "agent", [*known, *tools], variants, options)
    if both := sorted(known.keys() & tools.keys()):
        raise UsageError(f"{what}: an agent and a tool are called {both[0]}: give agents={{name: agent}}")
    asynchronous = inspect.iscoroutinefunction(fn)
    things: dict[int, Any] = {}
    made: list[Step[Any, Any]] = []

    def step_of(name: str, function: Callable[[Any], Callable[..., Any]], seen: Callable[[Any], Any], as_run: Any) -> Any:
        own = options.get(name, {})
        step: Step[Any, Any] = Step(name, function(as_run), **{**seen(as_run), **own})
        for variant, given in variants.get(name, {}).items():
            other = Variant.of(given)
            step.variant(variant, function(other.what), **variant_options(other, own, seen))
        made.append(step)
        return step

    for agent_name, agent in known.items():
        codec = deps or (lambda value: value, decoder(agent.deps_type) or (lambda value: value))
        if agent_name not in turned:
            runs = Runs(agent, agent_name, asynchronous, codec)
            runs.step = step_of(agent_name, runs.function, lambda change, a=agent: _seen(a, change), {})
            things[id(agent)] = runs
            intercept_runs(agent)
            continue
        for change in variants.get(agent_name, {}).values():
            check_names(f"agent {agent_name}, whose turns are steps,", "change", TURN_CHANGES, Variant.of(change).what)
        inside = Inside(agent, agent_name, codec)
        inside.step = step_of(agent_name, inside.turn, lambda change, a=agent: _seen(a, change, whole=False), {})
        for tool_name, tool in tools_of(agent).items():
            if tool_name in tools and tool is tools[tool_name]:
                inside.tools[tool_name] = step_of(tool_name, partial(inside.tool, tool_name), _seen_tool, tool)
            elif tool_name not in inline:
                raise UsageError(f"{what}: two tools are called {tool_name}")
        inside.inline = set(inline)
        things[id(agent)] = inside
        intercept_turns(agent)
    return Program(
        running(fn, things), name=name, inputs=inputs, steps=[*made, *own_steps([fn], others)], metric=metric
    )


def _by_name(agents: Mapping[str, Agent[Any, Any]] | Iterable[Agent[Any, Any]]) -> dict[str, Agent[Any, Any]]:
    if isinstance(agents, Mapping):
        return dict(agents)
    out: dict[str, Agent[Any, Any]] = {}
    for agent in agents:
        if not agent.name or agent.name in out:
            why = "the name of another" if agent.name else "no name"
            raise UsageError(f"an agent has {why}: give agents={{name: agent}}")
        out[agent.name] = agent
    return out


def _seen(agent: Agent[Any, Any], change: Mapping[str, Any], whole: bool = True) -> dict[str, Any]:
    """What is seen of an agent with changes: its version, and whether its model is a hosted one.

    :param whole: its tools and outputs are part of the step
    """
    change = dict(change)
    model = change.pop("model", agent.model)
    parts = [getattr(model, "model_name", model), getattr(model, "settings", None), getattr(model, "function", None)]
    parts += [getattr(agent, a, None) for a in ("_instructions", "_system_prompts", "model_settings")]
    if whole:
        parts += [_function_of(t) for t in tools_of(agent).values()] + [agent.output_type]
    changed = {k: [_function_of(t) for t in v] if k == "tools" else v for k, v in sorted(change.items())}
    version = {"version": digest_of(*parts, changed)}
    local = isinstance(model, (TestModel, FunctionModel))
    return version if local else {**version, "deterministic": False}


def _seen_tool(tool: Any) -> dict[str, Any]:
    return {"version": digest_of(_function_of(tool))}


def _function_of(tool: Any) -> Any:
    return getattr(tool, "function", tool)
