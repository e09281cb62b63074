"""Noise given what was observed: the draws of a world that explains a log.

The construction is the top-down one of Maddison, Tarlow and Minka ("A* sampling",
NeurIPS 2014); docs/noise.md, section 9.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from .address import ABDUCTED, PRIOR
from .draw import Draw
from .numbers import LAST, below, exp, exponential, ln, log1p, normal, uniform

Gumbels = Callable[[int, Any], float]
"""The Gumbel number of an option in a domain."""


def _first(condition: Callable[[int], bool]) -> int:
    """The smallest k that meets a condition which all larger ones meet too."""
    lo, hi = 0, LAST + 1
    while lo < hi:
        mid = (lo + hi) // 2
        if condition(mid):
            hi = mid
        else:
            lo = mid + 1
    return lo


def span(o: Draw) -> tuple[int, int]:
    """The smallest and the largest 53 bits that give an observed scalar."""
    kind, v = o["kind"], o["value"]
    if kind == "int":
        return _first(lambda k: below(k, o["n"]) >= v), _first(lambda k: below(k, o["n"]) > v) - 1
    if kind == "bool":
        no = _first(lambda k: uniform(k) >= o["p"])
        return (0, no - 1) if v else (no, LAST)
    if kind == "seed":
        return v, v
    if kind == "uniform":
        k = _first(lambda k: uniform(k) >= v)
    elif kind == "normal":
        k = _first(lambda k: normal(uniform(k)) >= v)
    else:
        k = _first(lambda k: exponential(uniform(k)) <= v)
    return min(k, LAST), min(k, LAST)


def swaps(perm: list[int]) -> list[int]:
    """The swaps that have made a permutation."""
    n = len(perm)
    q, at = list(range(n)), list(range(n))
    swap = [0] * n
    for i in range(n - 1, 0, -1):
        j = swap[i] = at[perm[i]]
        q[i], q[j] = q[j], q[i]
        at[q[i]], at[q[j]] = i, j
    return swap


def choose(logits: Mapping[Any, float], gumbels: Gumbels) -> Any:
    """The option with the largest sum of logit and Gumbel number; the smaller of equals."""
    best, most = None, -math.inf
    for option in sorted(logits):  # by code point, which is the order of UTF-8 bytes
        logit = logits[option]
        if logit == -math.inf:
            continue
        value = logit + gumbels(PRIOR, option)
        if best is None or value > most:
            best, most = option, value
    return best


def choose_given(logits: Mapping[Any, float], gumbels: Gumbels, observed: Mapping[Any, float], chosen: Any) -> Any:
    """The option under new logits, where chosen was observed under those observed."""
    top = max(observed.values())
    z = 0.0
    for option in sorted(observed):
        z += exp(observed[option] - top)
    z = ln(z)
    g0 = gumbels(ABDUCTED, chosen)
    best, most = None, -math.inf
    for option in sorted(logits):
        new = logits[option]
        if new == -math.inf:
            continue
        old = observed.get(option, -math.inf)
        if option == chosen:
            value = new - old
        else:
            g = gumbels(PRIOR if old == -math.inf else ABDUCTED, option)
            x = ((top - old) + z) + (g0 - g)
            if x > 0:
                value = (((new - top) - z) + (g - g0)) - log1p(exp(-x))
            else:
                value = (new - old) - log1p(exp(x))
        if best is None or value > most:
            best, most = option, value
    return best
