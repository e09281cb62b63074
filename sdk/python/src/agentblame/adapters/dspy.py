"""A DSPy module as a program: its named predictors are the steps."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import dspy

from ..context import tell
from ..decode import decoder
from ..errors import DecodingError, UsageError
from ..program import Program
from ..score import Score
from ..step import Input, Step
from ..wiring import listed
from ._program import ask, function, in_program, input_names, named, text_version
from .metric import reading
from .variant import Variant, check_names

__all__ = ["module_program", "named"]

_CHANGEABLE = ("lm", "instructions", "demos")
_PASSED = ("config", "demos")
"""What a call of a predictor may give besides its fields, as JSON."""


def module_program(
    module: dspy.Module,
    *,
    inputs: Iterable[str | Input],
    metric: Callable[..., Any] | Score,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    steps: Mapping[str, Mapping[str, Any]] | None = None,
    lm: Any = None,
    name: str | None = None,
) -> Program[Any, Any]:
    """Makes a program of a module, which stays as it is.

    Each of its named predictors is a step; that of a ChainOfThought has the name of the
    ChainOfThought. A step's inputs are the predictor's fields, its output is the fields
    that it predicts. Calls of one predictor that go on at once are named:
    ``with named("shard-3"): …``.

    :param inputs: names of the inputs that a case must have: the module's arguments
    :param metric: ``metric(prediction)`` or ``metric(prediction, case)``
    :param variants: by predictor and a name for each: another predictor, an optimized module (whose predictor of
        that name is meant), or changes ``{"lm": …, "instructions": …, "demos": […]}``; any may be a Variant with options.
        The first is the default fix
    :param steps: options of predictors as steps: ``{"answer": {"cost": 2}}``; they default to ``deterministic=False``
    :param lm: the language model of predictors that have none of their own; default: that of dspy.configure
    """
    name = name or type(module).__name__
    run = module.deepcopy()
    predictors = _predictors(run)
    variants, options = variants or {}, steps or {}
    check_names(f"module {name}", "predictor", predictors, variants, options)
    asynchronous = not hasattr(module, "forward")
    found = []
    for step_name, predictor in predictors.items():
        base = predictor.deepcopy()
        step = Step(
            step_name, _function(base, lm, asynchronous), **{**_defaults(base, lm), **options.get(step_name, {})}
        )
        for variant, given in variants.get(step_name, {}).items():
            other = Variant.of(given)
            changed, own = _changed(base, other.what, step_name, variant, lm)
            step.variant(variant, _function(changed, own, asynchronous), **{**_defaults(changed, own), **other.options})
        _intercept(predictor, step)
        found.append(step)

    def call(given: dict[str, Any]) -> Any:
        with _using(lm):
            return _dump(run(**given))

    async def call_async(given: dict[str, Any]) -> Any:
        with _using(lm):
            return _dump(await run.acall(**given))

    declared = list(inputs)
    return Program(
        function(call_async if asynchronous else call, input_names(declared), name),
        name=name,
        inputs=declared,
        steps=found,
        metric=reading(metric, lambda out: dspy.Prediction(**out) if isinstance(out, dict) else out),
    )


def _predictors(module: dspy.Module) -> dict[str, dspy.Predict]:
    """The predictors of a module by their names as steps."""
    named_as = {n: p for n, p in module.named_predictors()}
    short = {n: n.removesuffix(".predict") for n in named_as}
    taken = list(short.values())
    return {(s if taken.count(s) == 1 else n): named_as[n] for n, s in short.items()}


def _function(predictor: dspy.Predict, lm: Any, asynchronous: bool) -> Callable[..., Any]:
    """The function of a predictor's step."""
    read = _readers(predictor.signature.input_fields)

    def prepare(fields: dict[str, Any], options: dict[str, Any] | None) -> dict[str, Any]:
        return {**_read(fields, read), **(options or {})}

    def run(fields: dict[str, Any], options: dict[str, Any] | None = None) -> Any:
        with _using(lm):
            return _told(predictor(**prepare(fields, options)), predictor)

    async def run_async(fields: dict[str, Any], options: dict[str, Any] | None = None) -> Any:
        with _using(lm):
            return _told(await predictor.acall(**prepare(fields, options)), predictor)

    return run_async if asynchronous else run


