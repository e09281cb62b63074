"""What the adapters share: functions by the names of their inputs, and checks of names."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from ..errors import UsageError
from ..score import Score
from ..step import Input
from ..wiring import listed


def function(run: Callable[[dict[str, Any]], Any], names: Iterable[str], name: str) -> Callable[..., Any]:
    """A function whose parameters are the names, and which gives their values to ``run`` as a dict."""
    parameters = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in names]

    def called(**inputs: Any) -> Any:
        return run(inputs)

    async def awaited(**inputs: Any) -> Any:
        return await run(inputs)

    fn: Any = awaited if inspect.iscoroutinefunction(run) else called
    fn.__signature__ = inspect.Signature(parameters)
    fn.__name__ = fn.__qualname__ = name
    return fn


def input_names(inputs: Iterable[str | Input]) -> list[str]:
    """The names of inputs."""
    return [i if isinstance(i, str) else i.name for i in inputs]


def reading(metric: Callable[..., Any] | Score, read: Callable[[Any], Any]) -> Score:
    """A metric that gets its output as ``read`` makes it of JSON."""
    score = Score.of(metric)
    whole, fn = score.whole, score.fn

    def prepare(values: dict[str, Any]) -> dict[str, Any]:
        return {**values, whole: read(values[whole])}

    @functools.wraps(fn)
    def called(**values: Any) -> Any:
        return fn(**prepare(values))

    @functools.wraps(fn)
    async def awaited(**values: Any) -> Any:
        return await fn(**prepare(values))

    wrapped = awaited if score.signature.asynchronous else called
    return Score(wrapped, cost=score.cost, deterministic=score.deterministic, version=score.version)


def check_names(what: str, kind: str, there: Iterable[str], *asked: Mapping[str, Any]) -> None:
    """That all names asked for are there."""
    known = list(there)
    for names in asked:
        for name in names:
            if name not in known:
                raise UsageError(f"{what} has no {kind} {name}: it has {listed(known)}")


def settled(value: Any, change: Callable[[Any], Any]) -> Any:
    """The change of a value, or of what a coroutine gives."""
    if not inspect.isawaitable(value):
        return change(value)

    async def later(value: Awaitable[Any]) -> Any:
        return change(await value)

    return later(value)
