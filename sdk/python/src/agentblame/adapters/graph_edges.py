"""The conditional edges of a LangGraph graph, which may decide by a model and so be steps."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

from langchain_core.runnables import Runnable
from langgraph.graph._branch import BranchSpec
from langgraph.graph.state import CompiledStateGraph


class Edge(NamedTuple):
    """A conditional edge: from which node it starts, what decides, and on a state of which schema."""

    start: str
    path: Runnable[Any, Any]
    schema: Any


def edges_of(graph: CompiledStateGraph[Any, Any, Any, Any]) -> dict[str, Edge]:
    """The conditional edges of a graph, by the names of what decides; "name@start" where that isn't unique."""
    builder = graph.builder
    found = [(start, name, branch) for start, own in builder.branches.items() for name, branch in own.items()]
    taken = [*builder.nodes, *(name for _, name, _ in found)]
    out = {}
    for start, name, branch in found:
        own = builder.nodes[start].input_schema if start in builder.nodes else builder.state_schema
        unique = name if taken.count(name) == 1 else f"{name}@{start}"
        out[unique] = Edge(start, branch.path, branch.input_schema or own)
    return out


def with_paths(writers: list[Runnable[Any, Any]], replace: Callable[[Runnable[Any, Any]], Any]) -> list[Any]:
    """What a node writes, with other runnables to decide.

    :param replace: gives what is to decide in a runnable's place
    """
    out = []
    for writer in writers:
        branch = getattr(getattr(writer, "func", None), "__self__", None)
        if isinstance(branch, BranchSpec):
            writer, other = copy.copy(writer), branch._replace(path=replace(branch.path))
            writer.func, writer.afunc = other._route, other._aroute  # type: ignore[attr-defined]
        out.append(writer)
    return out
