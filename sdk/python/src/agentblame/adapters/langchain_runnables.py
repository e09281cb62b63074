"""What runnables are made of: their versions, and the models and classes in them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from hashlib import sha256
from types import FunctionType, MethodType
from typing import Any

from langchain_core.language_models import BaseLanguageModel
from langchain_core.load.serializable import Serializable
from langchain_core.runnables import Runnable, RunnableGenerator
from pydantic import BaseModel, SecretStr

from ..version import version_of
from .codec import classes_of

_DEEPEST = 20


def runnable_version(runnable: Any) -> str:
    """The version of a runnable: 16 hexadecimal digits, equal in every process.

    It is made of the functions, prompts, tools and models in it, with their settings.
    """
    return sha256(_text(runnable, set()).encode("utf-8", "replace")).hexdigest()[:16]


def uses_model(runnable: Any) -> bool:
    """Whether there is a language model in a runnable, or among what its functions refer to."""
    found: list[bool] = []
    seen: set[int] = set()

    def look(value: Any, depth: int) -> None:
        if found or depth > _DEEPEST or id(value) in seen:
            return
        if isinstance(value, BaseLanguageModel):
            found.append(True)
        elif isinstance(value, (Runnable, BaseModel, dict, list, tuple)):
            seen.add(id(value))
            for part in _parts(value).values():
                look(part, depth + 1)
        elif isinstance(value, FunctionType):
            seen.add(id(value))
            for part in _referred(value):
                look(part, depth + 1)
        elif isinstance(value, MethodType):
            look(value.__func__, depth + 1)
            look(getattr(value.__self__, "__dict__", None), depth + 1)

    look(runnable, 0)
    return bool(found)


def _referred(fn: FunctionType) -> list[Any]:
    """What a function's names stand for."""
    fn = inspect.unwrap(fn)
    try:
        names = inspect.getclosurevars(fn)
    except (TypeError, ValueError):  # no function of Python's, or a name that isn't set yet
        return []
    own = [v for v in names.globals.values() if not isinstance(v, FunctionType) or v.__module__ == fn.__module__]
    return [*names.nonlocals.values(), *own]


def _text(value: Any, seen: set[int]) -> str:
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value)
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, SecretStr) or id(value) in seen:
        return kind
    seen.add(id(value))
    if isinstance(value, (set, frozenset)):
        return f"{kind}({','.join(sorted(_text(v, seen) for v in value))})"
    if isinstance(value, (Runnable, BaseModel, Mapping, list, tuple)):
        return f"{kind}({','.join(f'{name}={_text(part, seen)}' for name, part in _parts(value).items())})"
    if callable(value) and hasattr(value, "__qualname__"):
        fn = getattr(value, "__func__", value)
        held = _referred(fn) if isinstance(fn, FunctionType) else []
        return ",".join([version_of(value), *(_text(v, seen) for v in held if isinstance(v, (Runnable, BaseModel)))])
    return kind


def _parts(value: Any) -> Mapping[Any, Any]:
    """What a runnable, a model or a collection is made of, by name."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, (list, tuple)):
        return dict(enumerate(value))
    if isinstance(value, BaseModel):
        return {name: getattr(value, name, None) for name in type(value).model_fields}
    if (builder := getattr(value, "builder", None)) is not None:  # a graph of LangGraph
        return {
            "nodes": {name: node.runnable for name, node in builder.nodes.items()},
            "edges": sorted(map(repr, builder.edges)),
            "branches": {start: {n: b.path for n, b in found.items()} for start, found in builder.branches.items()},
        }
    return {name: part for name in ("func", "afunc", "steps", "tools_by_name") if (part := _own(value, name))}


def _own(runnable: Any, name: str) -> Any:
    """A part of a runnable that is no model; its async function only where it has no other."""
    if name == "afunc" and getattr(runnable, "func", None) is not None:
        return None
    return getattr(runnable, name, None)


def only_async(runnable: Any) -> bool:
    """Whether a runnable, or one that it is composed of, can't be invoked but by ainvoke."""
    seen: set[int] = set()

    def look(value: Any) -> bool:
        if id(value) in seen or not isinstance(value, (Runnable, Mapping, list, tuple)):
            return False
        seen.add(id(value))
        if isinstance(value, Runnable):
            if hasattr(value, "afunc") or hasattr(value, "func"):
                if getattr(value, "func", None) is None:
                    return True
            elif hasattr(value, "_atransform") and isinstance(value, RunnableGenerator):
                return not hasattr(value, "_transform")
        return any(map(look, _parts(value).values()))

    return look(runnable)


def seen_of(runnable: Any) -> dict[str, Any]:
    """What is seen of a runnable, as options of a step: its version, and whether a model makes it random."""
    version = {"version": runnable_version(runnable)}
    return {**version, "deterministic": False} if uses_model(runnable) else version


def classes_in(value: Any) -> list[type]:
    """The dataclasses and models that runnables take and give, by their annotations and parsers."""
    found: dict[type, None] = {}

    def look(value: Any, depth: int) -> None:
        if depth > _DEEPEST:
            return
        if not isinstance(value, (Runnable, BaseModel, Mapping, list, tuple)) or isinstance(value, type):
            found.update(dict.fromkeys(c for c in classes_of(value) if not issubclass(c, Serializable)))
            return
        for part in _parts(value).values():
            look(part, depth + 1)
        for name in ("InputType", "OutputType"):
            try:
                look(getattr(value, name, None), depth + 1)
            except TypeError:  # it can't be inferred
                continue

    look(value, 0)
    return list(found)
