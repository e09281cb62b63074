"""The turns of one agent of the OpenAI Agents SDK as a step."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from agents import (
    Agent, AgentOutputSchema, AgentOutputSchemaBase, FunctionTool, Handoff, Model, ModelProvider, ModelSettings,
    ModelTracing, RunContextWrapper, handoff,
)  # fmt: skip
from agents.items import ModelResponse
from agents.models import get_default_model_settings
from agents.usage import Usage
from pydantic import TypeAdapter

from ..context import tell
from .digest import digest_of
from .running import live_or

TURN_CHANGES = ("instructions", "model", "model_settings", "prompt")
"""What a variant of an agent changes."""

_RESPONSE = TypeAdapter(ModelResponse)
_SETTINGS = TypeAdapter(ModelSettings)


def dump_settings(settings: ModelSettings) -> dict[str, Any]:
    """Settings as JSON, without those that aren't set."""
    return {k: v for k, v in settings.to_json_dict().items() if v is not None}


def dump_response(response: ModelResponse) -> Any:
    """A model's response as JSON, without its id."""
    without = ModelResponse(output=response.output, usage=response.usage, response_id=None)
    return _RESPONSE.dump_python(without, mode="json", exclude_unset=True)


def read_response(output: Any) -> ModelResponse:
    """The response that a turn's output is."""
    return _RESPONSE.validate_python({"usage": Usage(), "response_id": None, **output})


class Turn:
    """What a turn of an agent runs."""

    def __init__(self, agent: Agent[Any], provider: ModelProvider) -> None:
        self.agent, self.provider = agent, provider

    def function(self, change: Mapping[str, Any]) -> Callable[..., Any]:
        """The function of the step, with what is changed of the agent."""

        async def turn(
            input: Any,
            instructions: Any = None,
            tools: Any = (),
            handoffs: Any = (),
            settings: Any = None,
            model: Any = None,
            prompt: Any = None,
        ) -> Any:
            agent = self.agent.clone(**{k: v for k, v in change.items() if k in ("instructions", "prompt")})
            chosen = change.get("model") or model or agent.model
            response = await self._model(chosen).get_response(
                system_instructions=await agent.get_system_prompt(_NOTHING) if "instructions" in change else instructions,
                input=input,
                model_settings=self._settings(change, settings or {}),
                tools=[t for t in agent.tools if getattr(t, "name", None) in tools],
                output_schema=_schema(agent.output_type),
                handoffs=[h for h in map(_as_handoff, agent.handoffs) if h.tool_name in handoffs],
                tracing=ModelTracing.DISABLED,
                previous_response_id=None,
                conversation_id=None,
                prompt=await agent.get_prompt(_NOTHING) if "prompt" in change else prompt,
            )
            tell(usage={"input_tokens": response.usage.input_tokens, "output_tokens": response.usage.output_tokens})
            return _with_call_ids(dump_response(response), (self.agent.name, instructions, input))

        return live_or(dump_response, turn)

    def _model(self, chosen: Any) -> Model:
        return chosen if isinstance(chosen, Model) else self.provider.get_model(chosen)

    def _settings(self, change: Mapping[str, Any], given: Mapping[str, Any]) -> ModelSettings:
        """The settings that a run has made for the turn, with what is changed."""
        settings, agent = _SETTINGS.validate_python(given), self.agent
        if "model" in change and not isinstance(agent.model, Model):
            if agent.model_settings == get_default_model_settings(agent.model):  # the SDK's, for this model
                other = change["model"]
                own = ModelSettings() if isinstance(other, Model) else get_default_model_settings(other)
                settings = own.resolve(ModelSettings(tool_choice=settings.tool_choice))
        if (changed := change.get("model_settings")) is not None:
            changed = _SETTINGS.validate_python(changed) if isinstance(changed, dict) else changed
            settings = settings.resolve(changed)
        return settings


_NOTHING: RunContextWrapper[Any] = RunContextWrapper(context=None)
"""What instructions and prompts of variants are given, if they are functions."""


def _schema(output_type: Any) -> AgentOutputSchemaBase | None:
    if output_type is None or output_type is str:
        return None
    return output_type if isinstance(output_type, AgentOutputSchemaBase) else AgentOutputSchema(output_type)


def _as_handoff(h: Any) -> Handoff[Any, Any]:
    return h if isinstance(h, Handoff) else handoff(h)


def _with_call_ids(response: dict[str, Any], asked: Any) -> dict[str, Any]:
    """A response in which ids of tool calls are made of what was asked, since models make random ones."""
    at = json.dumps(asked, ensure_ascii=False, sort_keys=True)
    output = []
    for k, item in enumerate(response["output"]):
        if item.get("type") == "function_call":
            item = {**item, "call_id": f"call_{sha256(f'{at} {k}'.encode()).hexdigest()[:24]}"}
        output.append(item)
    return {**response, "output": output}


def seen_of_agent(agent: Agent[Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a step or variant that an agent suggests."""
    model = change.get("model", agent.model)
    parts = [
        model if isinstance(model, str) else [getattr(model, "model", None), type(model), vars(model) if model else None],
        change.get("instructions", agent.instructions), change.get("prompt", agent.prompt),
        dump_settings(agent.model_settings), change.get("model_settings"), agent.output_type,
        [[t.name, t.description, t.params_json_schema] if isinstance(t, FunctionTool) else t for t in agent.tools],
        [[h.tool_name, h.tool_description] for h in map(_as_handoff, agent.handoffs)],
    ]  # fmt: skip
    return {"version": digest_of(*parts), "deterministic": False}
