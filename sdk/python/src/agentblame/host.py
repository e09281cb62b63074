"""The host: runs what is served. It knows nothing of how requests come in."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from .case import Case
from .context import Context, current, inside
from .decode import Decoder
from .errors import CANCELLED, INVALID, NO_METHOD, DecodingError, ProtocolError, UsageError
from .manifest import IN_FLIGHT, manifest
from .pipeline import Served
from .score import number
from .step import Impl, Step, Unit
from .values import encode, encode_plain

Params = dict[str, Any]
"""The parameters of a request, as agentblame sends them."""


class Pace:
    """How long something took when it was run last."""

    __slots__ = ("quick",)

    def __init__(self) -> None:
        self.quick = False
        """It took no time worth a thread of its own."""


class Runner(Pace):
    """An implementation of a step, ready to run on inputs that are JSON."""

    __slots__ = ("asynchronous", "decoders", "fn", "impl", "names", "noise", "step", "what", "wires")

    def __init__(self, unit: Unit, impl: Impl, wires: Mapping[str, str] | None, decoders: dict[str, Decoder]) -> None:
        super().__init__()
        signature = impl.signature
        self.step, self.impl, self.fn, self.what = unit.name, impl, impl.fn, impl.what
        self.names = frozenset(signature.names)
        self.noise = signature.noise
        self.asynchronous = signature.asynchronous
        self.wires = None
        if wires is not None and any(p != n for p, n in wires.items()):
            self.wires = dict(wires)
        self.decoders = decoders

    def arguments(self, inputs: dict[str, Any], context: Context) -> dict[str, Any]:
        """The arguments for a run."""
        if self.wires is not None:
            inputs = {p: inputs[n] for p, n in self.wires.items() if n in inputs}
        if self.decoders or inputs.keys() != self.names:
            inputs = self.impl.signature.arguments(self.what, inputs, self.decoders)
        if self.noise:
            inputs["noise"] = context.noise
        if self.impl.signature.case:
            inputs["case"] = context.case
        return inputs


class Host:
    """Runs the steps, the metric and the program of what is served."""

    def __init__(self, served: Served, in_flight: int | None = None) -> None:
        self.served = served
        self.units = served.units
        self.runners: dict[str, dict[str, Runner]] = {
            name: {impl.name: self._runner(unit, impl) for impl in unit.impls.values()}
            for name, unit in self.units.items()
        }
        self.manifest = encode(manifest(served, in_flight or IN_FLIGHT), "the manifest")
        self._program_decoders: dict[str, Decoder] | None = None

    def declared(self, step: Step[Any, Any]) -> bool:
        """Whether a step is one of those served."""
        return self.units.get(step.name) is step

    def _runner(self, unit: Unit, impl: Impl) -> Runner:
        wires = self.served.needs.get(unit.name) if isinstance(unit, Step) else None
        base, own = unit.impls[""].signature, impl.signature
        decoders: dict[str, Decoder] = {}
        for p in own.names:
            if (read := own.decoders.get(p)) is not None:
                decoders[p] = read
            elif p not in own.annotated:
                read = base.decoders.get(p)
                if read is None and p not in base.annotated and wires is not None:
                    read = self._returns(wires.get(p))
                if read is not None:
                    decoders[p] = read
        return Runner(unit, impl, wires, decoders)

    def _returns(self, name: str | None) -> Decoder | None:
        """What turns a step's output into what its function is annotated to return."""
        unit = self.units.get(name or "")
        return unit.impls[""].signature.returns if isinstance(unit, Step) else None

    def runner(self, params: Params) -> Runner:
        """What a request asks to run."""
        impls = self.runners.get(params.get("step", ""))
        if impls is None:
            raise ProtocolError(INVALID, f"no such step: {params.get('step')}")
        runner = impls.get(params.get("variant") or "")
        if runner is None:
            raise ProtocolError(INVALID, f"no such variant of step {params['step']}: {params['variant']}")
        return runner

    def context(self, name: str, params: Params, report: Callable[[str], None] | None = None) -> Context:
        """The context of a request's run."""
        return Context(
            name, params.get("iteration", "1"), params.get("noise"), params.get("case"), self.declared, report
        )

    def run_step(self, runner: Runner, params: Params, context: Context) -> str | Awaitable[str]:
        """Runs a step: the text of the result, awaitable where the step is async."""
        if runner.asynchronous:
            return self._run_async(runner, params, context)
        token = current.set(context)
        try:
            output = runner.fn(**runner.arguments(params["inputs"], context))
        finally:
            current.reset(token)
            if context.fault is not None:
                raise context.fault
        if inspect.isawaitable(output):
            return self._await(runner, output, context)
        return self.output(runner, output, context)

    async def _run_async(self, runner: Runner, params: Params, context: Context) -> str:
        current.set(context)  # of this task
        return await self._await(runner, runner.fn(**runner.arguments(params["inputs"], context)), context)

    async def _await(self, runner: Runner, output: Awaitable[Any], context: Context) -> str:
        current.set(context)
        try:
            value = await output
        finally:
            if context.fault is not None:
                raise context.fault
        return self.output(runner, value, context)

    def output(self, runner: Runner, output: Any, context: Context) -> str:
        """The text of a step's result."""
        kind = type(output)
        if kind is bool or output is None or kind is int:
            text = "null" if output is None else str(output) if kind is int else "true" if output else "false"
        else:
            text = encode(output, f"the output of {runner.what}")
        return _result(f'{{"output":{text}', context)

    def key(self, params: Params) -> str | Awaitable[str]:
        """Runs a step's key."""
        unit = self.units.get(params.get("step", ""))
        if not isinstance(unit, Step) or unit.key is None:
            raise ProtocolError(INVALID, f"step {params.get('step')} has no key")
        output = params.get("output")
        if (read := self._returns(unit.name)) is not None:
            output = read(output)
        return f'{{"key":{encode(unit.key(output), f"the key of step {unit.name}")}}}'

    def score(self, params: Params, context: Context) -> str | Awaitable[str]:
        """Runs the metric."""
        score = self.served.score
        if score is None:
            raise ProtocolError(NO_METHOD, "this host has no score")
        given = self._score_arguments(params)
        if score.signature.noise:
            given["noise"] = context.noise
        if score.signature.case:
            given["case"] = context.case or Case("")
        token = current.set(context)
        try:
            value = score.fn(**given)
        finally:
            current.reset(token)
            if context.fault is not None:
                raise context.fault
        if inspect.isawaitable(value):
            return self._await_score(value, context)
        return _score(value, context)

    async def _await_score(self, value: Awaitable[Any], context: Context) -> str:
        current.set(context)
        try:
            return _score(await value, context)
        finally:
            if context.fault is not None:
                raise context.fault

    def _score_arguments(self, params: Params) -> dict[str, Any]:
        score = self.served.score
        assert score is not None
        signature = score.signature
        if self.served.kind == "program":
            output, name = params.get("output"), score.whole
            read = signature.decoders.get(name)
            if read is None and name not in signature.annotated:
                read = self.served.signature.returns  # type: ignore[attr-defined]
            return {name: output if read is None else read(output)}
        values = params.get("values") or {}
        needs = getattr(self.served, "score_needs", None)
        if needs is None:
            whole = {n: v if (read := self._returns(n)) is None else read(v) for n, v in values.items()}
            return {score.whole: whole}
        given: dict[str, Any] = {}
        for p, n in needs.items():
            read = signature.decoders.get(p)
            if read is None and p not in signature.annotated:
                read = self._returns(n)
            given[p] = values[n] if read is None else read(values[n])
        return given

    def start_program(self, run: Any, inputs: Mapping[str, Any]) -> str | Awaitable[str]:
        """Runs the program, whose calls the run answers."""
        served = self.served
        if served.kind != "program" or served.fn is None:
            raise ProtocolError(NO_METHOD, "this host has no program")
        signature = served.signature  # type: ignore[attr-defined]
        what = f"program {served.name}"
        try:
            given = signature.arguments(what, inputs, signature.decoders)
        except DecodingError as error:
            raise UsageError(str(error)) from error
        if signature.asynchronous:
            return self._start_async(run, given)
        token = current.set(inside(run))
        try:
            output = served.fn(**given)
        finally:
            current.reset(token)
        if inspect.isawaitable(output):
            return self._await_program(run, output)
        return f'{{"output":{encode(output, f"the output of {what}")}}}'

    async def _start_async(self, run: Any, given: dict[str, Any]) -> str:
        current.set(inside(run))
        run.begin()
        return await self._await_program(run, self.served.fn(**given))  # type: ignore[misc]

    async def _await_program(self, run: Any, output: Awaitable[Any]) -> str:
        current.set(inside(run))
        run.begin()
        return f'{{"output":{encode(await output, f"the output of program {self.served.name}")}}}'


def _result(text: str, context: Context) -> str:
    """The text of a run's result, with what else it has to tell."""
    if context._noise is not None and context._noise.draws:
        text += f',"draws":{encode_plain(context._noise.draws, "the draws")}'
    if context.cost:
        text += f',"cost":{encode(context.cost, f"the cost of {context.step}")}'
    if context._notes:
        for name, value in context._notes.items():
            text += f',"{name}":{encode(value, f"the {name} of {context.step}")}'
    return text + "}"


def _score(value: Any, context: Context) -> str:
    return _result(f'{{"score":{encode(number(value), "the score")}', context)


OVER = {"code": CANCELLED, "message": "the run is over"}
"""What a request whose result no longer matters is answered with."""
