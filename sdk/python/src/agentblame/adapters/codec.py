"""Values of frameworks as JSON, and back.

What JSON doesn't have and what no annotation tells is written with a tag:
``{"$message": {…}}``. What is annotated is read back as that, as everywhere else.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ..decode import class_hints, decoder
from ..errors import DecodingError
from ..values import DEEPEST

_SIMPLE = frozenset({str, int, float, bool, type(None)})
_LITERAL = "$literal"


class Kind(NamedTuple):
    """A kind of values that is written with a tag."""

    tag: str
    types: tuple[type, ...]
    write: Callable[[Any], Any]
    """Gives what such a value is made of."""
    read: Callable[[Any], Any]
    """Makes it of that again."""


TUPLE = Kind("$tuple", (tuple,), list, tuple)


class Codec:
    """Writes and reads values of some kinds, however deep they are in lists, dicts and objects with fields."""

    def __init__(self, kinds: Sequence[Kind]) -> None:
        self._by_type = {t: kind for kind in kinds for t in kind.types}
        self._by_tag = {kind.tag: kind for kind in kinds}
        self._marks = {*self._by_tag, _LITERAL}

    def dump(self, value: Any, depth: int = 0) -> Any:
        """The value with tags; what it doesn't know is left to the encoder, and so are errors."""
        if type(value) in _SIMPLE or depth > DEEPEST:
            return value
        kind = self._by_type.get(type(value))
        if kind is not None:
            return {kind.tag: self.dump(kind.write(value), depth + 1)}
        if isinstance(value, list):
            return [self.dump(v, depth + 1) for v in value]
        parts = members(value)
        if parts is None:
            return value
        out = {name: self.dump(member, depth + 1) for name, member in parts.items()}
        return {_LITERAL: out} if len(out) == 1 and not self._marks.isdisjoint(out) else out

    def revive(self, value: Any) -> Any:
        """The value that was written. Dataclasses and models are dicts; see read_as."""
        if isinstance(value, list):
            return [self.revive(v) for v in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((name, member),) = value.items()
            if name == _LITERAL:
                return {n: self.revive(m) for n, m in member.items()}
            if (kind := self._by_tag.get(name)) is not None:
                return kind.read(self.revive(member))
        return {name: self.revive(member) for name, member in value.items()}

    def change(self, value: Any, tag: str, change: Callable[[Any], Any]) -> Any:
        """A dumped value with what is under a tag changed, everywhere in it."""
        if isinstance(value, list):
            return [self.change(v, tag, change) for v in value]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((name, member),) = value.items()
            if name == _LITERAL:
                return {_LITERAL: {n: self.change(m, tag, change) for n, m in member.items()}}
            if name == tag:
                return {tag: change(self.change(member, tag, change))}
        return {name: self.change(member, tag, change) for name, member in value.items()}


def members(value: Any) -> dict[Any, Any] | None:
    """The members of what is written as an object."""
    if isinstance(value, dict):
        return value
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if (fields := getattr(type(value), "model_fields", None)) is not None:  # Pydantic
        return {name: getattr(value, name) for name in fields} | (value.model_extra or {})
    return None


def classes_of(hint: Any) -> list[type]:
    """The dataclasses and models that an annotation speaks of, with those of their members and their subclasses."""
    found: dict[type, None] = {}

    def look(hint: Any) -> None:
        if not isinstance(hint, type):
            for part in typing.get_args(hint):
                look(part)
        elif hint not in found and (dataclasses.is_dataclass(hint) or hasattr(hint, "model_fields")):
            found[hint] = None
            for member in class_hints(hint).values():
                look(member)
            for subclass in hint.__subclasses__():
                look(subclass)

    look(hint)
    return list(found)


def class_kinds(classes: Iterable[type], *, write: Callable[[Any], Any] = members, read: Any = None) -> list[Kind]:
    """Classes as kinds of values, each with its name as its tag.

    :param write: gives what an instance is made of
    :param read: makes what makes an instance of that again, for a class
    """
    kinds: dict[str, Kind] = {}
    for cls in classes:
        tag = stem = f"${cls.__name__}"
        count = 1
        while tag in kinds:
            count += 1
            tag = f"{stem}-{count}"
        kinds[tag] = Kind(tag, (cls,), write, read(cls) if read else decoder(cls) or cls)
    return list(kinds.values())


def read_as(hint: Any, value: Any) -> Any:
    """The value as what an annotation says; as it is, where it isn't of that form."""
    read = decoder(hint)
    if read is None:
        return value
    try:
        return read(value)
    except DecodingError:
        return value
