"""A LangChain runnable as a program: its components are the steps.

See docs/python-frameworks.md#langchain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda, RunnableParallel
from langchain_core.runnables.base import coerce_to_runnable
from langchain_core.runnables.config import merge_configs
from langchain_core.runnables.configurable import RunnableConfigurableAlternatives

from ..context import current
from ..errors import UsageError
from ..program import Program
from ..score import Score
from ..step import Input, Step
from .codec import Codec, class_kinds, read_as
from .langchain_chains import Component, components, rebuilt
from .langchain_runnables import classes_in, only_async, seen_of
from .langchain_values import KINDS, is_tagged, without_run_ids
from .live import LIVE, Live, being, recording
from .metric import reading
from .variant import Variant, check_names, step_of


def runnable_program(
    runnable: Runnable[Any, Any],
    *,
    inputs: Iterable[str | Input],
    metric: Callable[..., Any] | Score,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    steps: Mapping[str, Mapping[str, Any]] | None = None,
    input: Callable[..., Any] | None = None,
    config: RunnableConfig | None = None,
    asynchronous: bool | None = None,
    name: str | None = None,
) -> Program[..., Any]:
    """Makes a program of a runnable, which stays as it is.

    What it is composed of are the steps: what has a ``run_name``, and the components of
    sequences, parallels, branches, fallbacks and maps. Nameless lambdas, passthroughs
    and picks run as they are. Called outside an analysis, the program invokes the runnable.

    :param runnable: a chain
    :param inputs: names of the inputs that a case must have
    :param metric: how good the output is: ``metric(output)``, ``metric(output, case)``; see Score
    :param variants: what to try in a component's place, by its name and a name for each: a runnable or a function,
        or a Variant with options. Alternatives of ``configurable_alternatives`` are variants without that
    :param steps: options of components as steps, by name: cost, key, deterministic … Unless it says otherwise, a
        component that a language model is found in is ``deterministic=False``
    :param input: makes the runnable's input of a case's inputs; default: a dict of them
    :param config: goes along with each run
    :param asynchronous: the runnable is run by ``ainvoke``; default: where a component is only async
    :param name: default: the runnable's
    :raises UsageError: if the runnable can't be replayed, or has no component of a name
    """
    adapted = _Chain(runnable, variants or {}, steps or {}, config or {}, asynchronous, name or runnable.get_name())
    make = input or (lambda **given: given)

    def run(**given: Any) -> Any:
        return adapted.run(make(**given))

    async def arun(**given: Any) -> Any:
        return await adapted.arun(make(**given))

    return Program(
        arun if adapted.asynchronous else run,
        name=adapted.name,
        inputs=inputs,
        steps=adapted.steps.values(),
        metric=reading(metric, adapted.codec.revive),
    )


_items: ContextVar[tuple[str, ...]] = ContextVar("agentblame_items", default=())
"""Which items of which maps a component is run for."""


class _Chain:
    """A runnable with its steps."""

    def __init__(
        self,
        runnable: Runnable[Any, Any],
        variants: Mapping[str, Mapping[str, Any]],
        options: Mapping[str, Mapping[str, Any]],
        config: RunnableConfig,
        asynchronous: bool | None,
        name: str,
    ) -> None:
        if not isinstance(runnable, Runnable):
            raise UsageError(f"{name} is no runnable but a {type(runnable).__qualname__}")
        self.runnable, self.config, self.name = runnable, config, name
        found = components(runnable, name)
        if not found:
            raise UsageError(f"{name} has no components that could be steps: name them with .with_config(run_name=…)")
        check_names(name, "component", [c.name for c in found], variants, options)
        for c in found:
            if c.number > 1 and (c.stem in variants or c.stem in options):
                raise UsageError(f"{name} has several components {c.stem}: name them with .with_config(run_name=…)")
        tried = {c.name: self._variants(c, variants.get(c.name, {})) for c in found}
        everything = [*(c.runnable for c in found), *(v.what for vs in tried.values() for v in vs.values())]
        self.codec = Codec([*KINDS, *class_kinds(classes_in(everything))])
        self.asynchronous = any(map(only_async, everything)) if asynchronous is None else asynchronous
        self.steps = {c.name: self._step(c, tried[c.name], options.get(c.name, {})) for c in found}
        replaced = {id(c.runnable): self._calling(c) for c in found}
        self.replaced = rebuilt(runnable, name, lambda r, place: replaced[id(r)](place), self._map)

    def _variants(self, c: Component, given: Mapping[str, Any]) -> dict[str, Variant]:
        """A component's variants: those that are given, and alternatives that it has itself."""
        out = {v: Variant.of(what) for v, what in given.items()}
        for variant in out.values():
            variant.what = coerce_to_runnable(variant.what)
        if isinstance(c.runnable, RunnableConfigurableAlternatives):
            id = c.runnable.which.id
            chosen = merge_configs(self.config, c.config).get("configurable", {}).get(id, c.runnable.default_key)
            for key in (c.runnable.default_key, *c.runnable.alternatives):
                key = getattr(key, "value", key)  # of an enum
                if key != chosen:
                    out.setdefault(str(key), Variant(c.runnable.with_config(configurable={id: key})))
        return out

    def _step(self, c: Component, variants: Mapping[str, Variant], options: Mapping[str, Any]) -> Step[..., Any]:
        function = partial(self._implementation, c)
        return step_of(c.name, c.runnable, variants, options, function=function, seen=seen_of, read=self.codec.revive)

    def _implementation(self, c: Component, runnable: Runnable[Any, Any]) -> Callable[..., Any]:
        """What a step of a component runs, on an input that is JSON."""
        config = merge_configs(self.config, c.config)

        def given(input: Any) -> tuple[Any, RunnableConfig]:
            live = LIVE.get()
            return (self._read(runnable, "InputType", input), config) if live is None else (live.given, live.config)

        def written(output: Any) -> Any:
            if (live := LIVE.get()) is not None:
                live.output = output
            return without_run_ids(self.codec.dump(output))

        def run(input: Any) -> Any:
            return written(runnable.invoke(*given(input)))

        async def arun(input: Any) -> Any:
            return written(await runnable.ainvoke(*given(input)))

        return arun if self.asynchronous else run

    def _read(self, runnable: Runnable[Any, Any], which: str, value: Any) -> Any:
        """A value that was written as JSON, as what a runnable says that it takes or gives."""
        try:
            hint = getattr(runnable, which)
        except TypeError:  # it can't be inferred
            hint = None
        out = self.codec.revive(value)
        return out if is_tagged(hint) else read_as(hint, out)

    def _calling(self, c: Component) -> Callable[[str], Runnable[Any, Any]]:
        """Makes what stands in a component's place: it calls the step."""
        step = self.steps[c.name]

        def at(place: str) -> Runnable[Any, Any]:
            def named() -> Callable[..., Any]:
                name = ".".join([*([place] if c.places > 1 else []), *_items.get()])
                return step.at(name) if name else step

            def call(input: Any, config: RunnableConfig) -> Any:
                if not recording():
                    return self._read(c.runnable, "OutputType", named()(input=self.codec.dump(input)))
                with being(Live(input, config)) as live:
                    named()(input=self.codec.dump(input))
                return live.output

            async def acall(input: Any, config: RunnableConfig) -> Any:
                if not recording():
                    return self._read(c.runnable, "OutputType", await named()(input=self.codec.dump(input)))
                with being(Live(input, config)) as live:
                    await named()(input=self.codec.dump(input))
                return live.output

            return RunnableLambda(acall if self.asynchronous else call, name=c.name)

        return at

    def _map(self, bound: Runnable[Any, Any]) -> Runnable[Any, Any]:
        """What stands in a map's place: its items are run at once, and calls are named after them."""

        def each(i: int, item: Any) -> Runnable[Any, Any]:
            def call(_: Any, config: RunnableConfig) -> Any:
                token = _items.set((*_items.get(), f"item-{i}"))
                try:
                    return bound.invoke(item, config)
                finally:
                    _items.reset(token)

            async def acall(_: Any, config: RunnableConfig) -> Any:
                token = _items.set((*_items.get(), f"item-{i}"))
                try:
                    return await bound.ainvoke(item, config)
                finally:
                    _items.reset(token)

            return RunnableLambda(acall if self.asynchronous else call, name="item")

        def all_of(items: Any) -> RunnableParallel[Any]:
            return RunnableParallel({str(i): each(i, item) for i, item in enumerate(items)})

        def run(items: Any, config: RunnableConfig) -> Any:
            return list(all_of(items).invoke(None, config).values())

        async def arun(items: Any, config: RunnableConfig) -> Any:
            return list((await all_of(items).ainvoke(None, config)).values())

        return RunnableLambda(arun if self.asynchronous else run, name="map")

    def run(self, given: Any) -> Any:
        """Runs the runnable."""
        if current.get() is None:
            return self.runnable.invoke(given, self.config)
        return self._ended(self.replaced.invoke(given, self.config))

    async def arun(self, given: Any) -> Any:
        """The same for one with async components."""
        if current.get() is None:
            return await self.runnable.ainvoke(given, self.config)
        return self._ended(await self.replaced.ainvoke(given, self.config))

    def _ended(self, output: Any) -> Any:
        return output if recording() else self.codec.dump(output)
