"""Events and states of LlamaIndex workflows as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from typing import Any

from pydantic import BaseModel
from workflows.events import (
    Event,
    HumanResponseEvent,
    InputRequiredEvent,
    StartEvent,
    StepFailedEvent,
    StopEvent,
)

from ..errors import StepError
from .codec import TUPLE, Codec, Kind, class_kinds, classes_of

_OWN = (StartEvent, StopEvent, InputRequiredEvent, HumanResponseEvent)


def codec_of(hints: Iterable[Any], classes: Iterable[type]) -> Codec:
    """Writes and reads the events and other classes that annotations speak of, and the given ones."""
    found = dict.fromkeys([*_OWN, *(c for hint in (*hints, *classes) for c in classes_of(hint))])
    events = [c for c in found if issubclass(c, Event) and c is not StepFailedEvent]
    others = [c for c in found if not issubclass(c, Event)]
    return Codec([TUPLE, _FAILED, *class_kinds(events, write=fields, read=_event), *class_kinds(others)])


def fields(value: BaseModel) -> dict[str, Any]:
    """What an event or a state is made of: its fields, its own attributes, and what it holds as a dict does."""
    out = {name: getattr(value, name) for name in type(value).model_fields}
    for name in type(value).__private_attributes__:
        if name == "_result":
            out["result"] = value._result  # type: ignore[attr-defined]
        elif name != "_data":
            out[name] = getattr(value, name)
    return out | getattr(value, "_data", {})


def _event(cls: type[Event]) -> Callable[[Any], Event]:
    return lambda parts: cls(**parts)


def _failure(event: StepFailedEvent) -> dict[str, Any]:
    """A failed step, without times, which are others in each replay."""
    raised = event.exception
    data = {"type": type(raised).__qualname__, "module": type(raised).__module__}
    if isinstance(raised, StepError):
        data = {k: raised.data[k] for k in data if k in raised.data}
    return {"step": event.step_name, "event": event.input_event, "message": str(raised), "data": data}


def _failed(parts: dict[str, Any]) -> StepFailedEvent:
    return StepFailedEvent(
        step_name=parts["step"], input_event=parts["event"], exception=StepError.of(parts["step"], parts),
        attempts=1, elapsed_seconds=0, failed_at=datetime.fromtimestamp(0, timezone.utc),
    )  # fmt: skip


_FAILED = Kind("$StepFailedEvent", (StepFailedEvent,), _failure, _failed)
