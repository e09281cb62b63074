"""Programs: pipelines that are functions of your own, which call steps as they go."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable
from typing import Any, Generic, ParamSpec, TypeVar, overload

from .errors import UsageError
from .pipeline import Served
from .score import Score
from .step import Input, Step, by_name, registered
from .wiring import Signature

P = ParamSpec("P")
R = TypeVar("R")


class Program(Served, Generic[P, R]):
    """A pipeline that is a function of your own, with any control flow. It is called as the function is.

    The function must be deterministic given its steps' outputs: an analysis runs it many
    times, several at once. Its parameters are the inputs of cases.

    :param fn: sync or async
    :param metric: how good its output is: ``metric(output)``, ``metric(output, case)``; see Score
    :param steps: the steps that blame may go to, in the order of reports; default: those that the
        function and the functions of its module which it calls refer to, in the order of their making
    :param inputs: Inputs for those that have variants
    :param name: default: the function's
    """

    kind = "program"

    def __init__(
        self,
        fn: Callable[P, R],
        *,
        metric: Callable[..., Any] | Score,
        steps: Iterable[Step[Any, Any]] | None = None,
        inputs: Iterable[str | Input] = (),
        name: str | None = None,
    ) -> None:
        self.name = str(name or getattr(fn, "__name__", "program"))
        self.fn: Callable[..., Any] = fn
        functools.update_wrapper(self, fn, updated=())
        self.signature = Signature(fn, f"program {self.name}")
        self.score = Score.of(metric)
        self.score.whole  # noqa: B018 - it must have one
        self.score_needs = None
        self.needs = {}
        given = {i if isinstance(i, str) else i.name: i for i in inputs}
        for n in given:
            if n not in self.signature.names and not self.signature.rest:
                raise UsageError(f"program {self.name} has no input {n}: its inputs are its parameters")
        self.inputs = [given.pop(n, n) for n in self.signature.required]
        self.inputs += given.values()
        self._given = None if steps is None else list(steps)
        if self._given is not None:
            self._check()

    @functools.cached_property
    def steps(self) -> list[Step[Any, Any]]:  # type: ignore[override]
        """The steps that blame may go to."""
        if self._given is not None:
            return self._given
        found = found_steps(self.fn) or registered()
        if not found:
            raise UsageError(f"program {self.name} has no steps: give steps=[…]")
        return found

    @property
    def asynchronous(self) -> bool:
        """Its function is a coroutine function."""
        return self.signature.asynchronous

    def __reduce_ex__(self, protocol: Any) -> str | tuple[Any, ...]:
        return by_name(self) or super().__reduce_ex__(protocol)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        from .record import recorded, recorded_async

        if self.asynchronous:
            return recorded_async(self.name, lambda: self._inputs(args, kwargs), lambda: self.fn(*args, **kwargs))  # type: ignore[return-value,arg-type]
        return recorded(self.name, lambda: self._inputs(args, kwargs), lambda: self.fn(*args, **kwargs))

    def _inputs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        return self.signature.bind(f"program {self.name}", args, kwargs)


@overload
def program(
    fn: Callable[P, R],
    *,
    metric: Callable[..., Any] | Score,
    steps: Iterable[Step[Any, Any]] | None = None,
    inputs: Iterable[str | Input] = (),
    name: str | None = None,
) -> Program[P, R]: ...
@overload
def program(
    fn: None = None,
    *,
    metric: Callable[..., Any] | Score,
    steps: Iterable[Step[Any, Any]] | None = None,
    inputs: Iterable[str | Input] = (),
    name: str | None = None,
) -> Callable[[Callable[P, R]], Program[P, R]]: ...
def program(fn: Any = None, **options: Any) -> Any:
    """Makes a program of a function: ``program(answer, metric=…)`` or ``@program(metric=…)``. See Program."""
    if fn is None:
        return lambda fn: Program(fn, **options)
    return Program(fn, **options)


def found_steps(fn: Callable[..., Any]) -> list[Step[Any, Any]]:
    """The steps that a function refers to, and those functions of its module which it refers to."""
    found: dict[int, Step[Any, Any]] = {}
    seen: set[int] = set()
    todo: list[Any] = [inspect.unwrap(fn)]
    while todo:
        at = todo.pop()
        if isinstance(at, types.MethodType):
            at = at.__func__
        if isinstance(at, Step):
            found[at.order] = at
        elif isinstance(at, types.FunctionType) and id(at) not in seen:
            seen.add(id(at))
            todo += _referred(at)
        elif isinstance(at, type) and id(at) not in seen:
            seen.add(id(at))
            todo += [m for m in vars(at).values() if isinstance(m, types.FunctionType)]
    return [found[order] for order in sorted(found)]


def _referred(fn: types.FunctionType) -> list[Any]:
    """What a function's names stand for: steps, and functions and classes of its own module."""
    out: list[Any] = []
    for cell in fn.__closure__ or ():
        try:
            out += _of_interest(cell.cell_contents, fn.__module__)
        except ValueError:
            continue
    names = _names(fn.__code__)
    for name in names:
        value = fn.__globals__.get(name)
        if isinstance(value, types.ModuleType):
            out += [v for n in names if isinstance(v := vars(value).get(n), Step)]
        else:
            out += _of_interest(value, fn.__module__)
    return out


def _names(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            names |= _names(c)
    return names


def _of_interest(value: Any, module: str) -> list[Any]:
    if isinstance(value, (list, tuple, set, frozenset)):
        return [v for v in value if isinstance(v, Step)]
    if isinstance(value, dict):
        return [v for v in value.values() if isinstance(v, Step)]
    if isinstance(value, Step):
        return [value]
    if isinstance(value, (types.FunctionType, types.MethodType, type)) and value.__module__ == module:
        return [value]
    return []
