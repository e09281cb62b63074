"""Draws as JSON: what was drawn, and checks of what is said to have been drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .numbers import LAST

Draw = dict[str, Any]
"""A draw in its JSON form (docs/noise.md, section 10)."""

SCALARS = frozenset({"uniform", "normal", "exponential", "int", "bool", "seed"})


class NoiseError(ValueError):
    """A draw that can't be made: an error of the step that asked for it."""


def logits_of(logits: Mapping[Any, Any], key: str) -> dict[Any, float]:
    """The options of a choice as floats, checked."""
    out: dict[Any, float] = {}
    for option, given in logits.items():
        value = -math.inf if given == "-inf" else float(given)
        if value != value or value == math.inf:
            raise NoiseError(f"draw {key!r}: the logit of {option!r} is {value}")
        out[option] = value
    if not out or max(out.values()) == -math.inf:
        raise NoiseError(f"draw {key!r}: there is no option to choose")
    return out


def json_logit(value: float) -> float | str:
    """A logit as JSON writes it."""
    return "-inf" if value == -math.inf else value


def check_count(n: Any, key: str, least: int) -> int:
    """A number of things to draw from."""
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise NoiseError(f"draw {key!r}: n is {n!r}, which isn't a whole number")
    n = n.__index__()
    if not least <= n < 2**31:
        raise NoiseError(f"draw {key!r}: n is {n}; it must be from {least} to {2**31 - 1}")
    return n


def check_probability(p: Any, key: str) -> float:
    """A probability."""
    p = float(p)
    if not 0 <= p <= 1:
        raise NoiseError(f"draw {key!r}: p is {p}; it must be from 0 to 1")
    return p


def observation(draw: Draw) -> Draw:
    """A draw that was observed, with its logits as floats; an impossible one is an error."""
    key, kind = draw["key"], draw["kind"]
    if kind in ("categorical", "index"):
        logits = draw["logits"]
        table = logits_of(logits if kind == "categorical" else dict(enumerate(logits)), key)
        if table.get(draw["chosen"], -math.inf) == -math.inf:
            raise NoiseError(f"draw {key!r}: the option {draw['chosen']!r} can't have been chosen")
        return {**draw, "logits": table}
    if kind == "perm":
        if sorted(draw["value"]) != list(range(len(draw["value"]))):
            raise NoiseError(f"draw {key!r}: {draw['value']!r} is no permutation")
        return draw
    if kind not in SCALARS:
        raise NoiseError(f"draw {key!r}: there is no kind {kind!r}")
    value = draw["value"]
    if kind == "int" and not 0 <= value < check_count(draw["n"], key, 1):
        raise NoiseError(f"draw {key!r}: {value} is not below {draw['n']}")
    if kind == "bool" and (check_probability(draw["p"], key), value) in ((0.0, True), (1.0, False)):
        raise NoiseError(f"draw {key!r}: {value} can't have been drawn with p = {draw['p']}")
    if kind == "seed" and not 0 <= value <= LAST:
        raise NoiseError(f"draw {key!r}: {value} is no seed")
    return draw
