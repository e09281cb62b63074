"""Variants of steps that a framework's objects are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..errors import UsageError


class Variant:
    """What to try in a step's place, with options of its own.

    :param what: what the step is made of in its framework: a function, a runnable …
    :param options: ``cost``, ``deterministic``, ``timeout``, ``retries`` and ``version``, as for a step;
        what is left out is the step's
    """

    def __init__(self, what: Any, **options: Any) -> None:
        self.what, self.options = what, options

    @staticmethod
    def of(given: Any) -> Variant:
        """The variant that is given, with or without options."""
        return given if isinstance(given, Variant) else Variant(given)


def check_names(what: str, kind: str, names: Iterable[str], *given: Mapping[str, Any]) -> None:
    """Raises a UsageError if one of the given mappings names a step that there isn't.

    :param what: names the program in the error
    :param kind: what its steps are called in their framework
    """
    known = list(names)
    for name in (n for mapping in given for n in mapping):
        if name not in known:
            raise UsageError(f"{what} has no {kind} {name}: it has {', '.join(known)}")


def read_key(options: Mapping[str, Any], read: Callable[[Any], Any]) -> dict[str, Any]:
    """A step's options, with a key that gets the step's output as it was before it was written as JSON."""
    out = dict(options)
    if (key := out.get("key")) is not None:
        out["key"] = lambda output: key(read(output))
    return out


def variant_options(given: Variant, step: Mapping[str, Any], seen: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """A variant's options.

    :param step: the options that its step is given
    :param seen: gives what is seen of what the variant is made of; what its step says of ``deterministic`` goes before
    """
    own = seen(given.what)
    if "deterministic" in step:
        own.pop("deterministic", None)
    return own | given.options
