"""Names of calls that may go on at once, made so that they are the same in every replay."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any
from weakref import WeakKeyDictionary

from ..context import current
from ..errors import RunOver

_NAME: ContextVar[str | None] = ContextVar("agentblame_call_name", default=None)


@contextmanager
def named(name: str) -> Iterator[None]:
    """Names the calls of steps in the block, for calls that go on at once."""
    token = _NAME.set(name)
    try:
        yield
    finally:
        _NAME.reset(token)


def call_name() -> str | None:
    """The name that ``named`` has set."""
    return _NAME.get()


class _Noted:
    """What is noted of a program's run."""

    def __init__(self) -> None:
        self.counts: Counter[Any] = Counter()
        self.names: dict[str, str] = {}
        self.locks: dict[int, asyncio.Lock] = {}
        self.over = False


class Turns:
    """The turns that agents take in each run of a program, and the tools that they ask for."""

    def __init__(self) -> None:
        self._runs: WeakKeyDictionary[Any, _Noted] = WeakKeyDictionary()

    def _of_run(self) -> _Noted:
        run: Any = current.get()
        return self._runs.setdefault(run.run, _Noted())

    def name(self, step: str) -> str | None:
        """The name of an agent's next turn, in a block that ``named`` names."""
        if (name := call_name()) is None:
            return None
        counts = self._of_run().counts
        counts[name, step] += 1
        return f"{name}-{counts[name, step]}"

    def took(self, agent: str, asked: Iterable[tuple[str, str]]) -> None:
        """Notes the calls that a turn asks for, as (tool, id): those of one tool go on at once."""
        counts, names = self._of_run().counts, self._of_run().names
        name, asked = call_name(), list(asked)
        counts[name, "turns", agent] += 1
        kinds = Counter(tool for tool, _ in asked)
        prefix = "" if name is None else f"{name} "
        for k, (tool, id) in enumerate(asked, 1):
            names.pop(id, None)
            if prefix or kinds[tool] > 1:
                names[id] = f"{prefix}{agent} {counts[name, 'turns', agent]}.{k}"

    def tool(self, id: str) -> str | None:
        """The name of a tool's call."""
        return self._of_run().names.get(id)

    @asynccontextmanager
    async def turn(self, of: Any) -> AsyncIterator[None]:
        """Held by tools that may change an object, one after another: else the last one's changes would be all.

        They come in the order in which they were asked for. Over HTTP a call's outcome may not be known
        yet: then it isn't known either what later ones are given.
        """
        run = self._of_run()
        async with run.locks.setdefault(id(of), asyncio.Lock()):
            if run.over:
                raise RunOver("an earlier call's outcome isn't known yet")
            try:
                yield
            except RunOver:
                run.over = True
                raise
