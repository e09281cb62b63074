"""The runs of a LlamaIndex workflow's steps as JSON: what goes in, and what comes out."""

from __future__ import annotations

from typing import Any

from workflows import Workflow
from workflows.context.state_store import InMemoryStateStore
from workflows.events import Event
from workflows.runtime.types.plugin import InternalRunAdapter
from workflows.runtime.types.results import (
    AddCollectedEvent,
    AddWaiter,
    CollectionReleasePayload,
    DeleteCollectedEvent,
    RetryAttempt,
    SentEvent,
    StepWorkerFailed,
    StepWorkerResult,
    StepWorkerState,
)
from workflows.runtime.types.step_id import StepId
from workflows.runtime.types.ticks import TickAddEvent

from ..decode import class_hints
from ..errors import UsageError
from ..values import plain
from .codec import Codec, read_as
from .llama_runtime import run_alone
from .llama_values import fields


class StepValues:
    """What the steps of a workflow take and give.

    :param state_type: the class of the runs' state
    """

    def __init__(self, codec: Codec, state_type: type) -> None:
        self.codec, self.state_type = codec, state_type

    async def inputs(
        self, adapter: InternalRunAdapter, state: StepWorkerState, event: Event, bound: Any, stateful: bool
    ) -> dict[str, Any]:
        """A step's inputs, of what the control loop gives it.

        :param stateful: it may read the run's state
        """
        payload = state.collection_release_payload
        out: dict[str, Any] = {}
        if payload is not None:
            out["events"] = payload.events
        elif bound is not None:
            out["events"] = bound
        else:
            out["event"] = event
        if state.collected_events:
            out["collected"] = state.collected_events
        inputs = {name: self.codec.dump(value) for name, value in out.items()}
        return {**inputs, "state": await self.state(adapter)} if stateful else inputs

    async def state(self, adapter: InternalRunAdapter) -> Any:
        """A run's state, dumped."""
        store = adapter.get_state_store(())
        return self.codec.dump(fields(await store.get_state())) if store is not None else {}

    async def run(self, workflow: Workflow, name: str, fn: Any, inputs: dict[str, Any]) -> dict[str, Any]:
        """Runs a step on inputs: its output."""
        given = {n: self.codec.revive(v) for n, v in inputs.items() if v is not None}
        event, bound, payload = given.get("event", Event()), given.get("events"), None
        if isinstance(bound, list):
            payload, bound = CollectionReleasePayload("replay", "replay", bound, ()), None
            event = payload.as_event()
        elif bound is not None:
            event = next(iter(bound.values()))
        store = InMemoryStateStore(self.state_type(**given["state"])) if "state" in given else None
        state = StepWorkerState(
            step_name=name, collected_events=given.get("collected", {}), collected_waiters=[],
            collection_release_payload=payload, work_item_id="replay", invocation_id="replay",
        )  # fmt: skip
        outputs = await run_alone(workflow, name, fn, store, state, event, bound)
        after = None if store is None else self.codec.dump(fields(await store.get_state()))
        return self.output(name, outputs, inputs.get("state"), after)

    def output(self, name: str, outputs: list[Any], before: Any, after: Any) -> dict[str, Any]:
        """What a step gave to the control loop, and changed of the state, as its output."""
        out: dict[str, Any] = {}
        events, fanned = [], False
        for o in outputs:
            if isinstance(o, StepWorkerFailed):
                raise o.exception
            if isinstance(o, AddWaiter):
                raise UsageError(f"step {name} waits for an event from outside, which can't be replayed")
            if isinstance(o, StepWorkerResult):
                fanned = fanned or o.fanned_out
                events += [o.result] if o.result is not None else []
            elif isinstance(o, SentEvent):
                to = {} if o.step_id is None else {"to": str(o.step_id)}
                out.setdefault("sent", []).append({"event": self.codec.dump(o.event), **to})
            elif isinstance(o, AddCollectedEvent):
                out.setdefault("collected", []).append({"in": o.event_id, "event": self.codec.dump(o.event)})
            elif isinstance(o, DeleteCollectedEvent):
                out.setdefault("collected", []).append({"in": o.event_id})
        if fanned:
            out["events"] = [self.codec.dump(e) for e in events]
        elif events:
            out["event"] = self.codec.dump(events[0])
        if after is not None:
            old, new = (plain(s, f"the state of step {name}") for s in (before, after))
            if changed := {n: v for n, v in new.items() if n not in old or old[n] != v}:
                out["state"] = changed
            if dropped := [n for n in old if n not in new]:
                out["dropped"] = dropped
        return out

    async def apply(self, output: dict[str, Any], adapter: InternalRunAdapter, retry: RetryAttempt) -> list[Any]:
        """Does to a run what a step's output says; what the control loop is given."""
        read = self.codec.revive
        if "state" in output or "dropped" in output:
            store: Any = adapter.get_state_store(())
            async with store.edit_state() as state:
                hints = class_hints(type(state))
                for name, value in output.get("state", {}).items():
                    setattr(state, name, read_as(hints.get(name), read(value)))
                for name in output.get("dropped", []):
                    del state._data[name]
        for sent in output.get("sent", []):
            to = StepId.from_str(sent["to"]) if "to" in sent else None
            tick = TickAddEvent(event=read(sent["event"]), step_id=to, recovery_counts=dict(retry.recovery_counts))  # type: ignore[call-arg]
            await adapter.send_event(tick)
        out: list[Any] = []
        for c in output.get("collected", []):
            event = read(c.get("event"))
            out.append(
                DeleteCollectedEvent(event_id=c["in"]) if event is None
                else AddCollectedEvent(event_id=c["in"], event=event)
            )  # fmt: skip
        if "events" in output:
            events = [read(e) for e in output["events"]] or [None]
            return out + [StepWorkerResult(result=e, fanned_out=True) for e in events]
        return [*out, StepWorkerResult(result=read(output.get("event")))]
