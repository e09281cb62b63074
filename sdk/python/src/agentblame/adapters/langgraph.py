"""A compiled LangGraph graph as a program: its nodes are the steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.errors import GraphBubbleUp
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, Send

from ..context import context as step_context
from ..context import current
from ..decode import class_hints, decoder
from ..errors import DecodingError, UsageError
from ..program import Program
from ..score import Score
from ..step import Input, Step
from ..version import version_of
from ._messages import Ids, Special, dump, revive
from ._program import check_names, function, input_names, reading

try:  # LangGraph's own runnable for functions: it gives them config, runtime and store
    from langgraph._internal._runnable import RunnableCallable, coerce_to_runnable
except ImportError as error:
    raise ImportError("agentblame.adapters.langgraph needs LangGraph 1.0 or later") from error

Node = Callable[..., Any] | Runnable[Any, Any]
"""What add_node takes: it gives an update of the state, or a Command."""

_RUNTIME = "__pregel_runtime"  # where nodes look for their Runtime, in config["configurable"]
_SPECIAL: tuple[Special, ...] = (
    (
        Command,
        "$command",
        lambda c: {"graph": c.graph, "update": c.update, "goto": c.goto},
        lambda held: Command(**held),
    ),
    (Send, "$send", lambda s: {"node": s.node, "arg": s.arg}, lambda held: Send(held["node"], held["arg"])),
)


def graph_program(
    graph: CompiledStateGraph[Any, Any, Any, Any],
    *,
    name: str,
    inputs: Iterable[str | Input],
    metric: Callable[..., Any] | Score,
    variants: Mapping[str, Mapping[str, Node | tuple[Node, Mapping[str, Any]]]] | None = None,
    nodes: Mapping[str, Mapping[str, Any]] | None = None,
    state: Callable[..., Any] | None = None,
    config: RunnableConfig | None = None,
    context: Any = None,
) -> Program[Any, Any]:
    """Makes a program of a compiled graph, which stays as it is.

    Every node is a step, whose one input is the state that it is given and whose output
    is its update. Edges, conditional ones too, run as they are. A subgraph is one step.

    :param graph: what ``StateGraph.compile()`` gives
    :param inputs: names of the inputs that a case must have
    :param metric: ``metric(state)`` or ``metric(state, case)``: how good the final state is
    :param variants: other nodes to try, by node and a name for each, as a function or as (function, options of
        the variant); the first is the default fix
    :param nodes: options of nodes as steps: ``{"writer": {"cost": 2, "deterministic": False}}``
    :param state: makes the graph's input of a case's inputs; default: they are it
    :param config: goes along with each run of the graph and its nodes
    :param context: the graph's runtime context
    """
    variants, nodes = variants or {}, nodes or {}
    if not isinstance(graph, CompiledStateGraph):
        raise UsageError(f"graph {name}: it is a {type(graph).__name__}; compile() gives what can be analysed")
    names = [n for n in graph.nodes if n != "__start__"]
    check_names(f"graph {name}", "node", names, variants, nodes)
    asynchronous = any(_only_async(graph.nodes[n].bound) for n in names)
    runner = _Runner(graph, config or {}, context, asynchronous)
    steps = []
    for n in names:
        bound = graph.nodes[n].bound
        step = Step(n, runner.step(n, bound), **{"version": _version(bound), **(nodes.get(n) or {})})
        for variant, given in (variants.get(n) or {}).items():
            node, options = given if isinstance(given, tuple) else (given, {})
            runnable = coerce_to_runnable(node, name=n, trace=False)
            step.variant(variant, runner.step(n, runnable), **{"version": _version(runnable), **options})
        steps.append(step)

    def begin(given: dict[str, Any]) -> tuple[Any, Ids]:
        ids = Ids()
        made = given if state is None else state(**given)
        ids.know(made.values() if isinstance(made, dict) else [made])
        return made, ids

    def end(last: Any, ids: Ids) -> Any:
        ids.alias(last)
        return dump(last, _SPECIAL)

    def run(given: dict[str, Any]) -> Any:
        first, ids = begin(given)
        return end(runner.graph(steps, ids).invoke(first, config, context=context), ids)

    async def run_async(given: dict[str, Any]) -> Any:
        first, ids = begin(given)
        return end(await runner.graph(steps, ids).ainvoke(first, config, context=context), ids)

    declared = list(inputs)
    return Program(
        function(run_async if asynchronous else run, input_names(declared), name),
        name=name,
        inputs=declared,
        steps=steps,
        metric=reading(metric, lambda last: revive(last, _SPECIAL)),
    )


class _Runner:
    """Runs a graph's nodes as steps, and the graph around them."""

    def __init__(
        self, graph: CompiledStateGraph[Any, Any, Any, Any], config: RunnableConfig, context: Any, asynchronous: bool
    ) -> None:
        self._graph, self._config, self._context, self._asynchronous = graph, config, context, asynchronous

    def step(self, name: str, node: Runnable[Any, Any]) -> Callable[..., Any]:
        """The function of a step: a node, on a state that is JSON or the graph's own."""
        mapper = self._graph.nodes[name].mapper
        spec = self._graph.builder.nodes.get(name)
        read = {} if spec is None else _readers(spec.input_schema)

        def prepare(state: Any) -> Any:
            state = revive(state, _SPECIAL)
            if isinstance(state, dict):
                for key, reader in read.items():
                    if key in state:
                        try:
                            state[key] = reader(state[key])
                        except DecodingError as error:
                            raise DecodingError(f"node {name} can't take its state's {key}: {error}") from error
                if mapper is not None:
                    state = mapper(state)
            return state

        if self._asynchronous:

            async def run_async(state: Any) -> Any:
                config = self._node_config()
                with _Alone(name, config):
                    return dump(await node.ainvoke(prepare(state), config), _SPECIAL)

            return run_async

        def run(state: Any) -> Any:
            config = self._node_config()
            with _Alone(name, config):
                return dump(node.invoke(prepare(state), config), _SPECIAL)

        return run

    def _node_config(self) -> RunnableConfig:
        runtime = Runtime(context=self._context, store=self._graph.store)
        configurable = {**(self._config.get("configurable") or {}), _RUNTIME: runtime}
        return {**self._config, "configurable": configurable}

    def graph(self, steps: list[Step[Any, Any]], ids: Ids) -> CompiledStateGraph[Any, Any, Any, Any]:
        """A copy of the graph whose nodes call the steps. Retries, caches and checkpoints are agentblame's affair."""
        nodes = dict(self._graph.nodes)
        for step in steps:
            nodes[step.name] = nodes[step.name].copy(
                {
                    "bound": self._caller(step, ids), "mapper": None, "retry_policy": None, "cache_policy": None,
                    "timeout": None, "subgraphs": [],
                }
            )  # fmt: skip
        copy = self._graph.with_config(None)
        copy.nodes = nodes
        copy.checkpointer, copy.cache, copy.retry_policy = None, None, ()
        return copy

    def _caller(self, step: Step[Any, Any], ids: Ids) -> Runnable[Any, Any]:
        """A node that calls a step."""
        run = current.get()  # LangGraph runs nodes that go on at once in threads and contexts of its own

        def ask(state: Any, config: RunnableConfig) -> Any:
            ids.alias(state)
            call = _call_name(config)
            return (step if call is None else step.at(call))(state=dump(state, _SPECIAL))

        def learn(update: Any) -> Any:
            update = revive(update, _SPECIAL)
            ids.know([update.update] if isinstance(update, Command) else [update])
            return update

        def call(state: Any, config: RunnableConfig) -> Any:
            token = current.set(run)
            try:
                return learn(ask(state, config))
            finally:
                current.reset(token)

        async def call_async(state: Any, config: RunnableConfig) -> Any:
            token = current.set(run)
            try:
                return learn(await ask(state, config))
            finally:
                current.reset(token)

        if self._asynchronous:
            return RunnableCallable(None, call_async, name=step.name, trace=False, recurse=False)
        return RunnableCallable(call, name=step.name, trace=False, recurse=False)


