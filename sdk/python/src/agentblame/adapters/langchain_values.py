"""LangChain's messages, documents and prompts as JSON; and ids of messages."""

from __future__ import annotations

import json
import threading
import typing
from hashlib import sha256
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    ChatMessageChunk,
    FunctionMessage,
    FunctionMessageChunk,
    HumanMessage,
    HumanMessageChunk,
    RemoveMessage,
    SystemMessage,
    SystemMessageChunk,
    ToolMessage,
    ToolMessageChunk,
)
from langchain_core.prompt_values import ChatPromptValue, PromptValue, StringPromptValue

from .codec import TUPLE, Codec, Kind

_MESSAGES: tuple[type[BaseMessage], ...] = (
    AIMessage, AIMessageChunk, ChatMessage, ChatMessageChunk, FunctionMessage, FunctionMessageChunk, HumanMessage,
    HumanMessageChunk, RemoveMessage, SystemMessage, SystemMessageChunk, ToolMessage, ToolMessageChunk,
)  # fmt: skip
_BY_TYPE: dict[str, Any] = {cls.model_fields["type"].default: cls for cls in _MESSAGES}
_MESSAGE = "$message"
_RUN_ID = ("lc_run-", "run-")
"""What the ids begin with that models give to their answers: the id of a run in a trace, another each time."""


def _set_fields(value: Any) -> dict[str, Any]:
    """The fields of a model that aren't as they are by default."""
    out: dict[str, Any] = dict(value.model_extra or {})
    for name, field in type(value).model_fields.items():
        member = getattr(value, name)
        if field.is_required() or _differ(member, field.get_default(call_default_factory=True, validated_data={})):
            out[name] = member
    return out


def _differ(a: Any, b: Any) -> bool:
    try:
        return bool(a != b)
    except Exception:  # arrays have no one truth
        return True


def _message(fields: dict[str, Any]) -> BaseMessage:
    cls = _BY_TYPE.get(fields.get("type", ""))
    if cls is None:
        raise ValueError(f"there are no messages of type {fields.get('type')!r}")
    return cls(**{name: member for name, member in fields.items() if name != "type"})


def _prompt(parts: Any) -> Any:
    return StringPromptValue(text=parts) if isinstance(parts, str) else ChatPromptValue(messages=parts)


KINDS = (
    TUPLE,
    Kind(_MESSAGE, _MESSAGES, lambda m: {"type": m.type, **_set_fields(m)}, _message),
    Kind("$document", (Document,), lambda d: {**_set_fields(d)}, lambda fields: Document(**fields)),
    Kind("$prompt", (ChatPromptValue,), lambda p: list(p.messages), _prompt),
    Kind("$prompt", (StringPromptValue,), lambda p: p.text, _prompt),
)


def is_tagged(hint: Any) -> bool:
    """Whether an annotation speaks of what is written with a tag, so that it says nothing more."""
    if isinstance(hint, type) and issubclass(hint, (BaseMessage, PromptValue, Document)):
        return True
    return any(is_tagged(part) for part in typing.get_args(hint))


CODEC = Codec(KINDS)
"""Writes and reads LangChain's values."""


def without_run_ids(value: Any) -> Any:
    """A dumped value without the ids that models give to their answers, so that equal answers are equal."""

    def without(message: Any) -> Any:
        own = str(message.get("id") or "").startswith(_RUN_ID)
        return {n: m for n, m in message.items() if n != "id"} if own else message

    return CODEC.change(value, _MESSAGE, without)


class MessageIds:
    """The ids of messages in one run of a graph, in values that are dumped.

    Reducers give a random id to a message that has none, which would make each replay
    another run. Steps see ids in their place that are made of what the message says.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._shown: dict[str, str] = {}
        self._hidden: dict[str, str] = {}
        self._lock = threading.Lock()

    def know(self, value: Any) -> Any:
        """Notes the ids that inputs and steps give, which stay as they are; returns the value as steps see it."""

        def noted(message: Any) -> Any:
            if (id := message.get("id")) in self._shown:
                return {**message, "id": self._shown[id]}
            if id and id not in self._hidden and not id.startswith(_RUN_ID):
                self._known.add(id)
            return message

        with self._lock:
            return CODEC.change(value, _MESSAGE, noted)

    def show(self, value: Any) -> Any:
        """A state of the graph as steps see it."""

        def shown(message: Any) -> Any:
            id = message.get("id")
            if not id or id in self._known:
                return message
            if id not in self._shown:
                self._shown[id] = self._made({n: m for n, m in message.items() if n != "id"})
                self._hidden[self._shown[id]] = id
            return {**message, "id": self._shown[id]}

        with self._lock:
            return CODEC.change(value, _MESSAGE, shown)

    def hide(self, value: Any) -> Any:
        """What a step gave, with the ids that the graph's own messages have."""

        def hidden(message: Any) -> Any:
            own = self._hidden.get(message.get("id"))
            return message if own is None else {**message, "id": own}

        return CODEC.change(value, _MESSAGE, hidden)

    def _made(self, message: Any) -> str:
        try:
            text = json.dumps(message, sort_keys=True, default=lambda v: type(v).__qualname__)
        except (TypeError, ValueError, RecursionError):  # the encoder will say what is wrong with it
            text = ""
        stem = new = "message-" + sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
        count = 1
        while new in self._known or new in self._hidden:
            count += 1
            new = f"{stem}-{count}"
        return new
