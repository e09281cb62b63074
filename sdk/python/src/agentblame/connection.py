"""A connection to agentblame: JSON-RPC, one message a line, many requests at once.

Trivial steps would spend most of their time on the way to another thread, so the
thread that reads runs steps itself whose last run was quick. All others run in threads
of their own. Should a quick step take long for once, a watchdog has another thread
read on in the meantime.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import copy_context
from time import monotonic, sleep
from typing import Any

from .context import Context
from .errors import NO_METHOD, ProtocolError, RunOver, UsageError, wire_error
from .host import OVER, Host, Pace, Params
from .pool import Loop, Threads
from .runs import AskingRun, Pending, run_program
from .values import encode

QUICK = 0.0005
"""A step whose last run took less, in seconds, is run by the thread that reads."""
PATIENCE = 0.005
"""How long the thread that reads may run a step before another one takes over."""
_FLUSH = 0.002
_FLUSH_BYTES = 1 << 16

_scan: Any = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


class _Request:
    """A request that isn't answered yet."""

    __slots__ = ("context", "run", "task")

    def __init__(self, context: Context | None = None, run: AskingRun | None = None) -> None:
        self.context, self.run = context, run
        self.task: Any = None


class Connection:
    """Serves a host over a stream of bytes.

    :param read: gives some bytes; none at the end
    :param write: writes all of them
    """

    def __init__(self, host: Host, read: Callable[[], bytes], write: Callable[[bytes], None]) -> None:
        self.host, self._read, self._write = host, read, write
        self._process = os.getpid()
        self._lines: deque[str] = deque()
        self._parts: list[bytes] = []
        self._reading = threading.Lock()
        self._out: deque[bytes] = deque()
        self._out_bytes = 0
        self._writing = threading.Lock()
        self._flushed = 0.0
        self._requests: dict[Any, _Request] = {}
        self._runs: dict[str, AskingRun] = {}
        self._calls: dict[str, Pending] = {}
        self._last_call = 0
        self._calling = threading.Lock()
        self._threads = Threads("agentblame-run")
        self._loop = Loop("agentblame-steps")
        # Each run has the context variables that were set when serving began, and
        # leaves none behind.
        self._base = copy_context()
        self._score_pace, self._key_pace = Pace(), Pace()
        self._leader: object = None
        self._since = 0.0
        self._fills = 0
        self._active = threading.Event()
        self.ended = threading.Event()

    def serve(self) -> None:
        """Reads and answers until the end of the stream."""
        threading.Thread(target=self._watch, name="agentblame-watch", daemon=True).start()
        self._lead()
        self.ended.wait()

    # Reading

    def _lead(self) -> None:
        """Handles lines for as long as no other thread has taken over."""
        me = object()
        self._leader = me
        lines = self._lines
        while self._leader is me and not self.ended.is_set():
            try:
                line = lines.popleft()
            except IndexError:
                self.flush()
                if not self._fill():
                    self._end()
                continue
            self._handle(line)
            now = monotonic()
            if now - self._flushed > _FLUSH or self._out_bytes > _FLUSH_BYTES:
                self.flush()
                self._flushed = now

    def _fill(self) -> bool:
        """Reads some whole lines; false at the end of the stream."""
        with self._reading:
            while not self._lines:
                try:
                    chunk = self._read()
                except OSError:
                    chunk = b""
                if not chunk:
                    return False
                end = chunk.rfind(b"\n")
                if end < 0:
                    self._parts.append(chunk)
                    continue
                self._parts.append(chunk[:end])
                text = b"".join(self._parts).decode("utf-8", "replace")
                self._parts = [chunk[end + 1 :]] if end + 1 < len(chunk) else []
                self._lines.extend(text.split("\n"))
                self._fills += 1
                if not self._active.is_set():
                    self._active.set()
        return True

    def _watch(self) -> None:
        """Has another thread read on when the one that does is busy with a step for long."""
        idle, fills = 0, 0
        while not self.ended.is_set():
            sleep(PATIENCE)
            since = self._since
            idle = 0 if since or fills != self._fills else idle + 1
            fills = self._fills
            if idle > 100:  # nothing to watch
                self._active.clear()
                self._active.wait(1)
            if since and monotonic() - since > PATIENCE:
                self._since = 0.0
                self._leader = None
                self.flush()
                self._threads.run(self._lead)

    # Handling

    def _handle(self, line: str) -> None:
        """Handles a message."""
        try:
            message = _scan(line, 0)[0]
            method = message.get("method")
        except (StopIteration, ValueError, AttributeError):
            if line.strip():
                self._complain(f"a line that is no message: {line[:200]!r}")
            return
        if method == "step/run":
            self._step(message["id"], message["params"])
        elif method is None:
            self._answered(message)
        elif "id" in message:
            self._request(message["id"], method, message.get("params") or {})
        elif method == "$/cancel":
            self._cancel((message.get("params") or {}).get("id"))

    def _step(self, id: Any, params: Params) -> None:
        try:
            runner = self.host.runner(params)
        except ProtocolError as error:
            self._fail(id, error)
            return
        context = Context(
            runner.step, params.get("iteration", "1"), params.get("noise"), params.get("case"), self.host.declared
        )
        context._report = lambda message: self._progress(id, message)
        request = self._requests[id] = _Request(context)
        if runner.asynchronous:
            self._start(id, request, self.host.run_step(runner, params, context))  # type: ignore[arg-type]
        else:
            self._work(id, request, runner, lambda: self.host.run_step(runner, params, context))

    def _work(self, id: Any, request: _Request, pace: Pace, work: Callable[[], str | Awaitable[str]]) -> None:
        """Runs something: in this thread if it was quick the last time."""
        if not pace.quick:

            def run() -> None:
                begun = monotonic()
                self._run(id, request, work)
                pace.quick = monotonic() - begun < QUICK

            self._threads.run(run)
            return
        self._since = begun = monotonic()
        self._run(id, request, work)
        if self._since == begun:  # no other thread has taken over
            self._since = 0.0
        if monotonic() - begun > PATIENCE:
            pace.quick = False

    def _request(self, id: Any, method: str, params: Params) -> None:
        if method == "score":
            context = self.host.context("score", params, lambda message: self._progress(id, message))
            request = self._requests[id] = _Request(context)
            self._work(id, request, self._score_pace, lambda: self.host.score(params, context))
        elif method == "step/key":
            request = self._requests[id] = _Request()
            self._work(id, request, self._key_pace, lambda: self.host.key(params))
        elif method == "run/start":
            self._program(id, params)
        elif method == "initialize":
            self._reply(id, self.host.manifest)
        else:
            self._fail(id, ProtocolError(NO_METHOD, f"no such method: {method}"))

    def _program(self, id: Any, params: Params) -> None:
        name = str(params.get("run"))
        run = AskingRun(self.host, name, self._call)
        self._requests[id] = _Request(run=run)

        def work() -> None:
            run.begin()
            text, error = None, None
            try:
                text = self._base.copy().run(run_program, self.host, run, params)
            except BaseException as raised:
                error = raised
            # Whatever the program made of it: a run that was over stays so.
            why = run.why
            run.end(RunOver("the run is over"))
            self._done(id, text, why or error)

        self._threads.run(work)

    def _run(self, id: Any, request: _Request, work: Callable[[], str | Awaitable[str]]) -> None:
        """Runs something in this thread, or on the steps' loop if that is what it wants."""
        try:
            out = self._base.copy().run(work)
        except BaseException as error:
            self._done(id, None, error)
            return
        if type(out) is str:
            self._done(id, out, None)
        else:
            self._start(id, request, out)  # type: ignore[arg-type]

    def _start(self, id: Any, request: _Request, work: Coroutine[Any, Any, str]) -> None:
        """Runs a coroutine on the steps' loop."""

        async def watched() -> None:
            try:
                text, error = await work, None
            except BaseException as raised:
                text, error = None, raised
            self._done(id, text, error)

        def started(task: Any) -> None:
            request.task = task
            if id not in self._requests:  # cancelled before it began
                task.cancel()

        self._loop.run(watched(), started, self._base.copy())

    def _cancel(self, id: Any) -> None:
        """Answers a request that isn't wanted any more, and lets its run go on unheard."""
        request = self._requests.pop(id, None)
        if request is None:
            return
        if request.context is not None:
            request.context.cancelled = True
        if request.run is not None:
            request.run.end(RunOver("the run is over"))
        elif request.task is not None:
            self._loop.cancel(request.task)
        self._send(f'{{"jsonrpc":"2.0","id":{json.dumps(id)},"error":{json.dumps(OVER)}}}\n')

    # Calls of programs

    def _call(self, params: str, pending: Pending) -> None:
        if os.getpid() != self._process:  # the answer would be read by the other process
            raise UsageError("a step was called in a process that the program has forked: use threads")
        with self._calling:  # in the order of their numbers
            self._last_call += 1
            id = f"c{self._last_call}"
            self._calls[id] = pending
            self._out.append(f'{{"jsonrpc":"2.0","id":"{id}","method":"step/call","params":{params}}}\n'.encode())
        self.flush()

    def _answered(self, message: dict[str, Any]) -> None:
        pending = self._calls.pop(message.get("id", ""), None)
        if pending is not None:
            pending.resolve(message)

    # Writing

    def _done(self, id: Any, text: str | None, error: BaseException | None) -> None:
        """Answers a request, unless that has been done."""
        if os.getpid() != self._process:
            # A step has forked, and its run comes to its end in the child as well. The
            # stream and what is to be done here are the parent's.
            self._complain("a process that was forked in a run came back from it, and was ended")
            os._exit(1)
        if self._requests.pop(id, None) is None:
            return
        if error is not None:
            self._fail(id, error)
        else:
            self._reply(id, text or "{}")

    def _reply(self, id: Any, text: str) -> None:
        number = id if type(id) is int else json.dumps(id)
        self._send(f'{{"jsonrpc":"2.0","id":{number},"result":{text}}}\n')

    def _fail(self, id: Any, error: BaseException) -> None:
        self._send(f'{{"jsonrpc":"2.0","id":{json.dumps(id)},"error":{encode(wire_error(error), "an error")}}}\n')

    def _progress(self, id: Any, message: str) -> None:
        params = encode({"id": id, "message": str(message)}, "a message")
        self._send(f'{{"jsonrpc":"2.0","method":"$/progress","params":{params}}}\n')
        self.flush()

    def _send(self, text: str) -> None:
        """Sends a line: at once, but for replies of the thread that reads, which go together."""
        data = text.encode()
        self._out.append(data)
        if self._since:
            self._out_bytes += len(data)
        else:
            self.flush()

    def flush(self) -> None:
        """Writes what is to be sent."""
        out = self._out
        while out and self._writing.acquire(blocking=False):
            try:
                self._out_bytes = 0
                data = []
                while out:
                    data.append(out.popleft())
                self._write(b"".join(data))
            except OSError:  # agentblame is gone; the end of the stream will say so
                out.clear()
            finally:
                self._writing.release()

    def _complain(self, text: str) -> None:
        print(f"agentblame: {text}", file=sys.stderr)

    def _end(self) -> None:
        """Ends all that goes on: nobody waits for it."""
        if self.ended.is_set():
            return
        self.ended.set()
        for request in list(self._requests.values()):
            if request.context is not None:
                request.context.cancelled = True
            if request.run is not None:
                request.run.end(RunOver("the run is over"))
        self._threads.close()
        self._loop.close()
