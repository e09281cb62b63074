"""A LlamaIndex workflow as a program: its steps are the steps."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from workflows import Workflow
from workflows.context.serializers import JsonSerializer
from workflows.context.state_store import DictState, InMemoryStateStore
from workflows.decorators import StepConfig
from workflows.events import Event

from ..context import context as step_context
from ..context import current
from ..errors import UsageError
from ..program import Program
from ..score import Score
from ..step import Input, Step
from ..version import version_of
from ._program import check_names, function, input_names

Function = Callable[..., Any]
"""A step's function: a method's has ``self``, as in the class."""


def workflow_program(
    workflow: Workflow,
    *,
    name: str,
    inputs: Iterable[str | Input],
    metric: Callable[..., Any] | Score,
    variants: Mapping[str, Mapping[str, Function | tuple[Function, Mapping[str, Any]]]] | None = None,
    steps: Mapping[str, Mapping[str, Any]] | None = None,
    start: Callable[..., Any] | None = None,
) -> Program[Any, Any]:
    """Makes a program of a workflow, which stays as it is.

    A step gets its event, or the list of those that it collects, and the workflow's state
    if it takes a context; it gives its events and the state that it leaves.
    ``ctx.collect_events`` is answered by the workflow, so what a step does before it asks
    is done again for each event. Nothing waits for a human, and streams go nowhere.

    :param inputs: names of the inputs that a case must have
    :param metric: ``metric(result)`` or ``metric(result, case)``; an event as result is its fields
    :param variants: other functions to try, by step and a name for each, as one or as (function, options of the
        variant); they take what the step's takes, ``self`` too if it is a method
    :param steps: options of steps: ``{"write": {"cost": 2, "deterministic": False}}``
    :param start: makes the arguments of ``workflow.run`` of a case's inputs, as a dict; default: they are it
    """
    variants, options = variants or {}, steps or {}
    runner = _Runner(workflow)
    check_names(f"workflow {name}", "step", runner.functions, variants, options)
    found = []
    for step_name, fn in runner.functions.items():
        step = Step(step_name, runner.step(step_name, fn), **{"version": version_of(fn), **options.get(step_name, {})})
        for variant, given in variants.get(step_name, {}).items():
            other, more = given if isinstance(given, tuple) else (given, {})
            step.variant(variant, runner.step(step_name, other), **{"version": version_of(other), **more})
        found.append(step)

    async def run(given: dict[str, Any]) -> Any:
        asking = _Asking(runner, current.get())
        try:
            return await runner.workflow(found, asking).run(**(given if start is None else start(**given)))
        finally:
            await asking.end()

    declared = list(inputs)
    return Program(
        function(run, input_names(declared), name), name=name, inputs=declared, steps=found, metric=metric
    )  # fmt: skip


class _Runner:
    """Runs a workflow's steps by themselves, and the workflow around them."""

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow
        methods = workflow._get_steps()
        self._configs: dict[str, StepConfig] = {n: f._step_config for n, f in methods.items()}
        # In the order in which the class has them.
        self.functions: dict[str, Function] = {
            n: getattr(methods[n], "__func__", methods[n]) for n in _ordered(type(workflow), methods)
        }
        self._methods = {n for n, f in methods.items() if inspect.ismethod(f)}
        states = {c.context_state_type for c in self._configs.values()} - {None}
        self._codec = JsonSerializer(allowed_types=[*workflow.events, *states, DictState])  # type: ignore[list-item]

    def step(self, name: str, fn: Function) -> Callable[..., Any]:
        """The function of a step."""

        async def run(events: list[Any], state: Any = None, collected: Any = None) -> dict[str, Any]:
            given = [self._codec.deserialize_value(e) for e in events]
            store = None if state is None else self._codec.deserialize_value(state)
            batch = None if collected is None else [self._codec.deserialize_value(e) for e in collected]
            ctx = _Context(store, batch)
            out = await self._call(name, fn, self._arguments(name, given, ctx))
            returned = [self._dump(e) for e in out] if isinstance(out, list) else self._dump(out)
            sent = [[self._dump(e), to] for e, to in ctx.sent]
            left = None if store is None else self._dump(await ctx.store.get_state())
            return {"returned": returned, "sent": sent, "state": left}

        return run

    def _dump(self, value: Any) -> Any:
        return None if value is None else self._codec.serialize_value(value)

    def _arguments(self, name: str, events: list[Event], ctx: Any) -> dict[str, Any]:
        """The arguments of a step's function but for its resources."""
        config = self._configs[name]
        if config.collection_param is not None:
            kwargs: dict[str, Any] = {config.collection_param[0]: events}
        elif config.collect_params is not None:
            kwargs = {n: e for (n, _), e in zip(config.collect_params, events)}
        else:
            kwargs = {config.event_name: events[0]}
        if config.context_parameter:
            kwargs[config.context_parameter] = ctx
        return kwargs

    async def _call(self, name: str, fn: Function, kwargs: dict[str, Any]) -> Any:
        manager = self._workflow._resource_manager
        with manager.resolution_scope():
            for definition in self._configs[name].resources:
                definition.resource.set_type_annotation(definition.type_annotation)
                kwargs[definition.name] = await manager.get(resource=definition.resource)
        bound = functools.partial(fn, self._workflow) if name in self._methods else fn
        if inspect.iscoroutinefunction(fn):
            return await bound(**kwargs)
        return await asyncio.to_thread(bound, **kwargs)

    def workflow(self, steps: list[Step[Any, Any]], asking: _Asking) -> Workflow:
        """A copy of the workflow whose steps call the steps. Retries and time-outs are agentblame's affair."""
        methods = {s.name: asking.method(s, self._configs[s.name]) for s in steps}
        cls = type(self._workflow)
        run: Any = copy.copy(self._workflow)
        # Free functions are steps of their class alone: here all are methods.
        run.__class__ = type(cls)(cls.__name__, (cls,), methods)  # type: ignore[misc]
        run._timeout, run._validation_result, run._broker_config = None, None, None
        return run  # type: ignore[no-any-return]

    def takers(self, event: Event) -> int:
        """How many steps take an event."""
        return sum(isinstance(event, tuple(c.accepted_events)) for c in self._configs.values())

    async def expected(self, name: str, event: Event) -> list[type[Event]] | None:
        """What a step that is given an event wants to collect before it works; None if it just works."""
        fn = self.functions[name]
        if "collect_events" not in _names_in(fn.__code__):
            return None
        try:
            await self._call(name, fn, self._arguments(name, [event], _Context(None, None)))
        except _Collecting as asked:
            return asked.expected
        return None


