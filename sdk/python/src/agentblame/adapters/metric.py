"""Metrics of adapted programs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..score import Score


def reading(metric: Callable[..., Any] | Score, read: Callable[[Any], Any]) -> Score:
    """The metric, on outputs that it is given as they were before they were written as JSON."""
    score = Score.of(metric)
    whole, decode = score.whole, score.signature.decoders.get(score.whole)

    def scored(**given: Any) -> Any:
        output = read(given[whole])
        given[whole] = output if decode is None else decode(output)
        return score.fn(**given)

    # The parameters, but not their annotations: what the host passes on isn't of these types yet.
    signature = inspect.signature(score.fn)
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    scored.__signature__ = signature.replace(parameters=bare)  # type: ignore[attr-defined]
    return Score(scored, cost=score.cost, deterministic=score.deterministic, version=score.version)
