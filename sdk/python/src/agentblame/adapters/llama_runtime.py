"""Where the steps of LlamaIndex workflows run in replays and recordings.

A workflow's control loop asks a runtime for what runs its steps. One here hands it
agentblame's steps; another gives a step that is run on its own what a loop would.
"""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, NoReturn

from workflows import Workflow
from workflows.context.state_store import InMemoryStateStore
from workflows.events import Event
from workflows.plugins.basic import BasicRuntime, InternalAsyncioAdapter
from workflows.runtime.types.plugin import InternalRunAdapter, RegisteredWorkflow
from workflows.runtime.types.results import StepWorkerState
from workflows.runtime.types.step_function import as_step_worker_function, create_workflow_run_function

from ..errors import UsageError

Workers = Mapping[str, Callable[..., Any]]
"""What runs a workflow's steps, by name."""


class _StepsRuntime(BasicRuntime):
    """A runtime whose steps are run by something else."""

    def __init__(self, workers: Workers) -> None:
        super().__init__()
        self._workers = workers

    def register(self, workflow: Workflow) -> RegisteredWorkflow:
        return RegisteredWorkflow(workflow, create_workflow_run_function(workflow), dict(self._workers))


def with_workers(workflow: Workflow, workers: Workers, *, in_turn: bool) -> Workflow:
    """A copy of a workflow whose steps are run by something else.

    :param in_turn: for steps that take turns: each takes one event at a time, and there are no retries and
        no time-outs
    """
    out = _copy(workflow, _StepsRuntime(workers))
    if in_turn:
        _turn.set(asyncio.Lock())
        out._timeout = out._num_concurrent_runs = None
        steps = {name: _Declared(fn._step_config) for name, fn in workflow._get_steps().items()}
        out._get_steps = lambda: steps  # type: ignore[method-assign,assignment,return-value]
    return out


class _Declared:
    """What the control loop wants to know of a step: how it is declared."""

    def __init__(self, config: Any) -> None:
        self._step_config = replace(config, num_workers=1, retry_policy=None)


def _copy(workflow: Workflow, runtime: Any) -> Workflow:
    out = copy.copy(workflow)
    out._runtime = runtime
    out._broker_config = None
    out._disable_validation = True
    return out


_turn: ContextVar[asyncio.Lock] = ContextVar("agentblame_turn")
"""Whose turn it is in this run."""
_QUIET = 20
"""For how many rounds of the event loop nothing must come in before the control loop has nothing to do."""


class Turn:
    """A step's turn. Steps take theirs in the order of their events, each when what the last one sent is delivered.

    Which of the steps that run at once ends first is else a matter of time, and each
    replay would be another run.
    """

    def __init__(self, workflow: Workflow) -> None:
        self._adapter = workflow._runtime.get_internal_adapter(workflow)

    async def __aenter__(self) -> InternalRunAdapter:
        assert isinstance(self._adapter, InternalAsyncioAdapter)
        await _turn.get().acquire()
        quiet = 0
        while quiet < _QUIET:
            await asyncio.sleep(0)
            quiet = quiet + 1 if self._adapter._queues.receive_queue.empty() else 0
        return self._adapter

    async def __aexit__(self, *_: Any) -> None:
        _turn.get().release()


async def run_alone(
    workflow: Workflow,
    name: str,
    fn: Any,
    store: InMemoryStateStore[Any] | None,
    state: StepWorkerState,
    event: Event,
    bound: dict[str, Event] | None,
) -> list[Any]:
    """Runs a step of a workflow outside of any control loop; what it gave to the loop.

    :param fn: the step's function, or a variant's
    :param store: the workflow's state; None: the step has no access
    :param bound: the events of a step that takes several, by parameter
    """
    out = _copy(workflow, _AloneRuntime(_AloneAdapter(name, store)))
    method = fn.__get__(out) if fn.__code__.co_varnames[:1] == ("self",) else fn
    object.__setattr__(out, name, method)  # agents are models, too, and have no such field
    steps = {**workflow._get_steps(), name: method}
    out._get_steps = lambda: steps  # type: ignore[method-assign]
    parameters = fn._step_config.collect_params
    if bound is not None and parameters is not None:  # a variant may call them otherwise
        bound = dict(zip((n for n, _ in parameters), bound.values()))
    return await as_step_worker_function(fn)(state, name, event, out, bound)  # type: ignore[return-value]


class _AloneRuntime:
    """Gives a step that is run on its own what a runtime would."""

    def __init__(self, adapter: InternalRunAdapter) -> None:
        self._adapter = adapter

    def get_internal_adapter(self, workflow: Workflow) -> InternalRunAdapter:
        return self._adapter


class _AloneAdapter(InternalRunAdapter):
    """The side of a run that a step sees."""

    def __init__(self, name: str, store: InMemoryStateStore[Any] | None) -> None:
        self._name, self._store = name, store

    @property
    def run_id(self) -> str:
        return "replay"

    async def write_to_event_stream(self, event: Event) -> None:
        """Nobody listens."""

    async def get_now(self) -> float:
        return time.time()

    async def send_event(self, tick: Any) -> None:
        """What a step sends is among what it gives to the loop, too."""

    async def wait_receive(self, timeout_seconds: float | None = None) -> NoReturn:
        raise UsageError(f"step {self._name} waits for the events of its run, which can't be replayed")

    def get_state_store(self, namespace: tuple[str, ...] = ()) -> InMemoryStateStore[Any]:
        if self._store is None:
            raise UsageError(f"step {self._name} uses the state of its run: it needs a parameter ctx: Context for that")
        return self._store
