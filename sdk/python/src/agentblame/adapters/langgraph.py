"""A compiled LangGraph graph as a program: its nodes are the steps.

See docs/python-frameworks.md#langgraph.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langchain_core.runnables.config import merge_configs
from langgraph.errors import GraphInterrupt, NodeError, ParentCommand
from langgraph.graph.state import CompiledStateGraph, StateGraph
from langgraph.prebuilt import ToolNode

from ..context import current
from ..decode import decoder
from ..errors import StepError, UsageError
from ..program import Program
from ..score import Score
from ..step import Input, Step
from .graph_edges import edges_of, with_paths
from .graph_values import CODEC, GraphValues
from .langchain_values import MessageIds, without_run_ids
from .langchain_runnables import only_async, seen_of, uses_model
from .live import LIVE, Live, being, recording
from .metric import reading
from .node_config import ERROR, call_name, node_config, state_around
from .variant import Variant, check_names, step_of

_START = "__start__"
_INTERRUPT = "__interrupt__"


def graph_program(
    graph: CompiledStateGraph[Any, Any, Any, Any],
    *,
    inputs: Iterable[str | Input],
    metric: Callable[..., Any] | Score,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    nodes: Mapping[str, Mapping[str, Any]] | None = None,
    state: Callable[..., Any] | None = None,
    config: RunnableConfig | None = None,
    context: Any = None,
    asynchronous: bool | None = None,
    name: str | None = None,
) -> Program[..., Any]:
    """Makes a program of a compiled graph, which stays as it is.

    Every node is a step. Its input is the ``state`` that the node is given, its output
    the node's update, or its Command. Edges, conditional ones too, run as they are; one
    that decides by a language model is a step, and so is one that has variants or options.
    Called outside an analysis, the program invokes the graph.

    :param graph: what ``StateGraph.compile`` gives, or a prebuilt agent
    :param inputs: names of the inputs that a case must have
    :param metric: how good the final state is: ``metric(state)``, ``metric(state, case)``; see Score
    :param variants: what to try in a node's or an edge's place, by its name and a name for each: what
        ``add_node`` or ``add_conditional_edges`` takes, or a Variant with options. The first is the default fix
    :param nodes: options of nodes and edges as steps, by name: cost, key, deterministic … Unless it says
        otherwise, one that a language model is found in is ``deterministic=False``
    :param state: makes the graph's input of a case's inputs; default: they are it
    :param config: goes along with each run of the graph and its nodes
    :param context: the graph's run-time context
    :param asynchronous: the graph is run by ``ainvoke``; default: where a node, an edge or a tool is only async
    :param name: default: the graph's
    :raises UsageError: if the graph can't be replayed, or has no node of a name
    """
    adapted = _Graph(graph, variants or {}, nodes or {}, config or {}, context, asynchronous, name or graph.name)
    make = state or (lambda **given: adapted.values.read(given))

    def run(**given: Any) -> Any:
        return adapted.run(make(**given))

    async def arun(**given: Any) -> Any:
        return await adapted.arun(make(**given))

    return Program(
        arun if adapted.asynchronous else run,
        name=adapted.name,
        inputs=inputs,
        steps=adapted.steps.values(),
        metric=reading(metric, adapted.values.read),
    )


class _Graph:
    """A graph with its steps."""

    def __init__(
        self,
        graph: CompiledStateGraph[Any, Any, Any, Any],
        variants: Mapping[str, Mapping[str, Any]],
        options: Mapping[str, Mapping[str, Any]],
        config: RunnableConfig,
        context: Any,
        asynchronous: bool | None,
        name: str,
    ) -> None:
        if not isinstance(graph, CompiledStateGraph):
            raise UsageError(f"{name} is no compiled StateGraph but a {type(graph).__qualname__}: call compile() on it")
        if graph.interrupt_before_nodes or graph.interrupt_after_nodes:
            raise UsageError(f"graph {name} is compiled with interrupts, which can't be replayed: compile it without")
        self.graph, self.config, self.name = graph, config, name
        self.context = _coerced(graph.context_schema, context)
        self.values = GraphValues(graph.builder.schemas)
        edges = edges_of(graph)
        bound = {n: node.bound for n, node in graph.nodes.items() if n != _START}
        check_names(f"graph {name}", "node or conditional edge", [*bound, *edges], variants, options)
        self.edges = {n: e for n, e in edges.items() if n in variants or n in options or uses_model(e.path)}
        self.bound = {**bound, **{n: e.path for n, e in self.edges.items()}}
        self.schemas = {n: graph.builder.nodes[n].input_schema for n in bound}
        self.schemas.update({n: e.schema for n, e in self.edges.items()})
        tried = {n: {v: Variant.of(w) for v, w in variants.get(n, {}).items()} for n in self.bound}
        for found in tried.values():
            for variant in found.values():
                variant.what = _runnable(variant.what)
        if asynchronous is None:
            given = [v.what for found in tried.values() for v in found.values()]
            asynchronous = any(map(only_async, [*bound.values(), *(e.path for e in edges.values()), *given]))
        self.asynchronous = asynchronous
        self.steps = {n: self._step(n, tried[n], options.get(n, {})) for n in self.bound}

    def _step(self, name: str, variants: Mapping[str, Variant], options: Mapping[str, Any]) -> Step[..., Any]:
        bound = self.bound[name]
        as_run = self.graph.nodes.get(name, bound)  # a node knows its own tags and metadata
        function = partial(self._implementation, name)

        def seen(node: Any) -> dict[str, Any]:
            return seen_of(bound if node is as_run else node)

        return step_of(name, as_run, variants, options, function=function, seen=seen, read=self.values.read)

    def _implementation(self, name: str, node: Any) -> Callable[..., Any]:
        """What a step of a node runs, on a state that is JSON."""

        def run(state: Any, **more: Any) -> Any:
            given, config = self._given(name, state, more)
            try:
                return self._update(name, _within(node, config).invoke(given, config))
            except (GraphInterrupt, ParentCommand, KeyError) as raised:
                return self._raised(name, raised)

        async def arun(state: Any, **more: Any) -> Any:
            given, config = self._given(name, state, more)
            try:
                return self._update(name, await _within(node, config).ainvoke(given, config))
            except (GraphInterrupt, ParentCommand, KeyError) as raised:
                return self._raised(name, raised)

        return arun if self.asynchronous else run

    def _given(self, name: str, state: Any, more: Mapping[str, Any]) -> tuple[Any, RunnableConfig]:
        """What a node is invoked with."""
        if (live := LIVE.get()) is not None:
            return live.given, live.config
        schema, error, around = self.schemas[name], more.get("error"), more.get("around")
        own = node_config(
            name,
            self.context,
            has_store=self.graph.store is not None,
            error=None if error is None else NodeError(error["node"], StepError.of(error["node"], error)),
            around=None if around is None else lambda: self.values.state(schema, around),
        )
        return self.values.state(schema, state), merge_configs(self.graph.config, self.config, own)

    def _update(self, name: str, update: Any) -> Any:
        """A node's update as JSON."""
        live = LIVE.get()
        if live is None and isinstance(update, dict) and _INTERRUPT in update:
            raise _interrupted(name)
        written = CODEC.dump(self.values.members(update))
        if live is not None:
            live.output = update
            written = live.ids.know(written)
        return without_run_ids(written)

    def _raised(self, name: str, raised: Exception) -> Any:
        """What a node's way out of its graph comes to, where there is no graph around it."""
        if LIVE.get() is not None:
            raise raised
        if isinstance(raised, ParentCommand):  # of a graph in the node: for this graph
            return self._update(name, replace(raised.args[0], graph=None))
        if isinstance(raised, GraphInterrupt):
            raise _interrupted(name) from raised
        if raised.args and str(raised.args[0]).startswith("__pregel_"):
            raise UsageError(
                f"node {name} of graph {self.name} uses what LangGraph gives to a node only while the graph "
                f"runs ({raised.args[0]}), which can't be replayed"
            ) from raised
        raise raised

    def run(self, given: Any) -> Any:
        """Runs the graph."""
        if current.get() is None:
            return self.graph.invoke(given, self.config, context=self.context)
        ids = MessageIds()
        given = self._begun(ids, given)
        return self._ended(ids, self._replaced(ids).invoke(given, self.config, context=self.context))

    async def arun(self, given: Any) -> Any:
        """The same for a graph with async nodes."""
        if current.get() is None:
            return await self.graph.ainvoke(given, self.config, context=self.context)
        ids = MessageIds()
        given = self._begun(ids, given)
        return self._ended(ids, await self._replaced(ids).ainvoke(given, self.config, context=self.context))

    def _begun(self, ids: MessageIds, given: Any) -> Any:
        """The graph's input; in an analysis a copy, since reducers give ids to its messages."""
        written = ids.know(CODEC.dump(given))
        return given if recording() else self.values.read(written)

    def _ended(self, ids: MessageIds, last: Any) -> Any:
        return last if recording() else ids.show(CODEC.dump(last))

    def _replaced(self, ids: MessageIds) -> CompiledStateGraph[Any, Any, Any, Any]:
        """A copy of the graph whose nodes call the steps.

        In an analysis, retries, time-outs, caches, checkpoints and stores are not the graph's affair.
        """
        out = copy.copy(self.graph)
        without: dict[str, Any] = {}
        if not recording():
            without = {"retry_policy": None, "cache_policy": None, "timeout": None}
            out.checkpointer = out.store = out.cache = out.cache_policy = out.step_timeout = None
            out.retry_policy = ()
        paths = {id(e.path): self._calling(self.steps[n], ids) for n, e in self.edges.items()}
        out.nodes = {}
        for name, node in self.graph.nodes.items():
            changed = {"writers": with_paths(node.writers, lambda path: paths.get(id(path), path))}
            if name in self.steps:
                changed |= {"bound": self._calling(self.steps[name], ids), "subgraphs": [], **without}
            out.nodes[name] = node.copy(changed)
        return out

    def _calling(self, step: Step[..., Any], ids: MessageIds) -> Runnable[Any, Any]:
        """What stands in a node's place: it calls the step."""
        record = recording()

        def given(state: Any, config: RunnableConfig) -> tuple[Callable[..., Any], dict[str, Any]]:
            inputs = {"state": ids.show(CODEC.dump(state))}
            if (failed := config.get("configurable", {}).get(ERROR)) is not None:
                inputs["error"] = {"node": failed.node, **_error(failed.error)}
            tools = isinstance(self.bound[step.name], ToolNode)
            if tools and (around := state_around(config)) is not None:
                inputs["around"] = ids.show(CODEC.dump(around))
            name = call_name(config)
            return step.at(name) if name else step, inputs

        def taken(output: Any) -> Any:
            return self.values.read(ids.hide(ids.know(output)))

        def call(state: Any, config: RunnableConfig) -> Any:
            at, inputs = given(state, config)
            if not record:
                return taken(at(**inputs))
            with being(Live(state, config, ids)) as live:
                at(**inputs)
            return live.output

        async def acall(state: Any, config: RunnableConfig) -> Any:
            at, inputs = given(state, config)
            if not record:
                return taken(await at(**inputs))
            with being(Live(state, config, ids)) as live:
                await at(**inputs)
            return live.output

        return RunnableLambda(acall if self.asynchronous else call, name=step.name)


