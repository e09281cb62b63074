"""LangChain runnables as a program: the models, retrievers, tools and functions of a chain are the steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from langchain_core.language_models import BaseLanguageModel
from langchain_core.prompts import BasePromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import (
    Runnable,
    RunnableBinding,
    RunnableBranch,
    RunnableConfig,
    RunnableGenerator,
    RunnableLambda,
    RunnableParallel,
    RunnablePassthrough,
    RunnableSequence,
)
from langchain_core.runnables.base import coerce_to_runnable
from langchain_core.runnables.configurable import RunnableConfigurableAlternatives
from langchain_core.runnables.passthrough import RunnableAssign
from langchain_core.tools import BaseTool

from ..decode import decoder
from ..errors import UsageError
from ..program import Program
from ..score import Score
from ..step import Input, Step
from ..version import version_of
from ._messages import dump, revive
from ._program import check_names, function, input_names, reading

Part = Runnable[Any, Any] | Callable[..., Any] | Mapping[str, Any]
"""What a chain is made of: a runnable, or what the | operator makes one of."""


def chain_program(
    chain: Runnable[Any, Any],
    *,
    name: str,
    inputs: Iterable[str | Input],
    metric: Callable[..., Any] | Score,
    variants: Mapping[str, Mapping[str, Part | tuple[Part, Mapping[str, Any]]]] | None = None,
    steps: Mapping[str, Mapping[str, Any]] | None = None,
    input: Callable[..., Any] | None = None,
    config: RunnableConfig | None = None,
) -> Program[Any, Any]:
    """Makes a program of a chain, which stays as it is.

    Its models, retrievers, tools and functions are the steps, named after their run name
    (``model.with_config(run_name="writer")``), their ``name``, or their class. So is
    what has variants, a prompt say. What can be configured to be something else
    (``configurable_alternatives``) is a step with those variants. All other parts run
    as they are.

    :param chain: sequences, parallels, branches, assignments and bindings are looked into
    :param inputs: names of the inputs that a case must have
    :param metric: ``metric(output)`` or ``metric(output, case)``
    :param variants: other runnables to try, by step and a name for each, as one or as (runnable, options of the
        variant); the first is the default fix
    :param steps: options of parts as steps: ``{"writer": {"cost": 2}}``; parts named here are steps, whatever
        they are. Models default to ``deterministic=False``
    :param input: makes the chain's input of a case's inputs; default: they are it, as a dict
    :param config: goes along with each run
    """
    variants, options = variants or {}, steps or {}
    parts = _Parts(chain)
    check_names(f"chain {name}", "part", parts.names(), variants, options)
    found: dict[int, Step[Any, Any]] = {}
    asynchronous = any(_only_async(p) for p in parts.by_id.values())
    for key, part in parts.by_id.items():
        part_name = parts.name_of[key]
        if not (part_name in variants or part_name in options or _works(part)):
            continue
        run = part.default if isinstance(part, RunnableConfigurableAlternatives) else part
        step = Step(part_name, _run(run, config, asynchronous), **{**_defaults(run), **options.get(part_name, {})})
        for variant, (runnable, more) in _variants(part, variants.get(part_name, {})).items():
            step.variant(variant, _run(runnable, config, asynchronous), **{**_defaults(runnable), **more})
        found[key] = step
    if not found:
        raise UsageError(f"chain {name} has no parts that could be steps: name some in steps={{…}} or variants={{…}}")
    replaced = _replaced(chain, {k: _Asking(s, parts.by_id[k]) for k, s in found.items()})

    def begin(given: dict[str, Any]) -> Any:
        return given if input is None else input(**given)

    def run_chain(given: dict[str, Any]) -> Any:
        return dump(replaced.invoke(begin(given), config))

    async def run_async(given: dict[str, Any]) -> Any:
        return dump(await replaced.ainvoke(begin(given), config))

    declared = list(inputs)
    return Program(
        function(run_async if asynchronous else run_chain, input_names(declared), name),
        name=name,
        inputs=declared,
        steps=list(found.values()),
        metric=reading(metric, revive),
    )


class _Parts:
    """The parts of a chain that may be steps, each once, with names."""

    def __init__(self, chain: Runnable[Any, Any]) -> None:
        self.by_id: dict[int, Runnable[Any, Any]] = {}
        self.name_of: dict[int, str] = {}
        for part, run_name in _leaves(chain, None):
            if id(part) in self.by_id:
                continue
            base = name = run_name or _own_name(part)
            count = 1
            while name in self.name_of.values():
                count += 1
                name = f"{base}-{count}"
            self.by_id[id(part)], self.name_of[id(part)] = part, name

    def names(self) -> list[str]:
        return list(self.name_of.values())


def _leaves(part: Runnable[Any, Any], run_name: str | None) -> Iterator[tuple[Runnable[Any, Any], str | None]]:
    """The parts that have no parts, bindings of them included, with the run names that bindings give them."""
    if isinstance(part, RunnableBinding):
        run_name = run_name or (part.config or {}).get("run_name")
        bare = _bare(part)
        if _inner(bare):
            yield from _leaves(bare, None)
        elif not isinstance(bare, RunnablePassthrough):
            yield part, run_name
    elif isinstance(part, RunnablePassthrough):
        return
    elif inner := _inner(part):
        for p in inner:
            yield from _leaves(p, None)
    else:
        yield part, run_name


def _inner(part: Runnable[Any, Any]) -> list[Runnable[Any, Any]]:
    if isinstance(part, RunnableSequence):
        return list(part.steps)
    if isinstance(part, RunnableParallel):
        return list(part.steps__.values())
    if isinstance(part, RunnableAssign):
        return [part.mapper]
    if isinstance(part, RunnableBranch):
        return [*(p for pair in part.branches for p in pair), part.default]
    return []


def _replaced(part: Runnable[Any, Any], by: Mapping[int, Runnable[Any, Any]]) -> Runnable[Any, Any]:
    """A copy of a chain with some of its parts replaced."""
    if id(part) in by:
        return by[id(part)]
    if isinstance(part, RunnableBinding):
        return part.model_copy(update={"bound": _replaced(part.bound, by)})
    if isinstance(part, RunnableSequence):
        return RunnableSequence(*(_replaced(p, by) for p in part.steps), name=part.name)
    if isinstance(part, RunnableParallel):
        return RunnableParallel({k: _replaced(p, by) for k, p in part.steps__.items()})
    if isinstance(part, RunnableAssign):
        return RunnableAssign(_replaced(part.mapper, by))  # type: ignore[arg-type]
    if isinstance(part, RunnableBranch):
        pairs = [(_replaced(c, by), _replaced(p, by)) for c, p in part.branches]
        return RunnableBranch(*pairs, _replaced(part.default, by))
    return part


class _Asking(Runnable[Any, Any]):
    """A part of a chain that calls its step."""

    def __init__(self, step: Step[Any, Any], part: Runnable[Any, Any]) -> None:
        self.name = step.name
        self._step = step
        self._read = _type_reader(part, "OutputType")

    def _taken(self, output: Any) -> Any:
        output = revive(output)
        return output if self._read is None else self._read(output)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return self._taken(self._step(input=dump(input)))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        output = self._step(input=dump(input))
        return self._taken(await output if self._step.asynchronous else output)


def _run(part: Runnable[Any, Any], config: RunnableConfig | None, asynchronous: bool) -> Callable[..., Any]:
    """The function of a step."""
    read = _type_reader(part, "InputType")

    def prepare(value: Any) -> Any:
        value = revive(value)
        return value if read is None else read(value)

    def run(input: Any) -> Any:
        return dump(part.invoke(prepare(input), config))

    async def run_async(input: Any) -> Any:
        return dump(await part.ainvoke(prepare(input), config))

    return run_async if asynchronous else run


def _type_reader(part: Runnable[Any, Any], which: str) -> Callable[[Any], Any] | None:
    """What turns JSON into a part's type, where that may be a class of the user's rather than LangChain's own."""
    if isinstance(_bare(part), (BaseLanguageModel, BasePromptTemplate, BaseRetriever)):
        return None
    try:
        return decoder(getattr(part, which))
    except TypeError:  # it isn't known
        return None


