"""Calls of parts of DSPy modules in programs: what they are given, and in which settings."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import dspy
from dspy.utils.callback import BaseCallback

from ..decode import decoder
from ..errors import DecodingError, RunOver
from ..runs import at_work
from ..step import Step
from ..values import plain
from .call_names import call_name
from .codec import Codec, Kind, class_kinds, classes_of
from .live import recording
from .running import ask, ask_async, in_program, known, refusal

PREDICTION = Kind("$prediction", (dspy.Prediction,), lambda p: dict(p.items()), lambda fields: dspy.Prediction(**fields))
EXAMPLE = Kind("$example", (dspy.Example,), lambda e: dict(e.items()), lambda fields: dspy.Example(**fields))
FIELDS = Codec([])
"""Writes what predictors are given: dataclasses and models as their fields."""


class Started(NamedTuple):
    """How a program's run began: its settings, and the thread or task that is its own."""

    lm: Any
    adapter: Any
    own: Any
    repeats: dict[str, Iterator[int]]


STARTED: ContextVar[Started | None] = ContextVar("agentblame_dspy", default=None)


@contextmanager
def started(lm: Any) -> Iterator[None]:
    """Begins a program's run."""
    watched = [*(dspy.settings.callbacks or []), _Watching()]
    with using(lm), dspy.context(callbacks=watched):
        token = STARTED.set(Started(dspy.settings.lm, dspy.settings.adapter, at_work(), {}))
        try:
            yield
        finally:
            STARTED.reset(token)


class _Watching(BaseCallback):
    """Ends the run of a program that asks a language model itself: what it is told would differ in each replay."""

    def on_lm_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        if in_program() and not recording():
            refusal(
                f"the program asks the language model {instance.model} itself, by no predictor that is a step, "
                "which can't be replayed: make the call a step of your own"
            )
            # DSPy drops exceptions of callbacks.
            raise RunOver("the run is over")


def using(lm: Any) -> Any:
    """DSPy's settings while a module or a part of one runs."""
    return dspy.context(track_usage=True, **({} if lm is None else {"lm": lm}))


def name_of_call(step: Step[Any, Any], inputs: Callable[[], Mapping[str, Any]]) -> str | None:
    """The name of a call: that which ``named`` has set, or one made of the inputs in a thread or task beside the run."""
    begun = STARTED.get()
    if (name := call_name()) is not None or begun is None or begun.own == at_work():
        return name
    try:
        text = json.dumps(plain(inputs(), "the inputs"), ensure_ascii=False, sort_keys=True)
    except Exception:
        return None  # the call itself says why, or isn't recorded
    name = f"by-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}"
    label = f"{step.name}#{name}"
    number = next(begun.repeats.setdefault(label, itertools.count(1)))  # threads don't share one
    return name if number == 1 else f"{name}-{number}"


def stepped(
    part: Any,
    step: Step[Any, Any],
    inputs: Callable[..., Mapping[str, Any]],
    read: Callable[..., Any],
) -> None:
    """Has the calls of a module be calls of a step in programs that know it, also those of its copies.

    :param inputs: gives the step's inputs, of the module and a call's arguments
    :param read: makes what the module gives of those and the step's output
    """
    cls: Any = type(part)

    def forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        if known(step) is None:
            return cls.forward(self, *args, **kwargs)

        def given() -> Mapping[str, Any]:
            return inputs(self, args, kwargs)

        return ask(
            step,
            name_of_call(step, given),
            given,
            lambda output: read(self, kwargs, output),
            lambda: cls.forward(self, *args, **kwargs),
        )

    async def aforward(self: Any, *args: Any, **kwargs: Any) -> Any:
        if known(step) is None:
            return await cls.aforward(self, *args, **kwargs)

        def given() -> Mapping[str, Any]:
            return inputs(self, args, kwargs)

        return await ask_async(
            step,
            name_of_call(step, given),
            given,
            lambda output: read(self, kwargs, output),
            lambda: cls.aforward(self, *args, **kwargs),
        )

    own = {"forward": forward, "aforward": aforward, "__module__": cls.__module__, "__qualname__": cls.__qualname__}
    part.__class__ = type(cls)(cls.__name__, (cls,), own)


def settings_of(predictor: Any, base: Any, step: str) -> dict[str, Any]:
    """What the language model of a predictor is asked with besides what the step's own is, as in BestOfN."""
    begun = STARTED.get()
    assert begun is not None
    if dspy.settings.adapter is not begun.adapter:
        raise refusal(f"predictor {step} is called with an adapter of a dspy.context, which can't be replayed")
    lm, own = predictor.lm or dspy.settings.lm, base.lm or begun.lm
    if lm is own:
        return {}
    if type(lm) is not type(own) or lm.model != own.model:
        raise refusal(
            f"predictor {step} is called with another language model than it was when the program was made, "
            "which can't be replayed: give it to the predictor (predictor.lm = …)"
        )
    return {k: v for k, v in lm.kwargs.items() if own.kwargs.get(k) != v}


def readers(fields: Mapping[str, Any]) -> dict[str, Callable[[Any], Any]]:
    """What makes of JSON what fields of a signature are annotated with."""
    return {n: read for n, f in fields.items() if (read := decoder(f.annotation)) is not None}


def read_fields(fields: Mapping[str, Any], given: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    """Fields that were written as JSON."""
    out = dict(fields)
    for n, read in given.items():
        if n in out:
            try:
                out[n] = read(out[n])
            except DecodingError as error:
                raise DecodingError(f"field {n}: {error}") from error
    return out


def output_codec(predictors: list[Any]) -> Codec:
    """Writes what a module gives: predictions, and the classes that its signatures speak of."""
    classes = {c: None for p in predictors for f in p.signature.fields.values() for c in classes_of(f.annotation)}
    return Codec([PREDICTION, EXAMPLE, *class_kinds(classes)])