def _within(node: Any, config: RunnableConfig) -> Any:
    """The node as a part of a run of its own: its code can ask for the run's config."""
    if LIVE.get() is not None:
        return node

    async def anode(given: Any, config: RunnableConfig) -> Any:
        return await node.ainvoke(given, config)

    return RunnableLambda(lambda given, config: node.invoke(given, config), anode)


def _interrupted(name: str) -> UsageError:
    return UsageError(f"node {name} calls interrupt(), which can't be replayed: give it a variant or a case without")


def _error(error: BaseException) -> dict[str, Any]:
    """A failed node's error, as an error handler's input."""
    if isinstance(error, StepError):
        return {"message": str(error), "data": {k: error.data[k] for k in ("type", "module") if k in error.data}}
    return {"message": str(error), "data": {"type": type(error).__qualname__, "module": type(error).__module__}}


def _coerced(schema: Any, context: Any) -> Any:
    """A run-time context as the graph's schema says."""
    read = decoder(schema) if isinstance(context, dict) and schema is not None else None
    return context if read is None else read(context)


def _runnable(node: Any) -> Runnable[Any, Any]:
    """What add_node takes, as the runnable that it makes of it."""
    if isinstance(node, Runnable):
        return node
    if not callable(node):
        raise UsageError(f"{node!r} is no node: a variant is what add_node takes")
    built: Any = StateGraph(dict)  # type: ignore[type-var]
    return built.add_node("node", node).nodes["node"].runnable  # type: ignore[no-any-return]
