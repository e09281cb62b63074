"""How LangChain composes runnables: what is in them, and copies with other components."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import (
    Runnable,
    RunnableAssign,
    RunnableBranch,
    RunnableConfig,
    RunnableLambda,
    RunnableParallel,
    RunnablePassthrough,
    RunnablePick,
    RunnableSequence,
    RunnableWithFallbacks,
    RouterRunnable,
)
from langchain_core.runnables.base import RunnableBinding, RunnableEach
from langchain_core.runnables.config import merge_configs
from langchain_core.runnables.configurable import RunnableConfigurableAlternatives
from langchain_core.runnables.history import RunnableWithMessageHistory

from ..errors import UsageError
from .langchain_runnables import uses_model

_COMPOSED = (
    RunnableSequence, RunnableParallel, RunnableAssign, RunnableBranch, RunnableWithFallbacks, RunnableEach,
    RouterRunnable,
)  # fmt: skip

Place = str
"""Where in a chain a component is: the keys and numbers that lead to it."""


@dataclass
class Component:
    """A component that is a step.

    ``name`` is ``stem``, with ``number`` where several have that; ``config`` is what the
    runnables around it bind; ``places`` is in how many places of the chain it is.
    """

    runnable: Runnable[Any, Any]
    stem: str
    number: int
    config: RunnableConfig
    places: int = 1

    @property
    def name(self) -> str:
        return self.stem if self.number == 1 else f"{self.stem}-{self.number}"


def components(runnable: Runnable[Any, Any], what: str) -> list[Component]:
    """The components of a runnable that are steps, in the order that it is written in.

    :param what: names the runnable in errors
    """
    found: dict[int, Component] = {}
    numbers: dict[str, int] = {}

    def meet(r: Runnable[Any, Any], place: Place, config: RunnableConfig) -> Runnable[Any, Any]:
        if (known := found.get(id(r))) is not None:
            known.places += 1
        else:
            stem = _name(r)
            numbers[stem] = numbers.get(stem, 0) + 1
            found[id(r)] = Component(r, stem, numbers[stem], config)
        return r

    _walk(runnable, what, "", {}, meet, lambda bound: bound, top=True)
    return list(found.values())


def rebuilt(
    runnable: Runnable[Any, Any],
    what: str,
    replace: Callable[[Runnable[Any, Any], Place], Runnable[Any, Any]],
    map: Callable[[Runnable[Any, Any]], Runnable[Any, Any]],
) -> Runnable[Any, Any]:
    """A copy of a runnable with other components.

    :param replace: gives what is to stand in a component's place
    :param map: gives what is to stand for a map over items, of what is run for each
    """
    return _walk(runnable, what, "", {}, lambda r, place, config: replace(r, place), map, top=True)


Meet = Callable[[Runnable[Any, Any], Place, RunnableConfig], Runnable[Any, Any]]


def _walk(
    r: Runnable[Any, Any],
    what: str,
    place: Place,
    config: RunnableConfig,
    meet: Meet,
    map: Callable[[Runnable[Any, Any]], Runnable[Any, Any]],
    top: bool = False,
) -> Any:
    """The runnable with what ``meet`` and ``map`` give for its components and maps."""

    def into(part: Any, key: object, top: bool = False) -> Any:
        return _walk(part, what, f"{place}.{key}" if place else str(key), config, meet, map, top)

    if isinstance(r, RunnableWithMessageHistory):
        raise UsageError(
            f"{what} has a RunnableWithMessageHistory, which keeps messages from one run to the next and can't be "
            "replayed: make a program of the runnable in it, with the history among its inputs"
        )
    if type(r) is RunnableBinding and _is_composed(r.bound) and not r.kwargs and (top or "run_name" not in r.config):
        config = merge_configs(config, r.config)
        bound = _walk(r.bound, what, place, config, meet, map, top)
        return r.model_copy(update={"bound": bound})
    if not top and getattr(r, "name", None) and isinstance(r, _COMPOSED):
        return meet(r, place, config)
    match r:
        case RunnableSequence():
            first, *middle, last = (into(s, i) for i, s in enumerate(r.steps))
            return r.model_copy(update={"first": first, "middle": middle, "last": last})
        case RunnableParallel():
            return r.model_copy(update={"steps__": {k: into(s, k) for k, s in r.steps__.items()}})
        case RunnableAssign():
            return r.model_copy(update={"mapper": _walk(r.mapper, what, place, config, meet, map)})
        case RunnableBranch():
            branches = [(into(c, f"if-{i}"), into(s, f"then-{i}")) for i, (c, s) in enumerate(r.branches)]
            return r.model_copy(update={"branches": branches, "default": into(r.default, "else")})
        case RunnableWithFallbacks():
            first, *others = (into(s, f"try-{i}") for i, s in enumerate((r.runnable, *r.fallbacks)))
            return r.model_copy(update={"runnable": first, "fallbacks": others})
        case RunnableEach() if type(r) is RunnableEach:
            return map(into(r.bound, "each"))
        case RouterRunnable():
            return r.model_copy(update={"runnables": {k: into(s, k) for k, s in r.runnables.items()}})
        case RunnablePassthrough() | RunnablePick():
            return r
        case RunnableLambda() if not getattr(r, "name", None) and not uses_model(r):
            return r
    return meet(r, place, config)


def _is_composed(r: Runnable[Any, Any]) -> bool:
    return isinstance(r, _COMPOSED) or type(r) is RunnableBinding and _is_composed(r.bound)


def _name(r: Runnable[Any, Any]) -> str:
    """What a component is called."""
    if isinstance(r, RunnableConfigurableAlternatives):
        return str(getattr(r, "name", None) or r.which.name or r.which.id)
    if isinstance(r, RunnableBinding):
        return str(r.config.get("run_name") or _name(r.bound))
    return r.get_name()
