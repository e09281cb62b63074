"""Versions of functions: texts that change when the code does.

A version is a digest of the function's source, of what it refers to at the top level
of its module (helpers, classes, prompts), of its defaults, and of the numbers,
strings and functions that it closes over. Comments, the layout and decorators don't
count. Other modules don't either: give ``version=`` where those matter.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
import types
from collections.abc import Callable
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any


def version_of(fn: Callable[..., Any]) -> str:
    """The version of a function: 16 hexadecimal digits, equal in every process."""
    return sha256("\0".join(_parts(fn, set())).encode("utf-8", "replace")).hexdigest()[:16]


def _parts(fn: Any, seen: set[int]) -> list[str]:
    """The texts that a function's version is made of."""
    if id(fn) in seen:
        return []
    seen.add(id(fn))
    if isinstance(fn, partial):
        bound = [_value(a, seen) for a in (*fn.args, *sorted(fn.keywords.items()))]
        return [*_parts(fn.func, seen), *bound]
    if isinstance(fn, types.MethodType):
        return [_value(fn.__self__, seen), *_parts(fn.__func__, seen)]
    fn = inspect.unwrap(fn)
    code = getattr(fn, "__code__", None)
    if code is None:
        kind = fn if hasattr(fn, "__qualname__") else type(fn)
        call = getattr(kind, "__call__", None)
        name = f"{kind.__module__}.{kind.__qualname__}"
        return [name, *(_parts(call, seen) if isinstance(call, types.FunctionType) else [])]
    node = _source(fn)
    parts = [_bytecode(code) if node is None else ast.unparse(node)]
    parts += [_value(d, seen) for d in fn.__defaults__ or ()]
    parts += [_value(d, seen) for d in sorted((fn.__kwdefaults__ or {}).items())]
    for name, cell in zip(code.co_freevars, fn.__closure__ or ()):
        try:
            parts.append(f"{name}={_value(cell.cell_contents, seen)}")
        except ValueError:  # not set yet
            parts.append(name)
    if node is not None:
        parts += _referred(node, fn.__module__)
    return parts


def _value(v: Any, seen: set[int]) -> str:
    """A text for what a function holds; of what is neither simple nor a function, its type."""
    if v is None or isinstance(v, (bool, int, float, complex, str, bytes)):
        return repr(v)
    if isinstance(v, (tuple, list)):
        return f"[{','.join(_value(e, seen) for e in v)}]"
    if isinstance(v, (set, frozenset)):
        return f"{{{','.join(sorted(_value(e, seen) for e in v))}}}"
    if isinstance(v, dict):
        return f"{{{','.join(f'{_value(k, seen)}:{_value(e, seen)}' for k, e in v.items())}}}"
    if isinstance(v, (types.FunctionType, types.MethodType, partial)):
        return "\0".join(_parts(v, seen))
    return f"{type(v).__module__}.{type(v).__qualname__}"


def _source(fn: Any) -> ast.AST | None:
    """The function's definition, without decorators and docstring; None where it can't be had."""
    if fn.__name__ == "<lambda>":
        return _lambda(fn)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(fn)))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return None
    node = tree.body[0]
    return _bare(node) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def _lambda(fn: Any) -> ast.AST | None:
    """A lambda's expression, where the line that it stands on has one lambda only."""
    try:
        text = textwrap.dedent(inspect.getsource(fn)).strip().lstrip("@.")
        tree = ast.parse(text.rstrip(","))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return None
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    return found[0] if len(found) == 1 else None


def _bare(node: ast.AST) -> ast.AST:
    """A definition without decorators and docstring."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        node.decorator_list = []
        if len(node.body) > 1 and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return node


def _bytecode(code: types.CodeType) -> str:
    """A text for compiled code."""
    constants = []
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            constants.append(_bytecode(c))
        else:
            constants.append(_value(c, set()))
    return repr((sha256(code.co_code).hexdigest(), code.co_names, code.co_varnames, constants))


@lru_cache(maxsize=256)
def _top_level(module: str) -> dict[str, ast.AST]:
    """What a module defines at its top level, by name."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError, SyntaxError):
        return {}
    found: dict[str, ast.AST] = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found[node.name] = _bare(node)
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            for name in ast.walk(target) if target is not None else ():
                if isinstance(name, ast.Name):
                    found[name.id] = node
    return found


def _referred(node: ast.AST, module: str) -> list[str]:
    """The texts of what a definition refers to in its module, and what that refers to."""
    top = _top_level(module)
    seen: set[str] = set()
    texts: list[str] = []
    todo: list[ast.AST] = [node]
    while todo:
        for part in ast.walk(todo.pop()):
            if isinstance(part, ast.Name) and part.id in top and part.id not in seen:
                seen.add(part.id)
                texts.append(ast.unparse(top[part.id]))
                todo.append(top[part.id])
    return sorted(texts)
