"""Which program runs, and what the objects of its framework are steps of.

The objects themselves are changed once, and do what they always did wherever no
program runs; so one agent may be in several programs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Any

from ..context import current
from ..errors import UsageError
from ..program import found_steps
from ..runs import ProgramRun
from ..step import Step
from .live import LIVE, Live, being, recording

_THINGS: ContextVar[Mapping[int, Any]] = ContextVar("agentblame_things", default={})

UNWRITABLE = object()
"""What stands in a recording for what can't be written as JSON: the call isn't recorded."""


def running(fn: Callable[..., Any], things: Mapping[int, Any]) -> Callable[..., Any]:
    """The function of a program, in whose runs objects are known by their ids."""
    if inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(getattr(fn, "__call__", None)):

        @functools.wraps(fn)
        async def run_async(*args: Any, **kwargs: Any) -> Any:
            token = _THINGS.set(things)
            try:
                return await fn(*args, **kwargs)
            finally:
                _THINGS.reset(token)

        return run_async

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        token = _THINGS.set(things)
        try:
            return fn(*args, **kwargs)
        finally:
            _THINGS.reset(token)

    return run


def in_program() -> bool:
    """Whether this code is a program's own in an analysis or a recorded run, and no step's."""
    return getattr(current.get(), "run", None) is not None


def known(thing: Any) -> Any:
    """What an object is in the program that runs; None where none does, and in steps."""
    return _THINGS.get().get(id(thing)) if in_program() else None


def refusal(why: str) -> BaseException:
    """The error for what can't be replayed. It ends the run, whatever the framework makes of it."""
    run, error = getattr(current.get(), "run", None), UsageError(why)
    return run.end(error) if isinstance(run, ProgramRun) else error


def own_steps(places: Iterable[Any], given: Iterable[Step[Any, Any]]) -> list[Step[Any, Any]]:
    """The steps of the user's own that a program calls: those that are given, and those found in functions."""
    found = [*given, *(s for place in places for s in found_steps(place))]
    return list({id(s): s for s in found}.values())


def ask(
    step: Step[Any, Any],
    name: str | None,
    inputs: Callable[[], Mapping[str, Any]],
    read: Callable[[Any], Any],
    live: Callable[[], Any],
) -> Any:
    """Makes a call of a step that a framework's object is.

    :param name: of the call, where others may go on at once
    :param inputs: gives the step's inputs
    :param read: makes of the step's output what the object would have given
    :param live: has the object do what it does, for a recording
    """
    at = step if name is None else step.at(name)
    if not recording():
        return read(at(**_written(step, inputs)))
    with being(Live(live)) as now:
        at(**_noted(step, inputs))
    return now.output


async def ask_async(
    step: Step[Any, Any],
    name: str | None,
    inputs: Callable[[], Mapping[str, Any]],
    read: Callable[[Any], Any],
    live: Callable[[], Any],
) -> Any:
    """The same for an async step; what ``live`` gives is awaitable."""
    at = step if name is None else step.at(name)
    if not recording():
        return read(await at(**_written(step, inputs)))
    with being(Live(live)) as now:
        await at(**_noted(step, inputs))
    return now.output


def _written(step: Step[Any, Any], inputs: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    try:
        return inputs()
    except ValueError as error:
        raise refusal(f"the input of step {step.name} can't be written as JSON: {error}") from error


def _noted(step: Step[Any, Any], inputs: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    try:
        return inputs()
    except Exception:  # recording never raises into the code that it records
        return dict.fromkeys(step.signature.required, UNWRITABLE)


def live_or(dump: Callable[[Any], Any], run: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a step: it runs ``run``, or in a recording what the object does, which it notes.

    :param dump: writes what the object gives as JSON, as ``run`` does
    """

    def noted(now: Live, output: Any) -> Any:
        now.output = output
        try:
            return dump(output)
        except Exception:
            return UNWRITABLE

    if inspect.iscoroutinefunction(run):

        @functools.wraps(run)
        async def step_async(*args: Any, **kwargs: Any) -> Any:
            if (now := LIVE.get()) is not None:
                return noted(now, await now.given())
            return await run(*args, **kwargs)

        return step_async

    @functools.wraps(run)
    def step(*args: Any, **kwargs: Any) -> Any:
        if (now := LIVE.get()) is not None:
            return noted(now, now.given())
        return run(*args, **kwargs)

    return step
