"""Whole runs of Pydantic AI agents as steps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Union

from pydantic import TypeAdapter
from pydantic_ai import Agent, AgentRunResult, ModelMessagesTypeAdapter
from pydantic_ai.messages import UserContent
from pydantic_ai.usage import UsageLimits

from ..step import Step
from .call_names import call_name
from .pydantic_tools import Deps
from .pydantic_values import history_of, tell_usage, timeless, with_call_ids
from .live import recording
from .running import ask, ask_async, known, live_or, refusal

_PROMPT: TypeAdapter[Any] = TypeAdapter(Union[str, list[UserContent], None])
_LIMITS: TypeAdapter[Any] = TypeAdapter(UsageLimits)
_PASSED = ("model_settings", "retries", "metadata", "model", "instructions")
"""What else a call of run may give, where it is JSON."""
_UNSEEN = ("infer_name", "conversation_id", "run_id", "cancellation_token", "timeout")
"""What a call of run may give that changes nothing of a replay."""


class Runs:
    """The runs of one agent, as a step and as a program makes them."""

    step: Step[Any, Any]

    def __init__(self, agent: Agent[Any, Any], name: str, asynchronous: bool, deps: Deps) -> None:
        self.agent, self.name, self.asynchronous = agent, name, asynchronous
        self._write_deps, self._read_deps = deps
        kinds = agent.output_type
        kinds = tuple(kinds) if isinstance(kinds, (list, tuple)) else (kinds,)
        # Functions and output markers as output types say little: their results are what JSON has.
        kind = Union[kinds] if all(isinstance(k, type) for k in kinds) else Any
        self._result = TypeAdapter(AgentRunResult[kind])  # type: ignore[valid-type]

    def function(self, change: Mapping[str, Any]) -> Callable[..., Any]:
        """The function of the step, with what is overridden of the agent."""

        def arguments(prompt: Any, history: Any, deps: Any, more: Any) -> dict[str, Any]:
            given = {"user_prompt": _PROMPT.validate_python(prompt), **(more or {})}
            if history is not None:
                given["message_history"] = ModelMessagesTypeAdapter.validate_python(history)
            if deps is not None:
                given["deps"] = self._read_deps(deps)
            if "usage_limits" in given:
                given["usage_limits"] = _LIMITS.validate_python(given["usage_limits"])
            return given

        def written(result: AgentRunResult[Any], history: Any) -> Any:
            tell_usage(result.usage)
            out = self._dump(result)
            earlier = len(history or ())
            return with_call_ids(out, history_of(out)[earlier:], earlier)

        async def run(prompt: Any, history: Any = None, deps: Any = None, options: Any = None) -> Any:
            with self.agent.override(**change):
                return written(await self.agent.run(**arguments(prompt, history, deps, options)), history)

        def run_sync(prompt: Any, history: Any = None, deps: Any = None, options: Any = None) -> Any:
            with self.agent.override(**change):
                return written(self.agent.run_sync(**arguments(prompt, history, deps, options)), history)

        return live_or(self._dump, run if self.asynchronous else run_sync)

    def _dump(self, result: AgentRunResult[Any]) -> Any:
        return timeless(self._result.dump_python(result, mode="json"))

    def read(self, output: Any, given: Mapping[str, Any]) -> Any:
        """The result that a step's output is, its usage added to what the call gave to count it in."""
        result = self._result.validate_python(output)
        if given.get("usage") is not None:
            given["usage"].incr(result.usage)
        return result

    def inputs(self, prompt: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        """The step's inputs for a call of run."""
        out: dict[str, Any] = {"prompt": _PROMPT.dump_python(prompt, mode="json")}
        more: dict[str, Any] = {}
        for key, value in given.items():
            if value is None or key in _UNSEEN or key == "usage":
                continue
            if key == "message_history":
                out["history"] = timeless(ModelMessagesTypeAdapter.dump_python(list(value), mode="json"))
            elif key == "deps":
                out["deps"] = self._write_deps(value)
            elif key == "usage_limits":
                more[key] = _LIMITS.dump_python(value, mode="json")
            elif key in _PASSED and isinstance(value, (str, int, dict)):
                more[key] = value
            else:
                raise refusal(f"agent {self.name}: {key}= of agent.run can't be replayed; give it to the Agent")
        if more:
            out["options"] = more
        return out


def intercept_runs(agent: Any) -> None:
    """Has an agent's runs be calls of its step in programs that know it by that; once for all programs."""
    if getattr(agent.run, "_agentblame", False):
        return
    run, run_sync = agent.run, agent.run_sync

    async def called(user_prompt: Any = None, **given: Any) -> Any:
        runs = known(agent)
        if not isinstance(runs, Runs):
            return await run(user_prompt, **given)
        if not runs.asynchronous and recording():  # in a loop of the function's own
            return await run(user_prompt, **given)
        call = ask_async if runs.asynchronous else ask
        out = call(
            runs.step,
            call_name(),
            lambda: runs.inputs(user_prompt, given),
            lambda output: runs.read(output, given),
            lambda: run(user_prompt, **given),
        )
        return await out if runs.asynchronous else out

    def called_sync(user_prompt: Any = None, **given: Any) -> Any:
        runs = known(agent)
        if not isinstance(runs, Runs):
            return run_sync(user_prompt, **given)
        if runs.asynchronous and recording():
            return run_sync(user_prompt, **given)
        if runs.asynchronous:
            raise refusal(f"agent {runs.name}: an async function awaits agent.run")
        return ask(
            runs.step,
            call_name(),
            lambda: runs.inputs(user_prompt, given),
            lambda output: runs.read(output, given),
            lambda: run_sync(user_prompt, **given),
        )

    called._agentblame = True  # type: ignore[attr-defined]
    agent.run, agent.run_sync = called, called_sync
    for method in ("iter", "run_stream", "run_stream_events", "run_stream_sync"):
        if hasattr(agent, method):
            setattr(agent, method, _refusing(agent, method, getattr(agent, method)))


def refuse_strangers() -> None:
    """Has programs refuse runs of agents that they don't know, whose models would say another thing in each replay."""
    iterate = Agent.iter
    if hasattr(iterate, "_agentblame"):
        return

    @asynccontextmanager
    async def iterated(self: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        if known(Agent) is not None and known(self) is None and not recording():
            raise refusal(f"agent {self.name} is run, but it isn't one that the program knows: give it in agents=[…]")
        async with iterate(self, *args, **kwargs) as run:
            yield run

    iterated._agentblame = True  # type: ignore[attr-defined]
    Agent.iter = iterated  # type: ignore[method-assign]


def _refusing(agent: Any, method: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        runs = known(agent)
        if isinstance(runs, Runs) and not recording():
            raise refusal(
                f"agent {runs.name}: agent.{method} can't be replayed as a whole; use agent.run, or turns=[{runs.name!r}]"
            )
        return fn(*args, **kwargs)

    return call
