"""Errors: what steps may raise, what programs may catch, and their form on the wire."""

from __future__ import annotations

import builtins
import sys
import traceback
from functools import lru_cache
from typing import Any

FAILED = 1
ENCODING = 2
NO_GOLD = 3
MISUSE = 4
CANCELLED = -32800
NO_METHOD = -32601
INVALID = -32602

WireError = dict[str, Any]
"""An error as the protocol writes it: code, message, data."""


class Transient(Exception):
    """A failure that may be gone at the next attempt: a step that raises it is tried again.

    :param message: what went wrong
    :param retry_after: how long to wait before, in seconds
    """

    def __init__(self, message: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class UsageError(Exception):
    """A pipeline, or agentblame, is used wrongly."""


class EncodingError(ValueError):
    """A value that can't be written as JSON. The message names it and the field."""


class DecodingError(ValueError):
    """JSON that isn't of the type that a function is annotated with."""


class NoGoldError(LookupError):
    """The case has no known-good output that a variant needs."""


class AnalysisError(Exception):
    """An analysis failed. The message is what the agentblame command said.

    ``exit_code`` is the command's: 2 is wrong usage.
    """

    def __init__(self, message: str, exit_code: int | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class RunOver(BaseException):
    """A program's run is over: what it does no longer matters.

    Every further call of a step raises it. Let it pass; ``finally`` blocks run.
    """


class StepError(Exception):
    """A step of an analysed program has failed.

    ``str()`` of it is the step's own message. If what the step raised is a built-in
    exception or of a module that is imported here, the StepError is an instance of
    that class too, so that ``except LookupError`` works as it does in production.

    ``step`` is the step's name, ``type`` the name of the exception that it raised,
    ``data`` what else its process told.
    """

    def __init__(self, message: str, step: str = "", type: str = "", data: dict[str, Any] | None = None) -> None:
        Exception.__init__(self, message)
        self.message, self.step, self.type, self.data = message, step, type, data or {}

    def __str__(self) -> str:
        return self.message

    @staticmethod
    def of(step: str, error: WireError) -> StepError:
        """The exception for what a step was answered with."""
        data = error.get("data")
        data = data if isinstance(data, dict) else {}
        name = str(data.get("type") or "")
        cls = _step_error_class(str(data.get("module") or "builtins"), name)
        raised = cls.__new__(cls)
        StepError.__init__(raised, str(error.get("message", "")), step, name, data)
        return raised


@lru_cache(maxsize=256)
def _step_error_class(module: str, name: str) -> type[StepError]:
    """StepError, or a class that is both it and the exception that a step raised."""
    found: Any = builtins if module == "builtins" else sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if not (isinstance(found, type) and issubclass(found, Exception)) or issubclass(found, StepError):
        return StepError
    try:
        cls: Any = type("StepError", (StepError, found), {"__module__": StepError.__module__, "__reduce__": _reduce})
        cls.__new__(cls)
        return cls
    except TypeError:  # a class that can't be made without its arguments
        return StepError


def _reduce(self: StepError) -> tuple[Any, ...]:
    """Pickles as the plain class."""
    return StepError, (self.message, self.step, self.type, self.data)


class ProtocolError(Exception):
    """An error of the protocol's own, with its code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


_TRANSIENT_NAMES = frozenset({
    "RateLimitError", "APITimeoutError", "APIConnectionError", "APIConnectionTimeoutError",
    "InternalServerError", "OverloadedError", "ServiceUnavailableError", "ServiceUnavailable",
    "TooManyRequests", "ResourceExhausted", "ConnectTimeout", "ReadTimeout", "ConnectError",
    "RemoteProtocolError", "ServerDisconnectedError",
})  # fmt: skip


def chain(error: BaseException) -> list[BaseException]:
    """An error and what caused it, the error first."""
    found: list[BaseException] = []
    at: BaseException | None = error
    while at is not None and at not in found and len(found) < 10:
        found.append(at)
        at = at.__cause__
    return found


def is_transient(error: BaseException) -> bool:
    """Whether an error, or one that it was raised from, may be gone at the next attempt."""
    return any(_transient(e) for e in chain(error))


def _transient(e: BaseException) -> bool:
    if isinstance(e, (Transient, ConnectionError, TimeoutError)):
        return True
    status = getattr(e, "status_code", None)
    if status is None:
        status = getattr(getattr(e, "response", None), "status_code", None)
    if isinstance(status, int) and (status in (408, 429) or 500 <= status < 600):
        return True
    return any(cls.__name__ in _TRANSIENT_NAMES for cls in type(e).__mro__)


def _retry_after_ms(error: BaseException) -> float | None:
    for e in chain(error):
        seconds = getattr(e, "retry_after", None)
        if isinstance(seconds, (int, float)) and seconds >= 0:
            return 1000 * float(seconds)
        headers = getattr(getattr(e, "response", None), "headers", None)
        for name, factor in (("retry-after-ms", 1), ("retry-after", 1000)):
            try:
                ms = factor * float(headers.get(name))  # type: ignore[union-attr]
            except (AttributeError, TypeError, ValueError):
                continue
            if 0 <= ms < 1e12:
                return ms
    return None


def well_formed(text: str) -> str:
    """A text without half surrogate pairs, which JSON can't carry."""
    return text.encode("utf-8", "replace").decode()


def message_of(error: BaseException) -> str:
    """What an error says, or its name if that is nothing."""
    try:
        text = str(error)
    except Exception:
        text = ""
    return well_formed(text) or type(error).__name__


def wire_error(error: BaseException) -> WireError:
    """The error of a step, a score or a program as the protocol writes it."""
    message = message_of(error)
    if isinstance(error, ProtocolError):
        return {"code": error.code, "message": message}
    if isinstance(error, EncodingError):
        return {"code": ENCODING, "message": message}
    if isinstance(error, NoGoldError):
        return {"code": NO_GOLD, "message": message}
    if isinstance(error, UsageError):
        return {"code": MISUSE, "message": message}
    if isinstance(error, RunOver):
        return {"code": CANCELLED, "message": message}
    if isinstance(error, StepError):
        # agentblame has tried again for the step what the program hasn't handled.
        return {"code": FAILED, "message": message, "data": {"type": error.type or "StepError", "transient": False}}
    data: dict[str, Any] = {
        "type": type(error).__qualname__,
        "module": type(error).__module__,
        "traceback": _traceback(error),
        "transient": is_transient(error),
    }
    if data["transient"] and (ms := _retry_after_ms(error)) is not None:
        data["retry_after_ms"] = ms
    return {"code": FAILED, "message": message, "data": data}


def _traceback(error: BaseException) -> str:
    """The traceback as Python prints it, without the frames of this package at its top."""
    tb = error.__traceback__
    while tb is not None and tb.tb_frame.f_globals.get("__package__") == __package__ and tb.tb_next is not None:
        tb = tb.tb_next
    text = "".join(traceback.format_exception(type(error), error, tb))
    return well_formed(text)[-20_000:]
