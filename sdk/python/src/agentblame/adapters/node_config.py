"""What LangGraph gives to a node beside its state, in a replay.

LangGraph keeps it in a run's config under keys of its own, which aren't exported. They
are those of version 1.2; the tests of the adapter notice if one changes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphInterrupt, NodeError
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore

from ..errors import UsageError

ERROR = "__pregel_node_error"
"""The failure that an error handler handles."""
_READ_STATE = "__pregel_read_state"
"""A function that reads the state around a node that was sent something else."""
_READ = "__pregel_read"
"""What earlier versions read that with: a partial function of which one argument is the channels."""
_SCRATCHPAD = "__pregel_scratchpad"
_RUNTIME = "__pregel_runtime"
_PUSHED = "__pregel_push"
_HANDLER = "node_error_handler"


def node_config(
    name: str, context: Any, *, has_store: bool, error: NodeError | None, around: Callable[[], Any] | None
) -> RunnableConfig:
    """The config for a run of a node on its own.

    :param has_store: the graph has a store, which a replay can't use
    :param error: what an error handler handles
    :param around: gives the state around a node that was sent something else
    """
    own: dict[str, Any] = {
        _RUNTIME: Runtime(context=context, store=_NoStore(name) if has_store else None),
        _SCRATCHPAD: _Scratchpad(),
    }
    if error is not None:
        own[ERROR] = error
    if around is not None:
        own[_READ_STATE] = around
        own[_READ] = partial(lambda scratchpad, channels, names, fresh: channels, None, around())
    return {"metadata": {"langgraph_node": name}, "configurable": own}


def state_around(config: RunnableConfig) -> Any:
    """The state around a node that was sent something else; None where it wasn't."""
    own = config.get("configurable", {})
    path = config.get("metadata", {}).get("langgraph_path", ())
    if not path or path[0] != _PUSHED or _HANDLER in path:
        return None
    if (read := own.get(_READ_STATE)) is not None:
        return read()
    read = own[_READ]
    return read([name for name in read.args[1] if not name.startswith("__") and ":" not in name], True)


def call_name(config: RunnableConfig) -> str | None:
    """Names the calls that a node may have at once: those of Send, and of error handlers. Others are numbered."""
    metadata = config.get("metadata", {})
    path, step = metadata.get("langgraph_path", ()), metadata.get("langgraph_step")
    if _HANDLER in path:
        return f"{step}.{path[1]}-failed"
    if path and path[0] == _PUSHED:
        return f"{step}.{path[1]}-sent"
    return None


class _Scratchpad:
    """Ends a node that interrupts, in a way that no node takes for an error of its own."""

    def interrupt_counter(self) -> NoReturn:
        """What interrupt() asks for first."""
        raise GraphInterrupt()

    def get_null_resume(self, consume: bool) -> None:
        """What a graph in the node asks for: there is nothing to resume with."""


class _NoStore(BaseStore):
    """Refuses what a replay doesn't know."""

    def __init__(self, node: str) -> None:
        self._node = node

    def batch(self, ops: Any) -> NoReturn:
        raise UsageError(
            f"node {self._node} uses the graph's store, which isn't part of a replay: "
            "keep in the state what later nodes need"
        )

    async def abatch(self, ops: Any) -> NoReturn:
        self.batch(ops)