class _Alone:
    """A node's run outside of a running graph: it finds its config, and is told clearly what it can't do."""

    def __init__(self, node: str, config: RunnableConfig) -> None:
        self._node, self._config = node, config

    def __enter__(self) -> None:
        self._token = var_child_runnable_config.set(self._config)  # what get_config and get_runtime read

    def __exit__(self, kind: object, error: BaseException | None, at: object) -> None:
        var_child_runnable_config.reset(self._token)
        if isinstance(error, GraphBubbleUp) or (isinstance(error, KeyError) and "__pregel" in str(error)):
            fault = UsageError(
                f"node {self._node} interrupts the graph, or asks for what only a running graph has: "
                "that can't be replayed"
            )
            if (run := step_context()) is not None:
                run.fault = fault  # it is no failure of the step: the analysis ends
            raise fault from error


def _readers(schema: Any) -> dict[str, Callable[[Any], Any]]:
    """What turns the members of a state into what they are annotated with."""
    return {key: read for key, hint in class_hints(schema).items() if (read := decoder(hint)) is not None}


def _only_async(node: Any) -> bool:
    return isinstance(node, RunnableCallable) and node.func is None


def _version(node: Any) -> str | None:
    fn = getattr(node, "func", None) or getattr(node, "afunc", None)
    return version_of(fn) if callable(fn) else None


def _call_name(config: RunnableConfig) -> str | None:
    """Names the calls that a node may have at once, those of Send; others are numbered."""
    metadata = config.get("metadata") or {}
    path = metadata.get("langgraph_path") or ()
    if not path or path[0] != "__pregel_push":
        return None
    return f"{metadata.get('langgraph_step')}.{'.'.join(str(p) for p in path[1:] if isinstance(p, int))}-sent"
