"""A DSPy module as a program: its named predictors and its tools are the steps.

See docs/python-frameworks.md#dspy.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import dspy

from ..decode import decoder, hints
from ..program import Program
from ..score import Score
from ..step import Input, Step
from .call_names import named
from .codec import Codec
from .dspy_calls import output_codec, started
from .dspy_parts import copied, parts_of
from .dspy_steps import Inner, Predictor, ToolPart
from .live import recording
from .metric import reading
from .running import in_program, own_steps, running
from .variant import check_names, step_of

__all__ = ["module_program", "named"]


def module_program(
    module: dspy.Module,
    *,
    inputs: Iterable[str | Input],
    metric: Callable[..., Any] | Score,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    steps: Mapping[str, Mapping[str, Any]] | None = None,
    lm: Any = None,
    others: Iterable[Step[Any, Any]] = (),
    asynchronous: bool | None = None,
    name: str | None = None,
) -> Program[Any, Any]:
    """Makes a program of a module, which stays as it is.

    Each of its named predictors is a step; that of a ChainOfThought has the name of the
    ChainOfThought. A step's inputs are the predictor's fields, its output is the fields
    that it predicts. Each tool is a step, too, with the tool's name. A module in the
    module is one step as a whole where ``variants`` or ``steps`` name it. Called outside
    an analysis, the program calls the module.

    :param inputs: names of the inputs that a case must have: the module's arguments
    :param metric: ``metric(prediction)`` or ``metric(prediction, case)``
    :param variants: by step and a name for each. For a predictor another one, an optimized module (whose predictor of
        that name is meant), or changes ``{"lm": …, "instructions": …, "demos": […]}``; for a tool a function or a Tool;
        for a module another one. Any may be a Variant with options. The first is the default fix
    :param steps: options by step: ``{"answer": {"cost": 2}}``; those of predictors and of modules default to
        ``deterministic=False``
    :param lm: the language model of predictors that have none of their own; default: that of dspy.configure
    :param others: steps of your own that the module calls, where they aren't found in it
    :param asynchronous: the module is called by ``acall``; default: where it has no ``forward``
    :raises UsageError: if there is no step of a name, or the module can't be copied
    """
    name = name or type(module).__name__
    variants, options, declared = variants or {}, steps or {}, list(inputs)
    asked = [*variants, *options]
    # One copy asks the steps, and the parts of the other are what they run.
    run, base = copied(module, name), copied(module, name)
    parts, bases = parts_of(run, asked), parts_of(base, asked)
    check_names(f"module {name}", "predictor, tool or module", parts, variants, options)
    if asynchronous is None:
        asynchronous = not hasattr(type(module), "forward")
    codec = output_codec([p for p in bases.values() if isinstance(p, dspy.Predict)])
    made: list[Step[Any, Any]] = []
    for step_name, part in parts.items():
        kind = Predictor if isinstance(part, dspy.Predict) else ToolPart if isinstance(part, dspy.Tool) else Inner
        adapted = kind(step_name, bases[step_name], lm, asynchronous, codec)
        step = step_of(
            step_name, adapted.base, variants.get(step_name, {}), options.get(step_name, {}),
            function=adapted.function, seen=adapted.seen, change=adapted.changed, read=adapted.shown,
        )  # fmt: skip
        adapted.intercept(part, step)
        made.append(step)
    mine = own_steps([type(m) for _, m in module.named_sub_modules(dspy.Module) if _is_users(m)], others)
    fn = _function(_Calls(module, run, lm, codec), [i if isinstance(i, str) else i.name for i in declared], asynchronous)
    fn.__name__ = fn.__qualname__ = name
    return Program(
        running(fn, {id(s): s for s in made}),
        name=name,
        inputs=declared,
        steps=[*made, *mine],
        metric=reading(metric, lambda output: _read(codec, output)),
    )


def _is_users(module: Any) -> bool:
    return not type(module).__module__.startswith("dspy.")


class _Calls:
    """The calls of a program's module."""

    def __init__(self, module: dspy.Module, run: dspy.Module, lm: Any, codec: Codec) -> None:
        self.module, self.run, self.lm, self.codec = module, run, lm, codec
        signature: Any = getattr(module, "signature", None)
        found = (
            {n: f.annotation for n, f in signature.input_fields.items()}
            if hasattr(signature, "input_fields")
            else hints(getattr(type(module), "forward", None) or type(module).aforward)
        )
        self._read = {n: read for n, hint in found.items() if (read := decoder(hint)) is not None}

    def given(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Inputs of a case, as what the module is annotated to take."""
        return {n: self._read[n](v) if n in self._read else v for n, v in inputs.items()}

    def as_it_is(self) -> Any:
        """The settings of a call outside an analysis."""
        return dspy.context(lm=self.lm) if self.lm is not None else dspy.context()

    def gave(self, output: Any) -> Any:
        """What a call gives, as JSON in an analysis."""
        return output if recording() else _written(self.codec, output)


def _function(calls: _Calls, names: list[str], asynchronous: bool) -> Any:
    """The program's function, whose parameters are the inputs."""

    def call(**inputs: Any) -> Any:
        if not in_program():
            with calls.as_it_is():
                return calls.module(**inputs)
        with started(calls.lm):
            return calls.gave(calls.run(**calls.given(inputs)))

    async def call_async(**inputs: Any) -> Any:
        if not in_program():
            with calls.as_it_is():
                return await calls.module.acall(**inputs)
        with started(calls.lm):
            return calls.gave(await calls.run.acall(**calls.given(inputs)))

    fn: Any = call_async if asynchronous else call
    fn.__signature__ = inspect.Signature([inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in names])
    return fn


def _written(codec: Codec, output: Any) -> Any:
    """What the module gives: a prediction as its fields."""
    if isinstance(output, dspy.Prediction):
        return {n: codec.dump(v) for n, v in output.items()}
    dumped = codec.dump(output)
    return {"$value": dumped} if isinstance(dumped, dict) else dumped


def _read(codec: Codec, output: Any) -> Any:
    if not isinstance(output, dict):
        return codec.revive(output)
    if list(output) == ["$value"]:
        return codec.revive(output["$value"])
    return dspy.Prediction(**{n: codec.revive(v) for n, v in output.items()})
