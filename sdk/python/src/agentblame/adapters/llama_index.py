"""A LlamaIndex workflow as a program: its steps are the steps.

See docs/python-frameworks.md#llamaindex.
"""

from __future__ import annotations

import inspect
import time
import types
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from hashlib import sha256
from typing import Any

from workflows import Workflow
from workflows.context.state_store import infer_state_type
from workflows.decorators import make_step_function
from workflows.plugins.basic import BasicRuntime
from workflows.runtime.types.results import RetryAttempt, StepWorkerFailed
from workflows.runtime.types.step_function import as_step_worker_function

from ..context import current
from ..decode import hints
from ..errors import StepError, UsageError
from ..program import Program
from ..score import Score
from ..step import Input, Step
from ..version import version_of
from .live import LIVE, Live, being, recording
from .llama_runtime import Turn, with_workers
from .llama_steps import StepValues
from .llama_values import codec_of
from .metric import reading
from .variant import Variant, check_names, step_of


_FIRST = RetryAttempt()


def workflow_program(
    workflow: Workflow,
    *,
    inputs: Iterable[str | Input],
    metric: Callable[..., Any] | Score,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    steps: Mapping[str, Mapping[str, Any]] | None = None,
    start: Callable[..., Any] | None = None,
    classes: Iterable[type] = (),
    name: str | None = None,
) -> Program[..., Any]:
    """Makes a program of a workflow, which stays as it is.

    Every step of the workflow is a step. Its input is the event that it is given, and
    the run's state if it takes the context; its output is the event that it returns,
    those that it sends, and what it changes of the state. Called outside an analysis,
    the program runs the workflow.

    :param workflow: an instance
    :param inputs: names of the inputs that a case must have
    :param metric: how good the result is: ``metric(result)``, ``metric(result, case)``; see Score
    :param variants: what to try in a step's place, by its name and a name for each: a method of another workflow,
        or an annotated function as ``@step`` takes it, with or without ``self``; or a Variant with options.
        The first is the default fix
    :param steps: options of steps, by name: cost, key, deterministic … Unless it says otherwise, a step that a
        language model is found in is ``deterministic=False``
    :param start: makes the start event of a case's inputs; default: they are its fields
    :param classes: dataclasses and models that events hold where no annotation tells so
    :param name: default: that of the workflow's class
    :raises UsageError: if the workflow has no step of a name
    """
    adapted = _Workflow(workflow, variants or {}, steps or {}, classes, name or type(workflow).__name__)

    async def run(**given: Any) -> Any:
        return await adapted.run(given if start is None else {"start_event": start(**given)})

    return Program(
        run,
        name=adapted.name,
        inputs=inputs,
        steps=adapted.steps.values(),
        metric=reading(metric, adapted.values.codec.revive),
    )


class _Workflow:
    """A workflow with its steps."""

    def __init__(
        self,
        workflow: Workflow,
        variants: Mapping[str, Mapping[str, Any]],
        options: Mapping[str, Mapping[str, Any]],
        classes: Iterable[type],
        name: str,
    ) -> None:
        if not isinstance(workflow, Workflow):
            raise UsageError(f"{name} is no workflow: give an instance of a Workflow, not {workflow!r}")
        self.workflow, self.name = workflow, name
        self.functions = _functions(workflow)
        check_names(f"workflow {name}", "step", self.functions, variants, options)
        tried = {n: {v: Variant.of(w) for v, w in variants.get(n, {}).items()} for n in self.functions}
        for n, found in tried.items():
            for v in found.values():
                v.what = _declared(v.what, n, self.functions[n])
        self.used = {n: [fn, *(v.what for v in tried[n].values())] for n, fn in self.functions.items()}
        state_type = infer_state_type(workflow)
        spoken = [h for fns in self.used.values() for fn in fns for h in _spoken(fn)]
        codec = codec_of([*spoken, state_type], classes)
        self.values = StepValues(codec, state_type)
        self.steps = {n: self._step(n, tried[n], options.get(n, {})) for n in self.functions}

    def _step(self, name: str, variants: Mapping[str, Variant], options: Mapping[str, Any]) -> Step[..., Any]:
        fn, function = self.functions[name], partial(self._implementation, name)

        def read(output: Any) -> Any:
            return self.values.codec.revive(output.get("event"))

        return step_of(name, fn, variants, options, function=function, seen=self._seen, read=read)

    def _implementation(self, name: str, fn: Any) -> Callable[..., Any]:
        """What a step runs, on an event and a state that are JSON."""

        async def run(**inputs: Any) -> dict[str, Any]:
            live = LIVE.get()
            if live is None:
                return await self.values.run(self.workflow, name, fn, inputs)
            live.output = await as_step_worker_function(fn)(**live.given)
            after = await self.values.state(live.config) if "state" in inputs else None
            return self.values.output(name, live.output, inputs.get("state"), after)

        return run

    def _seen(self, fn: Any) -> dict[str, Any]:
        """What is seen of a function: its version, and whether it uses a language model.

        The version is also that of the workflow's other methods and plain attributes.
        """
        others = [
            m for cls in type(self.workflow).__mro__ if issubclass(cls, Workflow) and cls is not Workflow
            for m in vars(cls).values() if inspect.isfunction(m) and not hasattr(m, "_step_config")
        ]  # fmt: skip
        simple = (bool, int, float, str, bytes, type(None))
        own = {n: v for n, v in vars(self.workflow).items() if not n.startswith("_") and isinstance(v, simple)}
        text = "\0".join([version_of(fn), *map(version_of, others), repr(sorted(own.items()))])
        out: dict[str, Any] = {"version": sha256(text.encode("utf-8", "replace")).hexdigest()[:16]}
        return out | ({"deterministic": False} if _uses_model(fn, self.workflow) else {})

    async def run(self, given: dict[str, Any]) -> Any:
        """Runs the workflow."""
        recorded = recording() and type(self.workflow.runtime) is BasicRuntime
        if current.get() is None or (recording() and not recorded):
            return await self.workflow.run(**given)
        make = self._recorded if recorded else self._replayed
        workers = {n: make(n) for n in self.functions}
        result = await with_workers(self.workflow, workers, in_turn=not recorded).run(**given)
        return result if recorded else self.values.codec.dump(result)

    def _stateful(self, name: str) -> bool:
        return any(fn._step_config.context_parameter is not None for fn in self.used[name])

    def _replayed(self, name: str) -> Callable[..., Any]:
        """What runs a step's events in an analysis: it calls the step."""
        step, stateful = self.steps[name], self._stateful(name)

        async def work(
            state: Any, step_name: str, event: Any, workflow: Workflow, bound_events: Any = None,
            retry: RetryAttempt = _FIRST,
        ) -> list[Any]:  # fmt: skip
            async with Turn(workflow) as adapter:
                inputs = await self.values.inputs(adapter, state, event, bound_events, stateful)
                try:
                    output = await step(**inputs)
                except (StepError, UsageError) as error:
                    return [StepWorkerFailed(exception=error, failed_at=time.time())]
                return await self.values.apply(output, adapter, retry)

        return work

    def _recorded(self, name: str) -> Callable[..., Any]:
        """What runs a step's events while they are recorded: the step as it is, and what it did."""
        step, stateful = self.steps[name], self._stateful(name)

        async def work(
            state: Any, step_name: str, event: Any, workflow: Workflow, bound_events: Any = None,
            retry: RetryAttempt = _FIRST,
        ) -> list[Any]:  # fmt: skip
            adapter = workflow._runtime.get_internal_adapter(workflow)
            inputs = await self.values.inputs(adapter, state, event, bound_events, stateful)
            given = {
                "state": state, "step_name": step_name, "event": event, "workflow": workflow,
                "bound_events": bound_events, "retry": retry,
            }  # fmt: skip
            with being(Live(given, adapter)) as live:
                try:
                    await step(**inputs)
                except Exception:  # it is among what the step gave
                    if live.output is None:
                        raise
            return live.output  # type: ignore[no-any-return]

        return work


