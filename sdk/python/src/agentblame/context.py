"""What the code of a step knows about its run, at any depth of calls."""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from typing import Any, Protocol, TypeVar

from .case import Case
from .noise import Noise

F = TypeVar("F", bound=Callable[..., Any])


class Run(Protocol):
    """A run of a pipeline, in which calls of steps are not just calls."""

    def call(self, step: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Makes a call of a step. For an async step the result is awaitable."""


class Context:
    """The run of a step that code is part of."""

    __slots__ = (
        "_case", "_notes", "_noise", "_noise_at", "_report", "cancelled", "cost", "declared", "fault", "iteration",
        "run", "step",
    )  # fmt: skip

    def __init__(
        self,
        step: str,
        iteration: str = "1",
        noise: Noise | dict[str, Any] | None = None,
        case: Case | dict[str, Any] | None = None,
        declared: Callable[[Any], bool] | None = None,
        report: Callable[[str], None] | None = None,
    ) -> None:
        self.step, self.iteration = step, iteration
        self.run: Run | None = None
        self.cost = 0.0
        self.cancelled = False
        """Nobody waits for the run any more."""
        self.declared = declared
        self.fault: Exception | None = None
        """How the run has used agentblame wrongly, whatever it made of the error."""
        self._noise_at, self._case, self._report = noise, case, report
        self._noise: Noise | None = None
        self._notes: dict[str, Any] | None = None

    @property
    def noise(self) -> Noise:
        """The run's randomness."""
        if self._noise is None:
            at = self._noise_at
            if isinstance(at, dict):
                self._noise = Noise(
                    int(at["seed"]), int(at["world"]), at["step"], at["iteration"], at.get("observed") or ()
                )
            else:
                self._noise = at or Noise.fresh(self.step, self.iteration)
        return self._noise

    @property
    def draws(self) -> list[dict[str, Any]]:
        """What the run has drawn."""
        return self._noise.draws if self._noise is not None else []

    @property
    def case(self) -> Case | None:
        """The case, where the step or variant takes it."""
        if isinstance(self._case, dict):
            self._case = Case.read(self._case)
        return self._case

    @property
    def notes(self) -> dict[str, Any]:
        """What ``tell`` has said of the run."""
        return self._notes or {}


class _Root:
    """The state of code that is part of a pipeline's run, but of no step's."""

    __slots__ = ("run",)

    def __init__(self, run: Run) -> None:
        self.run = run


current: ContextVar[Context | _Root | None] = ContextVar("agentblame", default=None)
"""The step's run, or the pipeline's run, that code is part of."""


def inside(run: Run) -> Any:
    """The value of ``current`` for the code of a pipeline's run."""
    return _Root(run)


def context() -> Context | None:
    """The step's run that this code is part of; None outside of one."""
    at = current.get()
    return at if isinstance(at, Context) else None


def charge(cost: float) -> None:
    """Adds to what the step's run costs, on top of its declared price. No effect outside of one."""
    if (at := context()) is not None:
        at.cost += cost


def tell(**notes: Any) -> None:
    """Keeps something about the step's run with its trace: ``usage`` and ``logprobs`` of a model's call."""
    if (at := context()) is not None:
        unknown = set(notes) - {"usage", "logprobs"}
        if unknown:
            raise TypeError(f"tell takes usage and logprobs, not {', '.join(sorted(unknown))}")
        at._notes = {**at.notes, **notes}


def progress(message: str = "") -> None:
    """A sign of life of a long run."""
    if (at := context()) is not None and at._report is not None:
        at._report(message)


def carry(fn: F) -> F:
    """Makes a function that may run in another thread belong to the run that it is made in.

    Tasks, ``asyncio.to_thread`` and, in an analysis, ``concurrent.futures`` need no
    help. A bare ``threading.Thread`` does: ``Thread(target=carry(work))``.
    """
    here = copy_context()

    @functools.wraps(fn)
    def carried(*args: Any, **kwargs: Any) -> Any:
        return here.copy().run(fn, *args, **kwargs)

    return carried  # type: ignore[return-value]


def carry_executors() -> None:
    """Makes what is submitted to thread pools belong to the run that submits it.

    Hosts and recording processes do this once: a step that is called from a thread
    of a pool would else not know whose call it is.
    """
    plain: Any = ThreadPoolExecutor.submit
    if getattr(plain, "_agentblame", False):
        return

    @functools.wraps(plain)
    def submit(self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        if current.get() is None:
            return plain(self, fn, *args, **kwargs)
        return plain(self, copy_context().run, fn, *args, **kwargs)

    submit._agentblame = True  # type: ignore[attr-defined]
    ThreadPoolExecutor.submit = submit  # type: ignore[method-assign,assignment]