class _Asking:
    """The steps of a workflow in one run.

    Events that are sent, that fan out, or that several steps take, are worked on at once:
    the calls that they lead to are named after where they come from, all others are
    numbered.
    """

    def __init__(self, runner: _Runner, run: Any) -> None:
        self._runner, self._run = runner, run
        self._names: dict[int, tuple[Event, str]] = {}
        self._counts: dict[str, int] = {}
        self._open: set[asyncio.Future[Any]] = set()

    async def end(self) -> None:
        """Waits for calls that the workflow doesn't wait for, since it has ended before."""
        await asyncio.gather(*self._open, return_exceptions=True)

    def method(self, step: Step[Any, Any], config: StepConfig) -> Any:
        """A step's method that asks agentblame."""

        async def ask(_: Workflow, **kwargs: Any) -> Any:
            ctx = kwargs.get(config.context_parameter or "")
            if config.collection_param is not None:
                events = self._sorted(kwargs[config.collection_param[0]])
            elif config.collect_params is not None:
                events = [kwargs[n] for n, _ in config.collect_params]
            else:
                events = [kwargs[config.event_name]]
            collected = None
            if ctx is not None and (expected := await self._runner.expected(step.name, events[0])) is not None:
                collected = ctx.collect_events(events[0], expected)
                if collected is None:
                    return None
                collected = self._sorted(collected)
                events = collected[-1:]
            return await self._call(step, ctx, events, collected)

        ask.__name__ = step.name
        ask._step_config = dataclasses.replace(config, resources=[], retry_policy=None)  # type: ignore[attr-defined]
        return ask

    async def _call(self, step: Step[Any, Any], ctx: Any, events: list[Event], collected: list[Event] | None) -> Any:
        dump, load = self._runner._dump, self._runner._codec.deserialize_value
        given: dict[str, Any] = {"events": [dump(e) for e in events]}
        if ctx is not None:
            given["state"] = dump(await ctx.store.get_state())
        if collected is not None:
            given["collected"] = [dump(e) for e in collected]
        name = None if collected is not None or len(events) != 1 else self._name(events[0])
        token = current.set(self._run)
        try:
            asked = asyncio.ensure_future((step if name is None else step.at(name))(**given))
        finally:
            current.reset(token)
        self._open.add(asked)
        asked.add_done_callback(self._open.discard)
        out = await asyncio.shield(asked)
        label = name
        if label is None:
            label = str(self._counts.setdefault(step.name, 0) + 1)
            self._counts[step.name] += 1
        if ctx is not None and out["state"] is not None and out["state"] != given["state"]:
            await ctx.store.set_state(load(out["state"]))
        for i, (sent, to) in enumerate(out["sent"]):
            ctx.send_event(self._know(load(sent), f"{step.name} {label} {i + 1}"), to)
        returned = out["returned"]
        if isinstance(returned, list):
            return [self._know(load(e), f"{step.name} {label} {i + 1}") for i, e in enumerate(returned)]
        event = None if returned is None else load(returned)
        if event is None or (name is None and self._runner.takers(event) < 2):
            return event
        return self._know(event, f"{step.name} {label}" if name is None else _next(name))

    def _know(self, event: Event, name: str) -> Event:
        self._names[id(event)] = event, name  # kept, so that its id stays its own
        return event

    def _name(self, event: Event) -> str | None:
        return self._names.get(id(event), (None, None))[1]

    def _sorted(self, events: list[Event]) -> list[Event]:
        """Events of each kind in the order of their names, not that in which they came."""
        kinds = [type(e) for e in events]
        return sorted(events, key=lambda e: (kinds.index(type(e)), self._name(e) or ""))


