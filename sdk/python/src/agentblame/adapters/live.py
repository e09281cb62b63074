"""Runs of steps where their framework runs them: in a recording."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from ..context import current
from ..record import Recording


@dataclass
class Live:
    """A step's run that has all that its framework gives it, and gives it what it gave."""

    given: Any
    config: Any = None
    ids: Any = None
    output: Any = None


LIVE: ContextVar[Live | None] = ContextVar("agentblame_live", default=None)
"""The run that the code of a step is, if it is such a run."""


@contextmanager
def being(live: Live) -> Iterator[Live]:
    """Has the step that is called be this run."""
    token = LIVE.set(live)
    try:
        yield live
    finally:
        LIVE.reset(token)


def recording() -> bool:
    """Whether the code is part of a run that is recorded."""
    return isinstance(getattr(current.get(), "run", None), Recording)
