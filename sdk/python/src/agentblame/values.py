"""Values as JSON, by documented rules (docs/python.md#values)."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import enum
import json
import math
import os
import uuid
from collections.abc import Callable, Mapping
from json import encoder as json_encoder
from typing import Any

from .errors import EncodingError

DEEPEST = 200
"""How many levels a value may have."""

_SIMPLE = frozenset({str, int, bool, type(None)})
_quote = json_encoder.encode_basestring


def _writer() -> Callable[[Any], str]:
    """What writes plain values. JSONEncoder.encode makes such a writer for each call."""
    encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
    make: Any = getattr(json_encoder, "c_make_encoder", None)
    if make is None:
        return encoder.encode
    write = make(None, encoder.default, _quote, None, ":", ",", False, False, False)
    return lambda value: "".join(write(value, 0))


_dumps = _writer()


def encode(value: Any, what: str) -> str:
    """The JSON text of a value.

    :param what: names the value in errors, as in "the output of step writer"
    :raises EncodingError: if it has none, naming the field
    """
    kind = type(value)
    if kind is str:
        return _checked(_quote(value), what)
    if kind is int or kind is bool or value is None:
        return _dumps(value)
    return _checked(_dumps(plain(value, what)), what)


def encode_plain(value: Any, what: str) -> str:
    """The same for a value that is plain already."""
    return _checked(_dumps(value), what)


def _checked(text: str, what: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise EncodingError(f"{what} can't be written as JSON: it has half a surrogate pair") from None
    return text


def plain(value: Any, what: str) -> Any:
    """The value as strings, numbers, booleans, None, lists and dicts with string keys.

    What is plain already is returned as it is.
    """
    path = _Path(what)
    try:
        return _plain(value, path, 0)
    except RecursionError:
        raise path.fail("it has too many levels") from None


class _Path:
    """Where in a value its conversion is."""

    __slots__ = ("open", "steps", "what")

    def __init__(self, what: str) -> None:
        self.what = what
        self.steps: list[str] = []
        self.open: set[int] = set()

    def fail(self, why: str) -> EncodingError:
        at = "".join(self.steps)
        if len(at) > 200:
            at = "…" + at[-200:]
        return EncodingError(f"{self.what} can't be written as JSON: {f'at {at}, ' if at else ''}{why}")


def _plain(v: Any, path: _Path, depth: int) -> Any:
    kind = type(v)
    if kind in _SIMPLE:
        return v
    if kind is float:
        if not math.isfinite(v):
            raise path.fail(f"the value is {v}")
        return v
    if kind is dict or kind is list or kind is tuple:
        if depth > DEEPEST:
            raise path.fail(f"it has more than {DEEPEST} levels")
        if id(v) in path.open:
            raise path.fail("the value contains itself")
        path.open.add(id(v))
        try:
            return _members(v, path, depth) if kind is dict else _elements(v, path, depth)
        finally:
            path.open.discard(id(v))
    converted = _convert(v, path)
    if depth > DEEPEST:
        raise path.fail(f"it has more than {DEEPEST} levels, or contains itself")
    if converted is v:
        return v
    if id(v) in path.open:
        raise path.fail("the value contains itself")
    path.open.add(id(v))
    try:
        return _plain(converted, path, depth + 1)
    finally:
        path.open.discard(id(v))


def _members(v: dict[Any, Any], path: _Path, depth: int) -> dict[str, Any]:
    if any(type(key) is not str for key in v):
        v = _keyed(v, path)
    out: dict[str, Any] | None = None
    for key, member in v.items():
        kind = type(member)
        if kind in _SIMPLE:
            continue
        path.steps.append(f".{key}" if key.isidentifier() else f"[{key!r}]")
        new = _plain(member, path, depth + 1)
        path.steps.pop()
        if new is not member:
            if out is None:
                out = dict(v)
            out[key] = new
    return v if out is None else out


def _keyed(v: dict[Any, Any], path: _Path) -> dict[str, Any]:
    """A dict with the keys of enums and subclasses of str as strings; others are errors."""
    out: dict[str, Any] = {}
    for key, member in v.items():
        name = key.value if isinstance(key, enum.Enum) else key
        if not isinstance(name, str):
            raise path.fail(f"a key is {key!r}, which is no string")
        name = str.__str__(name)
        if name in out:
            raise path.fail(f"two keys are {name!r}")
        out[name] = member
    return out


def _elements(v: Any, path: _Path, depth: int) -> Any:
    out: list[Any] | None = None
    for i, element in enumerate(v):
        if type(element) in _SIMPLE:
            continue
        path.steps.append(f"[{i}]")
        new = _plain(element, path, depth + 1)
        path.steps.pop()
        if new is not element:
            if out is None:
                out = list(v)
            out[i] = new
    return v if out is None else out


def _convert(v: Any, path: _Path) -> Any:
    """One step from what JSON doesn't have to what it has."""
    if isinstance(v, enum.Enum):
        return v.value
    if isinstance(v, str):
        return str.__str__(v)
    if isinstance(v, int):
        return int(v)
    if isinstance(v, float):
        return float(v)
    if isinstance(v, (datetime.datetime, datetime.date, datetime.time)):
        return v.isoformat()
    if isinstance(v, datetime.timedelta):
        return v.total_seconds()
    if isinstance(v, decimal.Decimal):
        if not v.is_finite():
            raise path.fail(f"the value is {v}")
        return str(v)
    if isinstance(v, uuid.UUID):
        return str(v)
    if isinstance(v, os.PathLike):
        return os.fspath(v)
    if isinstance(v, (bytes, bytearray, memoryview)):
        return {"$bytes": base64.b64encode(v).decode()}
    if isinstance(v, type):
        raise path.fail(f"the value is the class {v.__qualname__}")
    if dataclasses.is_dataclass(v):
        return {f.name: getattr(v, f.name) for f in dataclasses.fields(v)}
    if isinstance(v, Mapping):
        return dict(v)
    if isinstance(v, tuple) and hasattr(v, "_fields"):
        return dict(zip(v._fields, tuple.__iter__(v)))
    if isinstance(v, (list, tuple)):
        return list(v)
    if isinstance(v, (set, frozenset)):
        return _ordered(v, path)
    if callable(dump := getattr(v, "model_dump", None)):  # Pydantic
        return dump(mode="json")
    if callable(to_list := getattr(v, "tolist", None)) and hasattr(v, "dtype"):  # NumPy and its kin
        return to_list()
    raise path.fail(f"the value is a {type(v).__module__}.{type(v).__qualname__}")


def _ordered(v: Any, path: _Path) -> list[Any]:
    """The elements of a set in the order of their JSON text, since sets have none of their own."""
    out = [_plain(element, path, 0) for element in v]
    return sorted(out, key=lambda e: (not isinstance(e, (int, float)), e if isinstance(e, (int, float)) else _dumps(e)))