def _next(name: str) -> str:
    """The name of what a named call leads to."""
    base, plus, count = name.rpartition("+")
    return f"{base}+{int(count) + 1}" if plus and count.isdigit() else f"{name}+1"


class _Collecting(BaseException):
    """A step asks for more events."""

    def __init__(self, expected: list[type[Event]]) -> None:
        self.expected = expected


class _Context:
    """What a step that runs by itself has in place of the workflow's context."""

    def __init__(self, state: Any, collected: list[Event] | None) -> None:
        self.store: InMemoryStateStore[Any] = InMemoryStateStore(DictState() if state is None else state)
        self.sent: list[tuple[Event, str | None]] = []
        self._collected = collected

    def send_event(self, message: Event, step: str | None = None) -> None:
        self.sent.append((message, step))

    def write_event_to_stream(self, ev: Event | None) -> None:
        pass

    def collect_events(self, ev: Event, expected: list[type[Event]], buffer_id: str | None = None) -> list[Event]:
        if self._collected is None or len(self._collected) != len(expected):
            raise _Collecting(expected)
        left = list(self._collected)
        return [left.pop(next(i for i, e in enumerate(left) if type(e) is kind)) for kind in expected]

    def __getattr__(self, name: str) -> Any:
        fault = UsageError(f"a step asks for ctx.{name}, which only a running workflow has: that can't be replayed")
        if (run := step_context()) is not None:
            run.fault = fault  # it is no failure of the step: the analysis ends
        raise fault


def _names_in(code: Any) -> set[str]:
    return {*code.co_names, *(n for c in code.co_consts if hasattr(c, "co_names") for n in _names_in(c))}


def _ordered(cls: type, names: Iterable[str]) -> list[str]:
    defined = [n for c in reversed(cls.__mro__) for n in vars(c)]
    return sorted(names, key=lambda n: defined.index(n) if n in defined else len(defined))
