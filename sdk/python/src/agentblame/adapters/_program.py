"""What the adapters share."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..context import current
from ..step import Input, Step
from ..version import version_of


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
    return fn  # type: ignore[no-any-return]


def input_names(inputs: Iterable[str | Input]) -> list[str]:
    """The names of inputs."""
    return [i if isinstance(i, str) else i.name for i in inputs]


call_name: ContextVar[str | None] = ContextVar("agentblame call name", default=None)
"""The name for calls of steps that ``named`` has set."""


@contextmanager
def named(name: str) -> Iterator[None]:
    """Names the calls of steps in the block, for calls that go on at once."""
    token = call_name.set(name)
    try:
        yield
    finally:
        call_name.reset(token)


def ask(step: Step[Any, Any], **inputs: Any) -> Any:
    """Calls a step, by the name that is set for calls; for an async step the result is awaitable."""
    name = call_name.get()
    return step(**inputs) if name is None else step.at(name)(**inputs)


def in_program() -> bool:
    """Whether this code is a program's own in an analysis or a recorded run, and no step's."""
    return getattr(current.get(), "run", None) is not None


def text_version(*parts: Any) -> str:
    """A version made of texts, functions and what has a repr of its own."""
    texts = [version_of(p) if callable(p) and not isinstance(p, type) else repr(p) for p in parts]
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:16]
