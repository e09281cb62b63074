"""A function that runs Pydantic AI agents as a program: each agent's run is a step, or each of its turns and tools.

See docs/python-frameworks.md#pydantic-ai.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from pydantic_ai import Agent, Tool
from pydantic_ai.agent import WrapperAgent
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

from ..decode import decoder
from ..errors import UsageError
from ..program import Program
from ..score import Score
from ..step import Input, Step
from .call_names import named
from .digest import digest_of
from .pydantic_runs import Runs, intercept_runs, refuse_strangers
from .pydantic_tools import Deps, Tools, tools_of
from .pydantic_turns import TURN_CHANGES, Inside, intercept_turns
from .running import own_steps, running
from .variant import Variant, check_names, step_of

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
    deps: Deps | None = None,
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
    found = [tool for a in turned for tool in tools_of(known[a]).items()]
    check_names(what, "tool", dict(found), dict.fromkeys(inline))
    tools: dict[str, Tool[Any]] = {}
    for tool_name, tool in found:
        if tool_name not in inline and tools.setdefault(tool_name, tool).function is not tool.function:
            raise UsageError(f"{what}: two tools are called {tool_name}")
    check_names(what, "agent or tool" if tools else "agent", [*known, *tools], variants, options)
    if both := sorted(known.keys() & tools.keys()):
        raise UsageError(f"{what}: an agent and a tool are called {both[0]}: give agents={{name: agent}}")
    asynchronous = inspect.iscoroutinefunction(fn)
    things: dict[int, Any] = {id(Agent): True}
    called = Tools(inline)
    made: list[Step[Any, Any]] = []

    def step(name: str, as_run: Any, function: Callable[[Any], Any], seen: Callable[[Any], Any]) -> Step[Any, Any]:
        made.append(
            step_of(name, as_run, variants.get(name, {}), options.get(name, {}), function=function, seen=seen)
        )
        return made[-1]

    for agent_name, agent in known.items():
        codec = deps or (_same, decoder(agent.deps_type) or _same)
        if agent_name not in turned:
            runs = Runs(agent, agent_name, asynchronous, codec)
            runs.step = step(agent_name, {}, runs.function, partial(_seen, agent, True))
            things[id(agent)] = runs
            intercept_runs(agent)
            continue
        for change in variants.get(agent_name, {}).values():
            check_names(f"agent {agent_name}, whose turns are steps,", "change", TURN_CHANGES, Variant.of(change).what)
        inside = Inside(agent, agent_name, called)
        inside.step = step(agent_name, {}, inside.turn, partial(_seen, agent, False))
        for tool_name, tool in tools_of(agent).items():
            if tools.get(tool_name) is tool:
                function = partial(called.function, tool_name, codec)
                called.steps[tool_name] = step(tool_name, tool, function, _seen_tool)
        things[id(agent)] = inside
        intercept_turns(agent)
        within: Any = agent
        while isinstance(within, WrapperAgent):
            within = within.wrapped
            things.setdefault(id(within), True)
    refuse_strangers()
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


def _same(value: Any) -> Any:
    return value


def _seen(agent: Agent[Any, Any], whole: bool, change: Mapping[str, Any]) -> dict[str, Any]:
    """What is seen of an agent with changes: its version, and whether its model is a hosted one.

    :param whole: its tools and outputs are part of the step
    """
    change = dict(change)
    model = change.pop("model", agent.model)
    parts = [getattr(model, "model_name", model), getattr(model, "settings", None), getattr(model, "function", None)]
    prompts = ("_instructions", "_system_prompts", "_system_prompt_functions", "model_settings")
    parts += [getattr(agent, a, None) for a in prompts]
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
