"""Steps: named functions of a pipeline, with variants of what could be done better."""

from __future__ import annotations

import functools
import inspect
import itertools
import sys
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, ParamSpec, TypeVar, overload

from .case import Case
from .context import Context, current
from .errors import NoGoldError, UsageError
from .noise import Noise
from .version import version_of
from .wiring import Signature

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = ("cost", "deterministic", "timeout", "retries", "version", "case")


class Impl:
    """An implementation of a step: the as-run one, named "", or a variant."""

    def __init__(self, step: str, name: str, fn: Callable[..., Any], options: Mapping[str, Any]) -> None:
        self.name, self.fn = name, fn
        self.what = f"step {step}" + (f" ({name})" if name else "")
        unknown = [o for o in options if o not in _OPTIONS]
        if unknown:
            raise TypeError(f"{self.what} has no option {unknown[0]!r}; the options are {', '.join(_OPTIONS)}")
        self.options = {o: v for o, v in options.items() if v is not None}
        self.signature = Signature(fn, self.what)
        if options.get("case") is None and self.signature.case:
            self.options["case"] = True

    @functools.cached_property
    def version(self) -> str:
        """What changes when the code does."""
        return str(self.options.get("version") or version_of(self.fn))


class Unit:
    """What has variants: a step or an input."""

    def __init__(self, name: str, fn: Callable[..., Any], options: Mapping[str, Any]) -> None:
        if not isinstance(name, str) or not name:
            raise UsageError(f"{name!r} is no name")
        self.name = name
        self.impls: dict[str, Impl] = {"": Impl(name, "", fn, options)}

    @overload
    def variant(self, name: str, **options: Any) -> Callable[[F], F]: ...
    @overload
    def variant(self, name: str, fn: Callable[..., Any], **options: Any) -> Any: ...
    def variant(self, name: str, fn: Callable[..., Any] | None = None, **options: Any) -> Any:
        """Declares another implementation; the first is the fix that an analysis tries by default.

        As a decorator it leaves the function as it is. With a function it returns the
        step. Options are a step's ``cost``, ``deterministic``, ``timeout``, ``retries``
        and ``version``; what is left out is the step's.
        """
        if fn is None:

            def decorate(fn: F) -> F:
                self._add(name, fn, options)
                return fn

            return decorate
        self._add(name, fn, options)
        return self

    def gold(self, name: str = "gold", *, cost: float | None = None) -> Any:
        """Declares a variant that gives the case's known-good output. It returns the step."""
        of = self.name

        def known_good(case: Case | None = None, **_: Any) -> Any:
            if case is None or of not in case.gold:
                raise NoGoldError(f"case {case.id if case else ''} has no known-good output of {of}")
            return case.gold[of]

        self._add(name, known_good, {"cost": cost, "deterministic": True, "version": "gold"})
        return self

    def _add(self, name: str, fn: Callable[..., Any], options: Mapping[str, Any]) -> None:
        if not isinstance(name, str) or not name:
            raise UsageError(f"{self.name}: {name!r} is no name of a variant")
        if name in self.impls:
            raise UsageError(f"{self.name} has two variants called {name}")
        self.impls[name] = Impl(self.name, name, fn, options)


