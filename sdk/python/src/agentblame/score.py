"""Metrics: how good a run's outcome is, from 0 to 1."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from .errors import UsageError
from .version import version_of
from .wiring import SPECIAL, Signature, identifier, listed


class Score:
    """A metric as a pipeline uses it.

    A metric's parameters say what it gets. ``case`` and ``noise`` are those of the run.
    In a graph, a parameter with the name of a step or an input is its value, and the
    metric then depends on these alone; a single parameter of another name gets all
    values, as a dict. In a program, the first parameter is the output.

    :param fn: gives a number from 0 to 1, or True or False; sync or async
    :param cost: price of one call; default 0
    :param deterministic: as for a step
    :param version: as for a step
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        *,
        cost: float | None = None,
        deterministic: bool | None = None,
        version: str | None = None,
    ) -> None:
        if not callable(fn):
            raise UsageError(f"the metric is {fn!r}, which is no function")
        self.fn, self.cost, self.deterministic = fn, cost, deterministic
        self._version = version
        self.signature = Signature(fn, "the metric")

    @classmethod
    def of(cls, metric: Callable[..., Any] | Score) -> Score:
        """The score that a metric is."""
        return metric if isinstance(metric, Score) else cls(metric)

    @functools.cached_property
    def version(self) -> str:
        """What changes when the code does."""
        return self._version or version_of(self.fn)

    def needs(self, names: Iterable[str]) -> dict[str, str] | None:
        """What it reads of a graph, by parameter; None where that is everything.

        :param names: of steps and inputs
        """
        by_parameter = {identifier(n): n for n in names}
        own = [n for n in self.signature.names if n in by_parameter]
        others = [n for n in self.signature.required if n not in by_parameter]
        if own and not others:
            return {n: by_parameter[n] for n in own}
        if not own and len(others) == 1:
            return None
        raise UsageError(
            f"the metric takes {listed(self.signature.names)}: it takes either one parameter for all values, "
            f"or parameters named after what it reads ({listed(by_parameter)}), besides {listed(SPECIAL)}"
        )

    @property
    def whole(self) -> str:
        """The parameter for the output of a program, or for all values of a graph."""
        if not self.signature.names:
            raise UsageError("the metric takes no output")
        return self.signature.names[0]


def number(value: Any) -> float:
    """What a metric gave, as a score."""
    try:
        score = float(value)
    except (TypeError, ValueError):
        score = float("nan")
    if not 0 <= score <= 1 or isinstance(value, str):
        raise ValueError(f"the metric gave {value!r}: a score is a number from 0 to 1")
    return score
