"""Recording production runs as cases: AGENTBLAME_RECORD=dir.

Every run of a Pipeline or a program, and every ``with record(…)`` block, becomes a line
of ``dir/<name>.<pid>.jsonl``: a case with its recording, which ``--cases`` reads. A
thread writes the lines; recording never raises into the code that it records.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import secrets
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timezone
from time import perf_counter
from typing import Any, TypeVar

from .context import Context, carry_executors, current, inside
from .errors import RunOver, message_of
from .step import Step
from .values import encode, encode_plain
from .writer import WRITER

T = TypeVar("T")


def redact(fn: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Callable[[dict[str, Any]], dict[str, Any] | None]:
    """Sets a function that recorded cases go through before they are written.

    It gets the case as a dict and returns what is to be written; None for nothing. It
    runs in the thread that writes. If it fails, the case isn't written.
    """
    WRITER.redact = fn
    return fn


def flush(timeout: float = 10) -> bool:
    """Waits until all that was recorded is on disk; false if that takes longer."""
    return WRITER.flush(timeout)


@contextmanager
def record(
    inputs: Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None = None,
    *,
    id: str | None = None,
    name: str = "run",
    tags: Mapping[str, str] | None = None,
) -> Iterator[Recording | None]:
    """Makes the code of the block a run that is recorded, where AGENTBLAME_RECORD is set.

    :param inputs: the pipeline's inputs
    :param id: the case's id; default: the time and a random number
    :param name: names the file
    :param tags: labels of your own
    """
    folder = os.environ.get("AGENTBLAME_RECORD")
    if not folder or current.get() is not None:
        yield None
        return
    recording = Recording(inputs, id, tags)
    token = current.set(inside(recording))
    try:
        yield recording
    except RunOver:
        raise
    except BaseException as error:
        recording.failed = message_of(error)
        raise
    finally:
        current.reset(token)
        recording.write(folder, name)


def recorded(name: str, inputs: Any, run: Callable[[], T]) -> T:
    """Runs a pipeline, recorded if that is asked for."""
    if "AGENTBLAME_RECORD" not in os.environ:
        return run()
    with record(inputs, name=name):
        return run()


async def recorded_async(name: str, inputs: Any, run: Callable[[], Awaitable[T]]) -> T:
    """The same for an async pipeline."""
    if "AGENTBLAME_RECORD" not in os.environ:
        return await run()
    with record(inputs, name=name):
        return await run()


class Recording:
    """A run that is recorded. Its noise is that of one world, whose seed is the case's."""

    def __init__(self, inputs: Any, id: str | None, tags: Mapping[str, str] | None) -> None:
        self.seed = secrets.randbits(53)
        self.began = datetime.now(timezone.utc)
        self.id = id or f"{self.began:%Y%m%dT%H%M%S.%f}-{self.seed:x}"
        self.tags = dict(tags or {})
        self.failed: str | None = None
        """What the run failed with."""
        self._lock = threading.Lock()
        self._counts: dict[str, int] = {}
        self._runs: list[str] = []
        self._times: list[tuple[str, float]] = []
        self._inputs = "{}"
        try:
            given = inputs() if callable(inputs) else inputs
            self._inputs = encode(dict(given or {}), "the inputs")
        except Exception as error:
            WRITER.complain(f"the inputs of a run aren't recorded: {error}")
        carry_executors()

    def call(self, step: Step[Any, Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Runs a step and notes what it did."""
        if name:
            iteration = name
        else:
            with self._lock:
                count = self._counts[step.name] = self._counts.get(step.name, 0) + 1
            iteration = str(count)
        noise = {"seed": self.seed, "world": 0, "step": step.name, "iteration": iteration}
        context = Context(step.name, iteration, noise)
        given = self._given(step, args, kwargs)
        token = current.set(context)
        begun = perf_counter()
        try:
            output = step.plain(args, kwargs, context)
            if inspect.isawaitable(output):
                return self._later(step, context, given, output)
        except Exception as error:
            self._note(step, context, given, begun, None, error)
            raise
        finally:
            current.reset(token)
        self._note(step, context, given, begun, output, None)
        return output

    async def _later(self, step: Step[Any, Any], context: Context, given: str | None, output: Awaitable[Any]) -> Any:
        begun = perf_counter()
        token = current.set(context)
        try:
            value = await output
        except Exception as error:
            self._note(step, context, given, begun, None, error)
            raise
        finally:
            current.reset(token)
        self._note(step, context, given, begun, value, None)
        return value

    def _given(self, step: Step[Any, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
        """The text of a call's inputs; None if they have none."""
        try:
            return encode(step.signature.bind(step.name, args, kwargs), "the inputs")
        except Exception:
            return None

    def _note(
        self,
        step: Step[Any, Any],
        context: Context,
        given: str | None,
        begun: float,
        output: Any,
        error: BaseException | None,
    ) -> None:
        """Notes a call. What can't be written as JSON isn't: the step is run again in an analysis."""
        took = perf_counter() - begun
        label = step.name if context.iteration == "1" else f"{step.name}#{context.iteration}"
        try:
            if given is None:
                return
            if error is None:
                outcome = f'"output":{encode(output, "the output")}'
            else:
                # A replay raises it again, as what the program's handlers know.
                data = {"type": type(error).__qualname__, "module": type(error).__module__}
                outcome = f'"error":{encode(message_of(error), "the error")},"error_data":{encode(data, "the error")}'
            draws = f',"draws":{encode_plain(context.draws, "the draws")}' if context.draws else ""
            text = f'{encode(label, "a name")}:{{"inputs":{given},{outcome}{draws}}}'
        except Exception:
            return
        with self._lock:
            self._runs.append(text)
            self._times.append((label, took))

    def write(self, folder: str, name: str) -> None:
        """Hands the case to the thread that writes."""
        try:
            tags = {"recorded": self.began.isoformat(), **{k: str(v) for k, v in self.tags.items()}}
            if self.failed is not None:
                tags["error"] = self.failed[:200]
            with self._lock:
                tags.update((f"ms {label}", f"{1000 * took:.3f}") for label, took in self._times)
                runs = ",".join(self._runs)
            line = (
                f'{{"id":{json.dumps(str(self.id))},"inputs":{self._inputs},"seed":{self.seed},'
                f'"tags":{json.dumps(tags)},"recording":{{{runs}}}}}\n'
            )
            WRITER.write(folder, re.sub(r"[^\w.-]", "_", name), line)
        except Exception as error:
            WRITER.complain(f"a run isn't recorded: {error}")