def _using(lm: Any) -> Any:
    """DSPy's settings while a module or predictor runs."""
    return dspy.context(track_usage=True, **({} if lm is None else {"lm": lm}))


def _told(prediction: dspy.Prediction, predictor: dspy.Predict) -> dict[str, Any]:
    """The fields that a predictor has predicted."""
    usage = prediction.get_lm_usage()
    if usage:
        tell(usage=usage)
    return {n: prediction[n] for n in predictor.signature.output_fields if n in prediction}


def _intercept(predictor: Any, step: Step[Any, Any]) -> None:
    """Has a predictor's calls of a program be calls of the step; all others are as they were."""
    forward, aforward = predictor.forward, predictor.aforward
    read = _readers(predictor.signature.output_fields)

    def inputs(given: dict[str, Any]) -> dict[str, Any]:
        fields = {n: v for n, v in given.items() if n in predictor.signature.input_fields}
        options = {n: v for n, v in given.items() if n not in fields}
        for n in options:
            if n not in _PASSED:
                raise UsageError(f"predictor {step.name}: {n}= in a call can't be replayed; give it to the predictor")
        return {"fields": fields, "options": options} if options else {"fields": fields}

    def call(**given: Any) -> Any:
        if not in_program():
            return forward(**given)
        out = ask(step, **inputs(given))
        return dspy.Prediction(**_read(out, read))

    async def call_async(**given: Any) -> Any:
        if not in_program():
            return await aforward(**given)
        out = ask(step, **inputs(given))
        return dspy.Prediction(**_read(await out if inspect.isawaitable(out) else out, read))

    predictor.forward, predictor.aforward = call, call_async


def _readers(fields: Mapping[str, Any]) -> dict[str, Callable[[Any], Any]]:
    return {n: read for n, f in fields.items() if (read := decoder(f.annotation)) is not None}


def _read(fields: Mapping[str, Any], readers: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    out = dict(fields)
    for n, read in readers.items():
        if n in out:
            try:
                out[n] = read(out[n])
            except DecodingError as error:
                raise DecodingError(f"field {n}: {error}") from error
    return out


def _changed(base: dspy.Predict, other: Any, name: str, variant: str, lm: Any) -> tuple[dspy.Predict, Any]:
    """The predictor of a variant, and its language model."""
    if isinstance(other, dspy.Predict):
        return other, lm
    if isinstance(other, dspy.Module):
        predictors = _predictors(other)
        if name in predictors:
            return predictors[name], lm
        if len(predictors) == 1:  # a ChainOfThought in place of a Predict, say
            return next(iter(predictors.values())), lm
        raise UsageError(
            f"variant {variant} of {name}: the module has no predictor {name}: it has {listed(predictors)}"
        )
    check_names(f"variant {variant} of {name}", "change", _CHANGEABLE, other)
    changed = base.deepcopy()
    if "instructions" in other:
        changed.signature = changed.signature.with_instructions(other["instructions"])
    if "demos" in other:
        changed.demos = list(other["demos"])
    if "lm" in other:
        changed.lm = None  # its own would come first
    return changed, other.get("lm", lm)


def _defaults(predictor: dspy.Predict, lm: Any) -> dict[str, Any]:
    state = predictor.dump_state()
    model = predictor.lm or lm
    version = text_version(state.get("signature"), state.get("demos"), getattr(model, "model", None))
    return {"deterministic": False, "version": version}


def _dump(value: Any) -> Any:
    return value.toDict() if isinstance(value, dspy.Prediction) else value
