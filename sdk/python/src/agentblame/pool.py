"""Where runs go on that must not hold others up: threads, and event loops in threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextvars import Context, copy_context
from queue import SimpleQueue
from typing import Any


class Threads:
    """Threads that are started as they are needed, and never waited for."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0
        self._closed = False

    def run(self, task: Callable[[], None]) -> None:
        """Runs a task in a thread that has nothing else to do."""
        with self._lock:
            new = self._idle == 0
            if not new:
                self._idle -= 1
        if new:
            threading.Thread(target=self._work, args=(task,), name=self._name, daemon=True).start()
        else:
            self._queue.put(task)

    def _work(self, task: Callable[[], None] | None) -> None:
        while task is not None:
            task()
            task = None  # what it holds may go
            with self._lock:
                if self._closed:
                    return
                self._idle += 1
            task = self._queue.get()

    def close(self) -> None:
        """Lets the threads end, each when it has nothing to do."""
        with self._lock:
            self._closed = True
            for _ in range(self._idle):
                self._queue.put(None)
            self._idle = 0


class Loop:
    """An event loop in a thread of its own."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(
        self,
        work: Coroutine[Any, Any, None],
        started: Callable[[asyncio.Task[None]], None],
        context: Context | None = None,
    ) -> None:
        """Runs a coroutine as a task, which started is told, in a context of its own."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name=self._name, daemon=True).start()
        loop = self._loop
        loop.call_soon_threadsafe(lambda: started(loop.create_task(work)), context=context or copy_context())

    def cancel(self, task: asyncio.Task[None]) -> None:
        """Cancels a task."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(task.cancel)

    def close(self) -> None:
        """Cancels what runs, and ends the loop."""
        loop = self._loop
        if loop is None:
            return

        def stop() -> None:
            for task in asyncio.all_tasks(loop):
                task.cancel()
            loop.call_soon(loop.stop)

        loop.call_soon_threadsafe(stop)
