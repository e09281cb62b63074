"""A function that runs agents of the OpenAI Agents SDK as a program: the turns of each agent and the tools are steps.

See docs/python-frameworks.md#openai-agents-sdk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from agents import Agent, FunctionTool, Handoff, ModelProvider, MultiProvider, Runner

from ..errors import UsageError
from ..program import Program
from ..score import Score
from ..step import Input, Step
from .call_names import named
from .openai_runs import Inside, intercept_model, intercept_runner
from .openai_tools import Tools, as_tool, intercept_tool, seen_of_tool
from .openai_turns import TURN_CHANGES, Turn, seen_of_agent
from .running import own_steps, running
from .variant import Variant, check_names, step_of

__all__ = ["agents_program", "named"]


def agents_program(
    fn: Callable[..., Any],
    *,
    agent: Agent[Any] | Iterable[Agent[Any]],
    metric: Callable[..., Any] | Score,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    steps: Mapping[str, Mapping[str, Any]] | None = None,
    inline: Iterable[str] = (),
    context_type: type | None = None,
    provider: ModelProvider | None = None,
    others: Iterable[Step[Any, Any]] = (),
    inputs: Iterable[str | Input] = (),
    name: str | None = None,
) -> Program[Any, Any]:
    """Makes a program of a function that calls ``Runner.run`` or the like; it and the agents stay as they are.

    Each turn of an agent, a call of its model, is a call of a step named after the agent.
    Each call of a function tool is one of a step named after the tool. Handoffs, agents as
    tools, guardrails and hooks run as they are. Whole runs that go on at once are named:
    ``with named("shard-3"): …``.

    :param fn: sync or async; its parameters are the inputs of cases
    :param agent: those that the function starts, or a guardrail does; the agents that they hand off to, or have as
        tools, are found
    :param metric: ``metric(output)`` or ``metric(output, case)`` of what the function returns
    :param variants: by agent and a name for each: ``{"instructions": …, "model": …, "model_settings": …}``; by tool:
        another function, or a FunctionTool. Any may be a Variant with options. The first is the default fix
    :param steps: options of agents and tools as steps: ``{"triage": {"cost": 2}}``; agents default to
        ``deterministic=False``
    :param inline: names of tools that are no steps, since they run agents or call steps themselves
    :param context_type: the class of the context that runs are given, where that isn't a dict
    :param provider: makes models of their names; default: as the SDK does
    :param others: steps of your own that the function calls, where they aren't found in it
    :raises UsageError: if there is no agent or tool of a name
    """
    found = _Found([agent] if isinstance(agent, Agent) else list(agent))
    variants, options, inline = variants or {}, steps or {}, list(inline)
    what = f"program {name or getattr(fn, '__name__', 'program')}"
    check_names(what, "tool", found.tools, dict.fromkeys(inline))
    kept = {n: t for n, t in found.tools.items() if n not in inline}
    check_names(what, "agent or tool", [*found.agents, *kept], variants, options)
    inside = Inside(provider or MultiProvider())
    tools = Tools(context_type, inside.turns)
    things: dict[int, Any] = {id(Runner): inside}

    for agent_name, a in found.agents.items():
        given = variants.get(agent_name, {})
        for variant, change in given.items():
            check_names(f"variant {variant} of agent {agent_name}", "change", TURN_CHANGES, Variant.of(change).what)
        turn, seen = Turn(a, inside.provider), partial(seen_of_agent, a)
        step = step_of(agent_name, {}, given, options.get(agent_name, {}), function=turn.function, seen=seen)
        inside.steps[id(a)] = step
        intercept_model(a.model)
    for tool_name, tool in kept.items():
        step = step_of(
            tool_name, tool, variants.get(tool_name, {}), options.get(tool_name, {}),
            function=partial(tools.function, id(tool)), seen=seen_of_tool, change=lambda _, other: as_tool(other),
        )  # fmt: skip
        tools.steps[id(tool)] = step
        things[id(tool)] = tools
        intercept_tool(tool)
    intercept_runner()
    return Program(
        running(fn, things),
        name=name,
        inputs=inputs,
        steps=[*inside.steps.values(), *tools.steps.values(), *own_steps([fn], others)],
        metric=metric,
    )


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
        if agent.mcp_servers:
            raise UsageError(f"agent {agent.name} has MCP servers, whose tools can't be replayed: give it function tools")
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
