"""JSON back to the types that functions are annotated with.

``decoder(hint)`` is None where JSON is what the annotation asks for already.
"""

from __future__ import annotations

import base64
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import inspect
import pathlib
import types
import typing
import uuid
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Union

from .errors import DecodingError

Decoder = Callable[[Any], Any]

_TEXTS: dict[type, Callable[[str], Any]] = {
    datetime.datetime: lambda s: datetime.datetime.fromisoformat(s.replace("Z", "+00:00")),
    datetime.date: datetime.date.fromisoformat,
    datetime.time: datetime.time.fromisoformat,
    uuid.UUID: uuid.UUID,
    decimal.Decimal: decimal.Decimal,
}
_LISTS: dict[Any, Callable[[Any], Any]] = {
    list: list, tuple: tuple, set: set, frozenset: frozenset,
    collections.abc.Sequence: list, collections.abc.Iterable: list, collections.abc.Collection: list,
    collections.abc.Set: frozenset,
}  # fmt: skip
_DICTS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)


def hints(fn: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a function, resolved; none where they can't be."""
    fn = inspect.unwrap(fn)
    local: dict[str, Any] = {}
    if getattr(fn, "__closure__", None):
        for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or ()):
            try:
                local[name] = cell.cell_contents
            except ValueError:
                continue
    try:
        return typing.get_type_hints(fn, localns=local or None)
    except Exception:
        return {}


def decoder(hint: Any) -> Decoder | None:
    """What turns JSON into what an annotation says, or None where there is nothing to do."""
    try:
        return _decoder(hint)
    except TypeError:  # not hashable
        return _make(hint)


@lru_cache(maxsize=1024)
def _decoder(hint: Any) -> Decoder | None:
    return _make(hint)


def _make(hint: Any) -> Decoder | None:
    origin = typing.get_origin(hint)
    arguments = typing.get_args(hint)
    if origin is typing.Annotated:
        return decoder(arguments[0])
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if origin is collections.abc.Awaitable or origin is collections.abc.Coroutine:
        return decoder(arguments[-1])
    if origin is not None:
        return _container(origin, arguments)
    if not isinstance(hint, type):
        return None
    if hint in _LISTS:
        return _container(hint, ())
    if issubclass(hint, enum.Enum):
        return _checked(hint, hint)
    for base, read in _TEXTS.items():
        if hint is base:
            return _text(hint, read)
    if issubclass(hint, pathlib.PurePath):
        return _text(hint, hint)
    if hint in (bytes, bytearray):
        return _checked(hint, lambda v: hint(base64.b64decode(v["$bytes"])))
    if hint is datetime.timedelta:
        return _checked(hint, lambda v: datetime.timedelta(seconds=v))
    if callable(validate := getattr(hint, "model_validate", None)):  # Pydantic
        return _checked(hint, validate)
    if dataclasses.is_dataclass(hint):
        return _object(hint, {f.name for f in dataclasses.fields(hint) if f.init})
    if issubclass(hint, tuple) and hasattr(hint, "_fields"):
        return _object(hint, set(hint._fields))
    if typing.is_typeddict(hint):
        return _typed_dict(hint)
    return None


def _checked(hint: Any, read: Decoder) -> Decoder:
    """A reader that passes instances and names the type in its errors."""
    name = getattr(hint, "__qualname__", str(hint))

    def decode(v: Any) -> Any:
        if isinstance(v, hint):
            return v
        try:
            return read(v)
        except DecodingError:
            raise
        except Exception as error:
            raise DecodingError(f"{_short(v)} is no {name}: {error}") from error

    return decode


def _text(hint: type, read: Callable[[str], Any]) -> Decoder:
    def decode(v: Any) -> Any:
        if not isinstance(v, str):
            raise DecodingError(f"{_short(v)} is no {hint.__name__}")
        return read(v)

    return _checked(hint, decode)


def _object(hint: Any, names: set[str]) -> Decoder:
    members: dict[str, Decoder] = {}
    ready = False

    def prepare() -> None:  # when first used: the type may contain itself
        nonlocal ready
        for name, member in class_hints(hint).items():
            if name in names and (read := decoder(member)) is not None:
                members[name] = read
        ready = True

    def decode(v: Any) -> Any:
        if not isinstance(v, dict):
            raise DecodingError(f"{_short(v)} is no {hint.__qualname__}")
        if not ready:
            prepare()
        given = {name: v[name] for name in names if name in v}
        for name, read in members.items():
            if name in given:
                given[name] = _at(f".{name}", read, given[name])
        return hint(**given)

    return _checked(hint, decode)


def _typed_dict(hint: Any) -> Decoder | None:
    members = {name: read for name, member in class_hints(hint).items() if (read := decoder(member)) is not None}
    if not members:
        return None

    def decode(v: Any) -> Any:
        if not isinstance(v, dict):
            raise DecodingError(f"{_short(v)} is no {hint.__qualname__}")
        return {name: _at(f".{name}", members[name], m) if name in members else m for name, m in v.items()}

    return decode


def class_hints(hint: Any) -> dict[str, Any]:
    """The annotations of a class; required and optional members of a TypedDict alike."""
    try:
        found = typing.get_type_hints(hint)
    except Exception:
        return {}
    for name, member in found.items():
        if str(typing.get_origin(member)).endswith(("Required", "NotRequired", "ReadOnly")):
            found[name] = typing.get_args(member)[0]
    return found


def _union(arguments: tuple[Any, ...]) -> Decoder | None:
    """The first alternative that the value can be read as, JSON's own types last."""
    readers = [read for a in arguments if a is not type(None) and (read := decoder(a)) is not None]
    if not readers:
        return None
    own = any(a is not type(None) and decoder(a) is None for a in arguments)

    def decode(v: Any) -> Any:
        if v is None:
            return None
        wrong: DecodingError | None = None
        for read in readers:
            try:
                return read(v)
            except DecodingError as error:
                wrong = error
        if own or wrong is None:
            return v
        raise wrong

    return decode


def _container(origin: Any, arguments: tuple[Any, ...]) -> Decoder | None:
    if origin in _DICTS:
        read = decoder(arguments[1]) if len(arguments) == 2 else None
        if read is None:
            return None
        each: Decoder = read
        return lambda v: {key: _at(f"[{key!r}]", each, m) for key, m in v.items()} if isinstance(v, dict) else v
    make = _LISTS.get(origin)
    if make is None:
        return None
    if origin is tuple and arguments and arguments[-1] is not ...:
        readers = [decoder(a) for a in arguments]
        return lambda v: (
            tuple(_at(f"[{i}]", r, e) if r else e for i, (r, e) in enumerate(zip(readers, v)))
            if isinstance(v, list) and len(v) == len(readers)
            else v
        )
    read = decoder(arguments[0]) if arguments else None
    if read is None:
        return None if make is list else lambda v: make(v) if isinstance(v, list) else v
    return lambda v: make(_at(f"[{i}]", read, e) for i, e in enumerate(v)) if isinstance(v, list) else v


def _at(where: str, read: Decoder, v: Any) -> Any:
    try:
        return read(v)
    except DecodingError as error:
        raise DecodingError(f"at {where}: {error}") from error


def _short(v: Any) -> str:
    text = repr(v)
    return text if len(text) <= 80 else text[:77] + "..."
