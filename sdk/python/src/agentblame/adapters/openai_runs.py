"""Runs of the OpenAI Agents SDK in programs: whose turn it is, and what it asks."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from agents import Agent, Model, ModelProvider, MultiProvider, RunConfig, Runner
from agents.items import ModelResponse
from agents.run import get_default_agent_runner, set_default_agent_runner
from agents.run_config import CallModelData, ModelInputData
from agents.usage import Usage
from openai.types.responses import Response, ResponseCompletedEvent, ResponseTextDeltaEvent, ResponseUsage

from ..step import Step
from ..values import plain
from .call_names import Turns
from .live import recording
from .openai_turns import dump_settings, read_response
from .running import ask_async, known, refusal


class Inside:
    """What a program knows of the runs that it makes."""

    def __init__(self, provider: ModelProvider) -> None:
        self.steps: dict[int, Step[Any, Any]] = {}
        """Those of agents, by the agents' ids."""
        self.turns = Turns()
        self.provider = provider

    def config(self, given: Any) -> RunConfig:
        """A run's config that tells whose turn it is, and has the models that it makes ask."""
        config = RunConfig(**given) if isinstance(given, dict) else given or RunConfig()
        if isinstance(config.model_provider, _Provider):  # of a run around this one: an agent as a tool
            return config
        if not recording():
            if isinstance(config.model, Model):
                raise refusal("a model of a RunConfig can't be replayed unless it is a name: give it to the agents")
            if type(config.model_provider) not in (MultiProvider, type(self.provider)):
                raise refusal("a model provider of a RunConfig can't be replayed: give provider= to agents_program")
            config = replace(config, tracing_disabled=True)
        elif config.model is not None:
            intercept_model(config.model)
        chosen = config.call_model_input_filter

        async def noting(data: CallModelData[Any]) -> ModelInputData:
            if id(data.agent) not in self.steps and not recording():
                raise refusal(
                    f"agent {data.agent.name} takes a turn, but it isn't one that the program knows: give it in agent=[…]"
                )
            intercept_model(data.agent.model)
            out = data.model_data if chosen is None else chosen(data)
            _TURN.set((data.agent, config.model))
            return await out if inspect.isawaitable(out) else out

        return replace(config, call_model_input_filter=noting, model_provider=_Provider(config.model_provider))


_TURN: ContextVar[tuple[Agent[Any] | None, Any]] = ContextVar("agentblame_turn", default=(None, None))
"""Whose turn it is, and the model that its run's config has chosen."""


class _Provider(ModelProvider):
    """Models of another provider, which ask."""

    def __init__(self, provider: ModelProvider) -> None:
        self._provider = provider

    def get_model(self, model_name: str | None) -> Model:
        model = self._provider.get_model(model_name) if recording() else _Unmade()
        intercept_model(model)
        return model

    async def aclose(self) -> None:
        await self._provider.aclose()


class _Unmade(Model):
    """A model of a name, in an analysis: the step makes it."""

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        raise NotImplementedError

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


class _Runner:
    """The SDK's runner, whose runs in programs note whose turn it is."""

    def __init__(self, runner: Any) -> None:
        self._runner = runner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner, name)

    async def run(self, *args: Any, **kwargs: Any) -> Any:
        return await self._runner.run(*args, **_noting(kwargs))

    def run_sync(self, *args: Any, **kwargs: Any) -> Any:
        return self._runner.run_sync(*args, **_noting(kwargs))

    def run_streamed(self, *args: Any, **kwargs: Any) -> Any:
        return self._runner.run_streamed(*args, **_noting(kwargs))


def _noting(kwargs: dict[str, Any]) -> dict[str, Any]:
    inside = known(Runner)
    return kwargs if inside is None else {**kwargs, "run_config": inside.config(kwargs.get("run_config"))}


def intercept_runner() -> None:
    """Has runs that programs make note whose turn it is; once for all programs."""
    runner = get_default_agent_runner()
    if not isinstance(runner, _Runner):
        set_default_agent_runner(_Runner(runner))  # type: ignore[arg-type]


def intercept_model(model: Any) -> None:
    """Has a model ask the step of the agent whose turn it is, in programs; once for all programs."""
    if not isinstance(model, Model) or hasattr(model.get_response, "_agentblame"):
        return
    get_response, stream_response = model.get_response, model.stream_response

    async def respond(*args: Any, **kwargs: Any) -> ModelResponse:
        inside = known(Runner)
        return await (get_response(*args, **kwargs) if inside is None else _asked(inside, get_response, args, kwargs))

    def stream(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        inside = known(Runner)
        if inside is None or recording():
            return stream_response(*args, **kwargs)
        return _streamed(inside, args, kwargs)

    respond._agentblame = True  # type: ignore[attr-defined]
    model.get_response, model.stream_response = respond, stream  # type: ignore[method-assign]


_ARGUMENTS = (
    "system_instructions", "input", "model_settings", "tools", "output_schema", "handoffs", "tracing",
)  # fmt: skip
"""Of a model's get_response."""


async def _asked(inside: Inside, respond: Callable[..., Any] | None, args: Any, kwargs: Any) -> ModelResponse:
    """A turn's response, by the agent's step."""
    given = {**dict(zip(_ARGUMENTS, args)), **kwargs}
    agent, model = _TURN.get()
    step = inside.steps.get(id(agent))
    if step is None:  # in a recording
        return await respond(*args, **kwargs)  # type: ignore[misc,no-any-return]

    def inputs() -> dict[str, Any]:
        for key in ("previous_response_id", "conversation_id"):
            if given.get(key) is not None:
                raise refusal(f"agent {step.name}: a conversation that the server keeps ({key}) can't be replayed")
        out = {
            "input": plain(given["input"], f"the input of agent {step.name}"),
            "tools": [t.name for t in given["tools"]],
            "handoffs": [h.tool_name for h in given["handoffs"]],
            "settings": dump_settings(given["model_settings"]),
        }
        more = {"instructions": given["system_instructions"], "model": model, "prompt": given.get("prompt")}
        return {**out, **{k: v for k, v in more.items() if v is not None}}

    response: ModelResponse = await ask_async(
        step,
        inside.turns.name(step.name),
        inputs,
        read_response,
        lambda: respond(*args, **kwargs),  # type: ignore[misc]
    )
    calls: list[Any] = [i for i in response.output if getattr(i, "type", "") == "function_call"]
    inside.turns.took(step.name, [(c.name, c.call_id) for c in calls])
    return response


async def _streamed(inside: Inside, args: Any, kwargs: Any) -> AsyncIterator[Any]:
    """A turn's response as a stream of whole texts."""
    response = await _asked(inside, None, args, kwargs)
    item: Any
    for k, item in enumerate(response.output):
        for j, part in enumerate(getattr(item, "content", None) or ()):
            if getattr(part, "type", "") == "output_text":
                yield ResponseTextDeltaEvent(
                    type="response.output_text.delta", delta=part.text, item_id=str(item.id),
                    output_index=k, content_index=j, logprobs=[], sequence_number=k,
                )  # fmt: skip
    yield ResponseCompletedEvent(
        type="response.completed",
        sequence_number=len(response.output),
        response=Response(
            id="replayed", created_at=0, model="replayed", object="response", output=response.output,
            parallel_tool_calls=True, tool_choice="auto", tools=[], usage=_usage(response.usage),
        ),
    )  # fmt: skip


def _usage(usage: Usage) -> ResponseUsage:
    names = ("input_tokens", "output_tokens", "total_tokens", "input_tokens_details", "output_tokens_details")
    return ResponseUsage(**{n: getattr(usage, n) for n in names})
