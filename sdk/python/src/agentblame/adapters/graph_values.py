"""What the nodes of a LangGraph graph take and give, as JSON and back."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from langgraph.types import Command, Send

from ..decode import class_hints
from .codec import Codec, Kind, read_as
from .langchain_values import KINDS, is_tagged

CODEC = Codec([
    *KINDS,
    Kind(
        "$command", (Command,),
        lambda c: {n: v for n in ("graph", "update", "resume", "goto") if (v := getattr(c, n)) is not None},
        lambda parts: Command(**parts),
    ),
    Kind("$send", (Send,), lambda s: {"node": s.node, "arg": s.arg}, lambda parts: Send(parts["node"], parts["arg"])),
])  # fmt: skip
"""Writes and reads what nodes take and give."""


class GraphValues:
    """The states and updates of a graph, whose schemas say of what types their members are.

    :param schemas: the schemas of its state and of what its nodes take
    """

    def __init__(self, schemas: Iterable[Any]) -> None:
        self.schemas = {schema: class_hints(schema) for schema in schemas}
        self.hints: dict[str, Any] = {}
        for hints in self.schemas.values():
            self.hints = {**hints, **self.hints}

    def members(self, update: Any) -> Any:
        """An update that is an instance of a state's class as the members that it updates."""
        if isinstance(update, Command):
            return replace(update, update=self.members(update.update))
        if isinstance(update, (dict, list, tuple, str)) or not self.hints.keys() & class_hints(type(update)).keys():
            return update
        fields, given = getattr(type(update), "model_fields", {}), getattr(update, "model_fields_set", ())
        members = {n: getattr(update, n) for n in self.hints if hasattr(update, n)}
        # As LangGraph has it: what a model has as its default None is no update.
        return {
            n: v for n, v in members.items()
            if v is not None or n in given or n not in fields or fields[n].default is not None
        }  # fmt: skip

    def state(self, schema: Any, state: Any) -> Any:
        """A state that was written as JSON, of a schema."""
        value = CODEC.revive(state)
        if typing.is_typeddict(schema):
            return self._typed(value, self.schemas.get(schema, self.hints))
        return read_as(schema, value)

    def read(self, value: Any) -> Any:
        """A state or an update that was written as JSON."""
        return self._typed(CODEC.revive(value), self.hints)

    def _typed(self, value: Any, hints: Mapping[str, Any]) -> Any:
        """A state or an update with members of the types that schemas say."""
        if isinstance(value, Command):
            return replace(value, update=self._typed(value.update, hints))
        if isinstance(value, list):
            return [self._typed(v, hints) if isinstance(v, (Command, dict)) else v for v in value]
        if not isinstance(value, dict):
            return value
        return {n: v if is_tagged(hints.get(n)) else read_as(hints.get(n), v) for n, v in value.items()}
