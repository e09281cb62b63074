"""A function that runs Pydantic AI agents as a program: each agent's run is a step."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Union

from pydantic import TypeAdapter
from pydantic_ai import Agent, AgentRunResult, ModelMessagesTypeAdapter
from pydantic_ai.messages import UserContent
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

from ..context import tell
from ..decode import decoder
from ..errors import UsageError
from ..program import Program
from ..score import Score
from ..step import Input, Step
from ._program import ask, in_program, named, text_version
from .variant import Variant, check_names

__all__ = ["agents_program", "named"]

_PROMPT: TypeAdapter[Any] = TypeAdapter(str | list[UserContent] | None)
_EPOCH = "1970-01-01T00:00:00Z"
_PASSED = ("model_settings", "infer_name")
"""What else a call of run may give: JSON, or of no importance."""


def agents_program(
    fn: Callable[..., Any],
    *,
    agents: Mapping[str, Agent[Any, Any]] | Iterable[Agent[Any, Any]],
    metric: Callable[..., Any] | Score,
    variants: Mapping[str, Mapping[str, Mapping[str, Any] | Variant]] | None = None,
    steps: Mapping[str, Mapping[str, Any]] | None = None,
    inputs: Iterable[str | Input] = (),
    name: str | None = None,
) -> Program[Any, Any]:
    """Makes a program of a function that runs agents; the function and the agents stay as they are.

    Each ``agent.run`` or ``agent.run_sync`` that the function makes is a call of a step
    named after the agent: its inputs are the prompt, the message history and the
    dependencies, its output is the result with its messages. The model's turns and the
    tools are part of it, other agents that a tool runs too. Times and ids in messages
    are left out. Runs of one agent that go on at once are named: ``with named("shard-3"): …``.

    :param fn: sync or async; its parameters are the inputs of cases
    :param agents: by name, or those that have one
    :param metric: ``metric(output)`` or ``metric(output, case)`` of what the function returns
    :param variants: by agent and a name for each, what ``agent.override`` is given (model, instructions, tools,
        model_settings …), or a Variant of that with options; the first is the default fix
    :param steps: options of agents as steps: ``{"writer": {"cost": 2}}``. Agents of hosted models default to
        ``deterministic=False``
    """
    known = _by_name(agents)
    variants, options = variants or {}, steps or {}
    what = f"program {name or getattr(fn, '__name__', 'program')}"
    check_names(what, "agent", known, variants, options)
    asynchronous = inspect.iscoroutinefunction(fn)
    found = []
    for agent_name, agent in known.items():
        runs = _Runs(agent, agent_name, asynchronous)
        step = Step(agent_name, runs.function({}), **{**_defaults(agent, {}), **options.get(agent_name, {})})
        for variant, given in variants.get(agent_name, {}).items():
            other = Variant.of(given)
            step.variant(variant, runs.function(other.what), **{**_defaults(agent, other.what), **other.options})
        runs.intercept(step)
        found.append(step)
    return Program(fn, name=name, inputs=inputs, steps=found, metric=metric)


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


class _Runs:
    """The runs of one agent, as a step and as the program makes them."""

    def __init__(self, agent: Agent[Any, Any], name: str, asynchronous: bool) -> None:
        self._agent, self._name, self._asynchronous = agent, name, asynchronous
        self._run, self._run_sync = agent.run, agent.run_sync
        self._deps = decoder(agent.deps_type)
        kinds = agent.output_type
        kinds = tuple(kinds) if isinstance(kinds, (list, tuple)) else (kinds,)
        # Functions and output markers as output types say little: their results are what JSON has.
        kind = Union[kinds] if all(isinstance(k, type) for k in kinds) else Any
        self._result = TypeAdapter(AgentRunResult[kind])  # type: ignore[valid-type]

    def function(self, override: Mapping[str, Any]) -> Callable[..., Any]:
        """The function of the step, with what is overridden of the agent."""

        def arguments(prompt: Any, history: Any, deps: Any, more: dict[str, Any]) -> dict[str, Any]:
            given = {"user_prompt": _PROMPT.validate_python(prompt), **more}
            if history is not None:
                given["message_history"] = ModelMessagesTypeAdapter.validate_python(history)
            if deps is not None:
                given["deps"] = deps if self._deps is None else self._deps(deps)
            return given

        async def run(prompt: Any, history: Any = None, deps: Any = None, options: Any = None) -> Any:
            with self._agent.override(**override):
                return self._dump(await self._run(**arguments(prompt, history, deps, options or {})))

        def run_sync(prompt: Any, history: Any = None, deps: Any = None, options: Any = None) -> Any:
            with self._agent.override(**override):
                return self._dump(self._run_sync(**arguments(prompt, history, deps, options or {})))

        return run if self._asynchronous else run_sync

    def _dump(self, result: AgentRunResult[Any]) -> Any:
        usage: Any = result.usage
        if not hasattr(usage, "input_tokens"):  # a method, before version 2
            usage = usage()
        told = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens, "requests": usage.requests}
        tell(usage=told)
        return _timeless(self._result.dump_python(result, mode="json"))

    def intercept(self, step: Step[Any, Any]) -> None:
        """Has the agent's runs of a program be calls of the step; all others are as they were."""
        agent: Any = self._agent

        async def run(user_prompt: Any = None, **given: Any) -> Any:
            if not in_program():
                return await self._run(user_prompt, **given)
            out = ask(step, **self._inputs(user_prompt, given))
            return self._result.validate_python(await out if inspect.isawaitable(out) else out)

        def run_sync(user_prompt: Any = None, **given: Any) -> Any:
            if not in_program():
                return self._run_sync(user_prompt, **given)
            if self._asynchronous:
                raise UsageError(f"agent {self._name}: an async function awaits agent.run")
            return self._result.validate_python(ask(step, **self._inputs(user_prompt, given)))

        agent.run, agent.run_sync = run, run_sync
        for method in ("iter", "run_stream", "run_stream_events", "run_stream_sync", "run_to_completion"):
            if hasattr(agent, method):
                setattr(agent, method, self._refusing(method, getattr(agent, method)))

    def _refusing(self, method: str, fn: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if in_program():
                raise UsageError(f"agent {self._name}: agent.{method} can't be replayed; use agent.run")
            return fn(*args, **kwargs)

        return call

    def _inputs(self, prompt: Any, given: dict[str, Any]) -> dict[str, Any]:
        """The step's inputs for a call of run."""
        out: dict[str, Any] = {"prompt": _PROMPT.dump_python(prompt, mode="json")}
        more = {}
        for key, value in given.items():
            if value is None:
                continue
            if key == "message_history":
                out["history"] = _timeless(ModelMessagesTypeAdapter.dump_python(list(value), mode="json"))
            elif key == "deps":
                out["deps"] = value
            elif key in _PASSED:
                more[key] = value
            else:
                raise UsageError(f"agent {self._name}: {key}= of agent.run can't be replayed; give it to the Agent")
        if more:
            out["options"] = more
        return out


def _timeless(value: Any) -> Any:
    """Messages without what differs between two runs that say the same."""
    if isinstance(value, list):
        return [_timeless(v) for v in value]
    if not isinstance(value, dict):
        return value
    out = {k: _timeless(v) for k, v in value.items()}
    if "part_kind" in out or out.get("kind") in ("request", "response") or "messages" in out:
        for key in ("run_id", "conversation_id", "provider_response_id"):
            if key in out:
                out[key] = None if key == "provider_response_id" else ""
        if "timestamp" in out:
            out["timestamp"] = _EPOCH
    return out


def _defaults(agent: Agent[Any, Any], override: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a step or variant that an agent suggests."""
    model = override.get("model", agent.model)
    toolset = getattr(agent, "_function_toolset", None)
    tools = [t.function for t in getattr(toolset, "tools", {}).values()]
    prompts = [getattr(agent, a, ()) for a in ("_instructions", "_system_prompts")]
    given = [v for item in sorted(override.items()) if item[0] != "model" for v in item]
    version = text_version(getattr(model, "model_name", model), *prompts, *tools, *_flat(given))
    local = isinstance(model, (TestModel, FunctionModel))
    return {"version": version} if local else {"version": version, "deterministic": False}


def _flat(values: Iterable[Any]) -> list[Any]:
    return [f for v in values for f in (_flat(v) if isinstance(v, (list, tuple)) else [v])]
