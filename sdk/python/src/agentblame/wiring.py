"""Signatures: what a function takes, and how inputs get to its parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from .decode import Decoder, decoder, hints
from .errors import DecodingError, UsageError

SPECIAL = ("noise", "case")
"""Parameters that are no inputs."""

_KEYWORD = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Signature:
    """The parameters of a function, as steps and metrics use them."""

    def __init__(self, fn: Callable[..., Any], what: str) -> None:
        self.fn = fn
        try:
            self._signature = inspect.signature(fn)
        except (TypeError, ValueError) as error:
            raise UsageError(f"{what}: its parameters aren't known: {error}") from None
        parameters = self._signature.parameters
        self.noise = "noise" in parameters
        self.case = "case" in parameters
        self.names = [n for n, p in parameters.items() if n not in SPECIAL and p.kind in _KEYWORD]
        """The parameters that are inputs."""
        self._known = frozenset(self.names) | {n for n in SPECIAL if n in parameters}
        self._positional = [n for n, p in parameters.items() if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
        self.required = [n for n in self.names if parameters[n].default is inspect.Parameter.empty]
        self.rest = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
        """It takes inputs by any name."""
        self.asynchronous = inspect.iscoroutinefunction(inspect.unwrap(fn)) or inspect.iscoroutinefunction(
            getattr(fn, "__call__", None)
        )
        for name, p in parameters.items():
            if p.kind is inspect.Parameter.POSITIONAL_ONLY:
                raise UsageError(f"{what}: its parameter {name} can't be given by name, as inputs are")
        self.annotated: set[str] = set()
        """The annotated parameters, and "return"; known with the decoders."""
        self._decoders: dict[str, Decoder] | None = None
        self._returns: Decoder | None = None

    def _learn(self) -> None:
        """Reads the annotations: late, since they may name what is defined later."""
        found = hints(self.fn)
        self.annotated = set(found)
        self._decoders = {n: d for n in self.names if n in found and (d := decoder(found[n])) is not None}
        self._returns = decoder(found["return"]) if "return" in found else None

    @property
    def decoders(self) -> dict[str, Decoder]:
        """What turns JSON into what parameters are annotated with."""
        if self._decoders is None:
            self._learn()
        return self._decoders  # type: ignore[return-value]

    @property
    def returns(self) -> Decoder | None:
        """What turns JSON into what the function is annotated to return."""
        if self._decoders is None:
            self._learn()
        return self._returns

    def given(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> set[str]:
        """The parameters that a call gives."""
        return {*self._positional[: len(args)], *kwargs}

    def bind(self, what: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The inputs of a call by name, without noise and case."""
        inputs = dict(zip(self._positional, args))
        if len(inputs) == len(args) and inputs.keys().isdisjoint(kwargs):
            inputs.update(kwargs)
            if self._known.issuperset(inputs) or self.rest:
                for name in SPECIAL:
                    inputs.pop(name, None)
                if all(n in inputs for n in self.required):
                    return inputs
        partial = self._signature.bind_partial(*args, **kwargs)
        missing = [n for n in self.required if n not in partial.arguments]
        if missing:
            raise TypeError(f"{what} lacks the argument {missing[0]!r}")
        inputs = {}
        for name, value in partial.arguments.items():
            kind = self._signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_KEYWORD:
                inputs.update(value)
            elif kind is inspect.Parameter.VAR_POSITIONAL:
                raise UsageError(f"{what} was called with arguments that have no name")
            elif name not in SPECIAL:
                inputs[name] = value
        return inputs

    def arguments(self, what: str, inputs: Mapping[str, Any], decoders: Mapping[str, Decoder]) -> dict[str, Any]:
        """The arguments for inputs that are JSON; what the function doesn't take is left out."""
        out = {n: v for n, v in inputs.items() if n in self.names or (self.rest and n not in SPECIAL)}
        for name in self.required:
            if name not in out:
                raise UsageError(f"{what} takes {name}, which it is not given; it is given {listed(inputs)}")
        for name, decode in decoders.items():
            if name in out:
                try:
                    out[name] = decode(out[name])
                except DecodingError as error:
                    raise DecodingError(f"{what} can't take its input {name}: {error}") from error
        return out


def listed(names: Any) -> str:
    """Names for a message."""
    return ", ".join(map(str, names)) or "nothing"


def identifier(name: str) -> str:
    """The parameter that a name is wired to: the name with other characters as underscores."""
    return re.sub(r"\W", "_", name)