def _functions(workflow: Workflow) -> dict[str, Any]:
    """The functions of a workflow's steps, in the order that they are written in."""
    found = {n: getattr(fn, "__func__", fn) for n, fn in workflow._get_steps().items()}
    classes = reversed(type(workflow).__mro__)
    written = [n for n in dict.fromkeys(n for cls in classes for n in vars(cls)) if n in found]
    return {n: found[n] for n in [*written, *(n for n in found if n not in written)]}


def _declared(given: Any, name: str, fn: Any) -> Any:
    """A variant of a step as a function that is declared to be a step."""
    variant = getattr(given, "__func__", given)
    if not inspect.isfunction(variant):
        raise UsageError(f"a variant of step {name} is {given!r}, which is no function")
    if not hasattr(variant, "_step_config"):
        # A copy, since being declared is an attribute of the function.
        declared = types.FunctionType(
            variant.__code__, variant.__globals__, variant.__name__, variant.__defaults__, variant.__closure__
        )
        declared.__kwdefaults__, declared.__annotations__ = variant.__kwdefaults__, variant.__annotations__
        declared.__module__, declared.__qualname__ = variant.__module__, variant.__qualname__
        variant = make_step_function(declared)
    lacking = [e for e in fn._step_config.accepted_events if e not in variant._step_config.accepted_events]
    if lacking:
        raise UsageError(
            f"variant {variant.__name__} of step {name} doesn't take {lacking[0].__name__}, as the step does"
        )
    return variant


def _spoken(fn: Any) -> list[Any]:
    """What a step's annotations speak of."""
    return [*fn._step_config.accepted_events, *fn._step_config.return_types, *hints(fn).values()]


def _uses_model(fn: Any, workflow: Workflow) -> bool:
    """Whether a language model, or a client of one, is among what a step's names stand for."""
    seen: set[Any] = set()

    def names(code: types.CodeType) -> set[str]:
        return set(code.co_names).union(*(names(c) for c in code.co_consts if isinstance(c, types.CodeType)))

    def look(value: Any) -> bool:
        kind = type(value)
        if any(c.__name__ == "BaseLLM" for c in kind.__mro__) or kind.__module__.split(".")[0] in (
            "openai",
            "anthropic",
        ):
            return True
        value = getattr(value, "__func__", value)
        if not inspect.isfunction(value) or value in seen:
            return False
        seen.add(value)
        found = names(value.__code__)
        parts = [
            getattr(workflow, n)
            for n in found
            if n in vars(workflow) or inspect.isfunction(getattr(type(workflow), n, None))
        ]
        parts += [value.__globals__[n] for n in found if n in value.__globals__]
        for cell in value.__closure__ or ():
            try:
                parts.append(cell.cell_contents)
            except ValueError:  # not set yet
                continue
        return any(look(p) for p in parts)

    return look(fn)
