"""LangChain's values as JSON, and back."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
from langchain_core.prompt_values import ChatPromptValue, StringPromptValue

from ..values import DEEPEST, plain

_MESSAGE, _DOCUMENT, _PROMPT, _TEXT, _PLAIN = "$message", "$document", "$prompt", "$text", "$plain"

Special = tuple[type, str, Callable[[Any], Any], Callable[[Any], Any]]
"""A further type: its tag, what it holds, and what makes it of that."""


def dump(value: Any, special: tuple[Special, ...] = (), depth: int = 0) -> Any:
    """Messages, documents and prompts as objects that ``revive`` reads; the rest is left to the encoder."""
    if depth > DEEPEST:
        return value  # the encoder says so

    def inner(v: Any) -> Any:
        return dump(v, special, depth + 1)

    if isinstance(value, BaseMessage):
        return {_MESSAGE: plain(_said(value), "a message")}
    if isinstance(value, Document):
        fields = {"page_content": value.page_content, "metadata": value.metadata, "id": value.id}
        return {_DOCUMENT: plain(fields, "a document")}
    if isinstance(value, ChatPromptValue):
        return {_PROMPT: [inner(m) for m in value.messages]}
    if isinstance(value, StringPromptValue):
        return {_TEXT: value.text}
    for kind, tag, parts, _ in special:
        if isinstance(value, kind):
            return {tag: inner(parts(value))}
    if isinstance(value, dict):
        out = {k: inner(v) for k, v in value.items()}
        # What looks like one of these objects, in a model's answer say, stays what it is.
        return {_PLAIN: out} if len(out) == 1 and str(next(iter(out))).startswith("$") else out
    if isinstance(value, list):
        return [inner(v) for v in value]
    if type(value) is tuple:
        return tuple(inner(v) for v in value)
    return value


def _said(message: BaseMessage) -> dict[str, Any]:
    """A message, without the random id of the tracing run that made it."""
    said = message_to_dict(message)
    if str(message.id).startswith(("run-", "lc_run-")):
        said["data"]["id"] = None
    return said


def revive(value: Any, special: tuple[Special, ...] = ()) -> Any:
    """What ``dump`` was given."""
    if isinstance(value, list):
        return [revive(v, special) for v in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((tag, held),) = value.items()
        if tag == _PLAIN:
            return {k: revive(v, special) for k, v in held.items()}
        if tag == _MESSAGE:
            return messages_from_dict([held])[0]
        if tag == _DOCUMENT:
            return Document(**held)
        if tag == _PROMPT:
            return ChatPromptValue(messages=[revive(m) for m in held])
        if tag == _TEXT:
            return StringPromptValue(text=held)
        for _, name, _, make in special:
            if tag == name:
                return make(revive(held, special))
    return {k: revive(v, special) for k, v in value.items()}


class Ids:
    """The ids of messages in one run.

    Reducers give messages without an id a random one, which would make each replay
    another run: those get ids that are made of what the messages say.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._lock = threading.Lock()

    def know(self, value: Any) -> None:
        """Keeps the ids in a value."""
        with self._lock:
            for message in _messages(value):
                if message.id:
                    self._known.add(message.id)

    def alias(self, value: Any) -> None:
        """Gives the messages in a value whose ids aren't known other ones."""
        with self._lock:
            for message in _messages(value):
                if not message.id or message.id in self._known:
                    continue
                said = message_to_dict(message)
                said["data"].pop("id", None)
                text = json.dumps(said, sort_keys=True, default=repr)
                base = id = f"message-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
                count = 1
                while id in self._known:
                    count += 1
                    id = f"{base}-{count}"
                message.id = id
                self._known.add(id)


def _messages(value: Any, depth: int = 0) -> list[BaseMessage]:
    if isinstance(value, BaseMessage):
        return [value]
    if depth > DEEPEST:
        return []
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return []
    return [m for v in value for m in _messages(v, depth + 1)]
