"""Serving a pipeline or program to agentblame."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from .connection import Connection
from .context import carry_executors
from .host import Host
from .pipeline import Served
from .step import ANSWERED

_taken: tuple[int, int] | None = None


def take_streams() -> tuple[int, int]:
    """Takes standard input and output for messages; returns their new file descriptors.

    What else is printed goes to standard error, also what was printed before and is
    still in Python's buffer, and what child processes print.
    """
    global _taken
    if _taken is None:
        _taken = os.dup(0), os.dup(1)
        os.dup2(2, 1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
                stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
            except (AttributeError, OSError, ValueError):
                pass  # the program has its own
    return _taken


# agentblame sets this for the hosts that it starts: what their modules print while
# they are imported must not get among the messages either.
if os.environ.pop("AGENTBLAME_HOST", "") == "1":
    take_streams()


def serve(served: Served, *, http: str | None = None, in_flight: int | None = None) -> NoReturn:
    """Serves a pipeline or a program; it doesn't return.

    Call it at the end of the program that ``agentblame blame --host "python my_app.py"``
    names. Over standard input and output, what the program prints goes to standard
    error, and the process ends with its input, even if steps hang.

    :param http: an address such as "127.0.0.1:8000" to serve at, instead of standard input and output
    :param in_flight: how many requests a process takes at once; default 64. With 1, steps needn't be thread-safe
    """
    if http is not None:
        from .web import serve_http

        serve_http(Host(served, in_flight), http)
    if sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write(
            f"{served.name} is served on standard input and output, for agentblame to ask:\n"
            f'  agentblame blame --host "{_command()}" --cases cases.jsonl\n'
        )
        sys.exit(2)
    source, sink = take_streams()
    with answering(served):
        connection = Connection(Host(served, in_flight), lambda: os.read(source, 1 << 18), lambda b: _write(sink, b))
        connection.serve()
    # Nothing may keep a host alive that nobody asks any more: not even steps that hang.
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    os._exit(0)


@contextmanager
def answering(served: Served) -> Iterator[None]:
    """While a host is at work, calls of its steps belong to runs, in whatever thread."""
    carry_executors()
    ids = {id(s) for s in served.steps} - ANSWERED
    ANSWERED.update(ids)
    try:
        yield
    finally:
        ANSWERED.difference_update(ids)


def _write(sink: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view) :]


def _command() -> str:
    spec: Any = getattr(sys.modules.get("__main__"), "__spec__", None)
    if spec is not None:
        return "python -m " + str(spec.name).removesuffix(".__main__")
    return "python " + (sys.argv[0] or "my_app.py")