class Step(Unit, Generic[P, R]):
    """A named unit of a pipeline. It is called as its function is.

    Outside of a run of a pipeline it simply runs the function; a ``noise`` that the
    caller leaves out is fresh. In an analysis, agentblame answers.

    :param name: names the step in reports
    :param fn: what it runs, sync or async; parameters are inputs by name, besides ``noise`` and ``case``
    :param cost: price of a run, in your unit; default 1
    :param deterministic: False: there is randomness that the noise doesn't make, as in a hosted model;
        True: there is none at all; None: all of it is drawn from the noise
    :param key: gives what of the output matters downstream; outputs with equal keys count as the same
    :param timeout: seconds that a run may take; default 60
    :param retries: attempts after a transient failure; default 2
    :param concurrency: how many runs go on at once, at most
    :param version: changes when the code does; default: a digest of the source
    :param needs: in a graph, what it reads: names, or ``{parameter: name}``; default: its parameters
    """

    def __init__(
        self,
        name: str,
        fn: Callable[P, R],
        *,
        cost: float | None = None,
        deterministic: bool | None = None,
        key: Callable[[Any], Any] | None = None,
        timeout: float | None = None,
        retries: int | None = None,
        concurrency: int | None = None,
        version: str | None = None,
        needs: Iterable[str] | Mapping[str, str] | None = None,
    ) -> None:
        if isinstance(fn, Step):
            raise UsageError(f"step {name}: its function is the step {fn.name}")
        options = {
            "cost": cost, "deterministic": deterministic, "timeout": timeout, "retries": retries, "version": version,
        }  # fmt: skip
        super().__init__(name, fn, options)
        functools.update_wrapper(self, fn, updated=())
        self.key, self.concurrency = key, concurrency
        self.needs = dict(needs) if isinstance(needs, Mapping) else None if needs is None else list(needs)
        self.order = next(_ORDER)
        if self.asynchronous and hasattr(inspect, "markcoroutinefunction"):
            inspect.markcoroutinefunction(self)
        _REGISTRY.add(self)

    def __repr__(self) -> str:
        return f"<step {self.name}>"

    def __reduce_ex__(self, protocol: Any) -> str | tuple[Any, ...]:
        return by_name(self) or super().__reduce_ex__(protocol)

    @property
    def signature(self) -> Signature:
        """The parameters of the as-run function."""
        return self.impls[""].signature

    @property
    def asynchronous(self) -> bool:
        """Its function is a coroutine function."""
        return self.signature.asynchronous

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._called("", args, kwargs)

    def at(self, name: str) -> Callable[P, R]:
        """Names a call, for calls that go on at once: ``shard.at("shard-3")(text)``."""
        if not isinstance(name, str) or not name:
            raise UsageError(f"step {self.name}: at needs a name, not {name!r}")
        return functools.partial(_named, self, name)

    def _called(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        at = current.get()
        if at is None:
            if id(self) in ANSWERED:
                raise UsageError(
                    f"step {self.name} was called in a thread that doesn't know of its run: "
                    "start it with agentblame.carry(function)"
                )
            return self.plain(args, kwargs, None)
        if at.run is not None:
            return at.run.call(self, name, args, kwargs)
        if at.declared is not None and at.declared(self):
            at.fault = UsageError(
                f"step {self.name} was called from inside step {at.step}, where it can't be replayed on its own: "
                "call it from the pipeline, or don't make it one of its steps"
            )
            raise at.fault
        return self.plain(args, kwargs, at)

    def plain(self, args: tuple[Any, ...], kwargs: dict[str, Any], at: Context | None) -> Any:
        """Runs the as-run function, outside a run or as part of another step's run."""
        impl = self.impls[""]
        if impl.signature.noise or impl.signature.case:
            given = impl.signature.given(args, kwargs)
            if impl.signature.noise and "noise" not in given:
                kwargs = {**kwargs, "noise": at.noise if at is not None else Noise.fresh(self.name)}
            if impl.signature.case and "case" not in given:
                kwargs = {**kwargs, "case": at.case if at is not None else None}
        return impl.fn(*args, **kwargs)


def _named(step: Step[Any, Any], name: str, /, *args: Any, **kwargs: Any) -> Any:
    return step._called(name, args, kwargs)


def by_name(decorated: Any) -> str | None:
    """The name under which what was made of a function is found, to be pickled by, as functions are.

    So process pools take it as they took the function. None: it isn't found under the function's name.
    """
    module, name = getattr(decorated, "__module__", None), getattr(decorated, "__qualname__", "")
    if module == "__main__" and any("cloudpickle" in m for m in sys.modules):
        return None  # that carries the program's own objects to where they have no name
    found: Any = sys.modules.get(module or "")
    for part in name.split("."):
        found = getattr(found, part, None)
    return name if found is decorated else None


_ORDER = itertools.count()
_REGISTRY: weakref.WeakSet[Step[Any, Any]] = weakref.WeakSet()
ANSWERED: set[int] = set()
"""Steps whose calls a host in this process answers, by id: a call must belong to a run."""


def registered() -> list[Step[Any, Any]]:
    """All steps of the process that are still in use, in the order of their making."""
    return sorted(_REGISTRY, key=lambda s: s.order)


@overload
def step(name: Callable[P, R], /) -> Step[P, R]: ...
@overload
def step(
    name: str | None = None,
    *,
    cost: float | None = None,
    deterministic: bool | None = None,
    key: Callable[[Any], Any] | None = None,
    timeout: float | None = None,
    retries: int | None = None,
    concurrency: int | None = None,
    version: str | None = None,
    needs: Iterable[str] | Mapping[str, str] | None = None,
) -> Callable[[Callable[P, R]], Step[P, R]]: ...
def step(name: Any = None, **options: Any) -> Any:
    """Makes a step of a function: ``@step``, or ``@step("retriever", cost=2)``. See Step."""
    if callable(name):
        return Step(name.__name__, name)
    return lambda fn: Step(fn.__name__ if name is None else name, fn, **options)


class Input(Unit):
    """An input of a pipeline that has variants, such as a clarified question.

    A variant takes the input, and may take ``noise`` and ``case``::

        question = Input("question").variant("clarified", clarify)
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, _as_given, {"version": "input", "deterministic": True})
        if not name.isidentifier():
            raise UsageError(f"input {name!r}: a name of an input is an identifier")

    def _add(self, name: str, fn: Callable[..., Any], options: Mapping[str, Any]) -> None:
        signature = Signature(fn, f"input {self.name} ({name})")
        if signature.rest or signature.names == [self.name]:
            return super()._add(name, fn, options)
        if len(signature.names) != 1:
            raise UsageError(f"input {self.name}: the variant {name} must take the input, and nothing else")
        super()._add(name, _Renamed(fn, signature.names[0], self.name), options)


def _as_given(**inputs: Any) -> Any:
    (value,) = inputs.values()
    return value


class _Renamed:
    """A function whose parameter has another name."""

    def __init__(self, fn: Callable[..., Any], old: str, new: str) -> None:
        self.fn, self.old, self.new = fn, old, new
        signature = inspect.signature(fn)
        self.__signature__ = signature.replace(
            parameters=[p.replace(name=new) if p.name == old else p for p in signature.parameters.values()]
        )
        self.__wrapped__ = fn

    def __call__(self, **inputs: Any) -> Any:
        inputs[self.old] = inputs.pop(self.new)
        return self.fn(**inputs)