def _works(part: Runnable[Any, Any]) -> bool:
    """It does something that may go wrong, where prompts and parsers only change the form."""
    kinds = (
        BaseLanguageModel, BaseRetriever, BaseTool, RunnableLambda, RunnableGenerator, RunnableConfigurableAlternatives,
    )  # fmt: skip
    return isinstance(_bare(part), kinds)


def _only_async(part: Runnable[Any, Any]) -> bool:
    bare = _bare(part)
    return isinstance(bare, RunnableLambda) and not hasattr(bare, "func")


def _own_name(part: Runnable[Any, Any]) -> str:
    bare = _bare(part)
    return bare.which.id if isinstance(bare, RunnableConfigurableAlternatives) else bare.get_name()


def _defaults(part: Runnable[Any, Any]) -> dict[str, Any]:
    """The options of a step or variant that a part suggests."""
    out: dict[str, Any] = {}
    if isinstance(_bare(part), BaseLanguageModel):
        out["deterministic"] = False
    if (version := _version(part)) is not None:
        out["version"] = version
    return out


def _bare(part: Runnable[Any, Any]) -> Runnable[Any, Any]:
    while isinstance(part, RunnableBinding):
        part = part.bound
    return part


def _version(part: Runnable[Any, Any]) -> str | None:
    bare = _bare(part)
    fn = getattr(bare, "func", None) or getattr(bare, "afunc", None)
    return version_of(fn) if callable(fn) else None


def _variants(
    part: Runnable[Any, Any], given: Mapping[str, Part | tuple[Part, Mapping[str, Any]]]
) -> dict[str, tuple[Runnable[Any, Any], Mapping[str, Any]]]:
    """The variants of a part: those given, and its configurable alternatives."""
    out: dict[str, tuple[Runnable[Any, Any], Mapping[str, Any]]] = {}
    for variant, what in given.items():
        runnable, options = what if isinstance(what, tuple) else (what, {})
        out[variant] = coerce_to_runnable(runnable), options
    if isinstance(part, RunnableConfigurableAlternatives):
        for key, alternative in part.alternatives.items():
            runnable = alternative if isinstance(alternative, Runnable) else alternative()
            out.setdefault(key, (runnable, {}))
    return out
