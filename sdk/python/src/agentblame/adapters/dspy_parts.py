"""What a DSPy module is composed of: its predictors and tools, and modules in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import dspy

from ..errors import UsageError

Part = Any
"""A Predict, a Tool or another module."""


def copied(module: dspy.Module, name: str) -> dspy.Module:
    """A copy of a module, with parts of its own."""
    out = module.deepcopy()
    shared = {id(p) for p in _places(module).values()} & {id(p) for p in _places(out).values()}
    if shared:
        raise UsageError(f"module {name} can't be copied, as its parts must be: {type(module).__name__}.deepcopy shares them")
    return out


def parts_of(module: dspy.Module, asked: Iterable[str]) -> dict[str, Part]:
    """The parts of a module that are steps, by the names of the steps.

    :param asked: names that are given options or variants: a module in it that is named so is one step
    """
    places = _places(module)
    official = {id(p): n for n, p in module.named_predictors()}
    predictors = _short({official.get(id(p), n): p for n, p in places.items() if _is_predictor(p)}, _of_chain)
    tools = {n: p for n, p in places.items() if isinstance(p, dspy.Tool) and not _finishes(p)}
    parts = {**predictors, **_short(tools, lambda n: str(tools[n].name))}
    whole = {n: places[n] for n in asked if n not in parts and isinstance(places.get(n), dspy.Module)}
    within = {id(p) for w in whole.values() for p in _places(w).values()}
    return {**{n: p for n, p in parts.items() if id(p) not in within}, **whole}


def _places(module: dspy.Module) -> dict[str, Part]:
    """All predictors, tools and modules in a module, by where they are."""
    found = {n: p for n, p in module.named_sub_modules((dspy.Module, dspy.Tool)) if n != "self"}
    if _is_predictor(module):
        found["self"] = module
    return {n.removeprefix("self."): p for n, p in found.items()}


def _is_predictor(part: Part) -> bool:
    return isinstance(part, dspy.Predict)


def _finishes(part: Part) -> bool:
    """Whether it is the tool by which ReAct ends."""
    return isinstance(part, dspy.Tool) and part.name == "finish" and _module_of(part.func).startswith("dspy.")


def _module_of(fn: Any) -> str:
    return getattr(fn, "__module__", None) or ""


def _of_chain(place: str) -> str:
    """The predictor of a ChainOfThought is called as that."""
    return re.sub(r"\.predict$", "", place)


def _short(parts: dict[str, Part], name: Any) -> dict[str, Part]:
    """Parts by their short names, or by their places where several have one."""
    short = {n: name(n) for n in parts}
    taken = list(short.values())
    return {(s if taken.count(s) == 1 else n): parts[n] for n, s in short.items()}
