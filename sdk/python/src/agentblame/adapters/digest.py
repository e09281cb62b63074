"""Versions of what frameworks build: digests of functions, settings, prompts and models."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from hashlib import sha256
from types import FunctionType, MethodType
from typing import Any

from ..version import version_of
from .codec import members

_SECRET = re.compile(r"api_?key|secret|password|credential|headers", re.IGNORECASE)


def digest_of(*parts: Any) -> str:
    """A version made of values: 16 hexadecimal digits, equal in every process.

    Of objects that are neither collections nor have fields, only their class counts;
    what looks like a secret doesn't count at all.
    """
    return sha256("\0".join(_text(p, []) for p in parts).encode("utf-8", "replace")).hexdigest()[:16]


def _text(value: Any, inside: list[int]) -> str:
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, enum.Enum)):
        return repr(value)
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}{_text(_schema(value), inside)}"
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if id(value) in inside or kind.endswith((".SecretStr", ".SecretBytes")):
        return kind
    inside = [*inside, id(value)]
    if isinstance(value, (FunctionType, MethodType)):
        return version_of(value)
    if isinstance(value, (set, frozenset)):
        return f"{kind}({','.join(sorted(_text(v, inside) for v in value))})"
    if isinstance(value, (list, tuple)):
        return f"[{','.join(_text(v, inside) for v in value)}]"
    parts = value if isinstance(value, Mapping) else members(value)
    if parts is not None:
        shown = [f"{k}={_text(v, inside)}" for k, v in parts.items() if not _SECRET.search(str(k))]
        return f"{kind}({','.join(shown)})"
    return version_of(value) if callable(value) else kind


def _schema(cls: type) -> Any:
    """The JSON schema of a Pydantic model; of other classes the names of their fields."""
    schema = getattr(cls, "model_json_schema", None)
    return schema() if callable(schema) else list(getattr(cls, "__annotations__", {}))
