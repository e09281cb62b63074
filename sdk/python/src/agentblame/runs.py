"""Runs of programs: how calls of steps are answered."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

from .errors import CANCELLED, MISUSE, DecodingError, RunOver, StepError, UsageError, WireError, message_of
from .host import Host, Params
from .step import Step
from .values import encode


class ProgramRun:
    """What runs of a program share, however their calls are answered."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.lock = threading.Lock()
        self.why: BaseException | None = None
        """Why the run is over."""
        self._own: Any = None
        self.begin()

    def begin(self) -> None:
        """Notes that the thread or task at work is the program's own, and no other that it starts."""
        self._own = at_work()

    def end(self, why: BaseException) -> BaseException:
        """Ends the run: all further calls of it fail."""
        with self.lock:
            if self.why is None:
                self.why = why
        return self.why

    def over(self) -> BaseException:
        """The error for the program that tells that its run is over."""
        return self.why if isinstance(self.why, UsageError) else RunOver("the run is over")

    def call(self, step: Step[Any, Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Makes a call of a step; for an async step the result is awaitable."""
        if step.asynchronous:
            return self._later(step, name, args, kwargs)
        request = self._request(step, name, args, kwargs)
        return self._outcome(step, self.ask(step, name, request))

    async def _later(self, step: Step[Any, Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        request = self._request(step, name, args, kwargs)
        return self._outcome(step, await self.ask_async(step, name, request))

    def _request(self, step: Step[Any, Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """The text of a call's parameters, but for the run's."""
        if self.why is not None:
            raise self.over()
        if not self.host.declared(step):
            raise self.end(UsageError(
                f"step {step.name} was called, but it is not among the steps of {self.host.served.name}: give steps=[…]"
            ))  # fmt: skip
        try:
            inputs = step.signature.bind(f"step {step.name}", args, kwargs)
            text = encode(inputs, f"the input of step {step.name}")
        except ValueError as error:
            raise self.end(UsageError(message_of(error))) from error
        named = f',"name":{encode(name, "a name")}' if name else ""
        aside = ',"aside":true' if at_work() != self._own else ""
        return f'"step":{encode(step.name, "a name")},"inputs":{text}{named}{aside}'

    def _outcome(self, step: Step[Any, Any], reply: dict[str, Any]) -> Any:
        """What the program gets for a reply: the output, or an error."""
        error = reply.get("error")
        if error is not None:
            raise self._failed(step.name, error)
        output = reply["result"].get("output") if "result" in reply else reply.get("output")
        read = step.signature.returns
        if read is None:
            return output
        try:
            return read(output)
        except DecodingError as wrong:
            why = f"step {step.name} gave an output that isn't what it is annotated to return: {wrong}"
            raise self.end(UsageError(why)) from wrong

    def _failed(self, step: str, error: WireError) -> BaseException:
        if error.get("code") == CANCELLED:
            self.end(RunOver("the run is over"))
            return self.over()
        if error.get("code") == MISUSE:
            return self.end(UsageError(str(error.get("message"))))
        return StepError.of(step, error)

    def ask(self, step: Step[Any, Any], name: str, request: str) -> dict[str, Any]:
        """Asks for a call's outcome, and waits."""
        raise NotImplementedError

    async def ask_async(self, step: Step[Any, Any], name: str, request: str) -> dict[str, Any]:
        """Asks for a call's outcome."""
        raise NotImplementedError


def at_work() -> Any:
    """The task or thread that is at work."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        task = None
    return threading.get_ident() if task is None else task


def run_program(host: Host, run: ProgramRun, params: Params) -> str:
    """Runs the program in this thread: the text of its result.

    An async program gets an event loop of its own. A sync call in it blocks that loop,
    and other runs must be able to go on meanwhile.
    """
    out = host.start_program(run, params.get("inputs") or {})
    return out if isinstance(out, str) else asyncio.run(out)  # type: ignore[arg-type]


class Pending:
    """A call that agentblame has not answered yet."""

    __slots__ = ("done", "reply")

    def __init__(self, done: Callable[[], None]) -> None:
        self.reply: dict[str, Any] | None = None
        self.done = done

    def resolve(self, reply: dict[str, Any]) -> None:
        """Takes the answer."""
        self.reply = reply
        self.done()


_OVER: dict[str, Any] = {"error": {"code": CANCELLED, "message": "the run is over"}}


class AskingRun(ProgramRun):
    """A run whose calls are requests to agentblame.

    ``send(params, pending)`` makes one.
    """

    def __init__(self, host: Host, id: str, send: Callable[[str, Pending], None]) -> None:
        self._open: set[Pending] = set()
        self._id, self._send = encode(id, "an id"), send
        super().__init__(host)

    def end(self, why: BaseException) -> BaseException:
        """Ends the run, and those who wait for calls of it."""
        why = super().end(why)
        with self.lock:
            waiting, self._open = self._open, set()
        for pending in waiting:
            pending.resolve(_OVER)
        return why

    def _make(self, request: str, pending: Pending) -> None:
        with self.lock:
            over = self.why is not None
            if not over:
                self._open.add(pending)
        if over:
            raise self.over()
        self._send(f'{{"run":{self._id},{request}}}', pending)

    def ask(self, step: Step[Any, Any], name: str, request: str) -> dict[str, Any]:
        """Asks, and waits for the answer."""
        answered = threading.Event()
        pending = Pending(answered.set)
        self._make(request, pending)
        answered.wait()
        return self._taken(pending)

    async def ask_async(self, step: Step[Any, Any], name: str, request: str) -> dict[str, Any]:
        """Asks, and lets others go on until the answer is there."""
        loop = asyncio.get_running_loop()
        answered = asyncio.Event()

        def done() -> None:
            try:
                loop.call_soon_threadsafe(answered.set)
            except RuntimeError:  # the loop is closed: nobody waits
                pass

        pending = Pending(done)
        self._make(request, pending)
        await answered.wait()
        return self._taken(pending)

    def _taken(self, pending: Pending) -> dict[str, Any]:
        with self.lock:
            self._open.discard(pending)
        assert pending.reply is not None
        return pending.reply


class AnsweredRun(ProgramRun):
    """A run that goes as far as the answers known lead, and then tells what it needs (over HTTP)."""

    def __init__(self, host: Host, answers: list[Params]) -> None:
        super().__init__(host)
        self._answers = {(a["step"], a["iteration"]): a for a in answers}
        self._counts: dict[str, int] = {}
        self.missing: list[str] = []
        """The calls that it can't go on without, as parameters of step/call."""

    def _find(self, step: Step[Any, Any], name: str, request: str) -> dict[str, Any] | None:
        if self.missing and at_work() == self._own:
            # A thread may have ended for want of an answer: what the program makes of
            # that means nothing.
            raise RunOver("a call's outcome isn't known yet")
        with self.lock:
            if not name:
                self._counts[step.name] = self._counts.get(step.name, 0) + 1
            iteration = name or str(self._counts[step.name])
            answer = self._answers.get((step.name, iteration))
            if answer is None:
                self.missing.append(f"{{{request}}}")
                return None
        inputs = json.loads(f"{{{request}}}")["inputs"]
        if inputs != answer["inputs"]:
            raise self.end(UsageError(
                f"program {self.host.served.name} is not deterministic given its steps' outputs: run again on the "
                f"same outputs, it called {step.name}#{iteration} with other inputs: {str(inputs)[:200]}"
            ))  # fmt: skip
        return answer

    def ask(self, step: Step[Any, Any], name: str, request: str) -> dict[str, Any]:
        """The known answer; without one the program goes no further."""
        answer = self._find(step, name, request)
        if answer is None:
            raise RunOver("the call's outcome isn't known yet")
        return answer

    async def ask_async(self, step: Step[Any, Any], name: str, request: str) -> dict[str, Any]:
        """The same; other tasks may make their calls before."""
        answer = self._find(step, name, request)
        if answer is None:
            for _ in range(3):
                await asyncio.sleep(0)
            raise RunOver("the call's outcome isn't known yet")
        return answer
