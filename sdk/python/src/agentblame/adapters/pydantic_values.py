"""Messages and results of Pydantic AI as JSON that is the same whenever they say the same."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from ..context import tell

_EPOCH = "1970-01-01T00:00:00Z"
_HISTORIES = ("messages", "message_history")
"""Where a result has its messages; the second, deeper, before version 2.55."""
_RANDOM = {"run_id": "", "conversation_id": "", "provider_response_id": None}


def timeless(value: Any) -> Any:
    """Messages without the times and random ids of their run."""
    if isinstance(value, list):
        return [timeless(v) for v in value]
    if not isinstance(value, dict):
        return value
    out = {k: timeless(v) for k, v in value.items()}
    if "part_kind" in out or out.get("kind") in ("request", "response") or not out.keys().isdisjoint(_HISTORIES):
        out.update({k: v for k, v in _RANDOM.items() if k in out})
        if "timestamp" in out:
            out["timestamp"] = _EPOCH
    return out


def with_call_ids(value: Any, messages: list[Any], earlier: int) -> Any:
    """A result or a response in which ids of tool calls are made of their places.

    Models, and Pydantic AI for those that give none, make random ones.

    :param messages: those in it
    :param earlier: how many there are before; ids in those stay
    """
    ids: dict[str, str] = {}
    for place, message in enumerate(messages, earlier):
        for part in message.get("parts", ()):
            if "tool_call_id" in part and "args" in part:
                # Nine letters and digits: what all providers take.
                ids.setdefault(part["tool_call_id"], sha256(f"{place}.{len(ids)}".encode()).hexdigest()[:9])
    return _renamed(value, ids)


def history_of(result: dict[str, Any]) -> list[Any]:
    """The messages of a result."""
    within = [result, *(v for v in result.values() if isinstance(v, dict))]
    return next((w[name] for w in within for name in _HISTORIES if name in w), [])


def _renamed(value: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(v, ids) for v in value]
    if not isinstance(value, dict):
        return value
    return {k: ids.get(v, v) if k == "tool_call_id" else _renamed(v, ids) for k, v in value.items()}


def tell_usage(usage: Any) -> None:
    """Keeps a usage with the trace of a step's run."""
    counts = {k: getattr(usage, k, None) for k in ("input_tokens", "output_tokens", "requests")}
    tell(usage={k: v for k, v in counts.items() if v is not None})
