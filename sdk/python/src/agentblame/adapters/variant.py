"""Variants of steps that a framework's objects are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..errors import UsageError
from ..step import Step


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


def _read_key(options: Mapping[str, Any], read: Callable[[Any], Any]) -> dict[str, Any]:
    """A step's options, with a key that gets the step's output as it was before it was written as JSON."""
    out = dict(options)
    if (key := out.get("key")) is not None:
        out["key"] = lambda output: key(read(output))
    return out


def _variant_options(given: Variant, step: Mapping[str, Any], seen: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
    """A variant's options.

    :param step: the options that its step is given
    :param seen: gives what is seen of what the variant is made of; what its step says of ``deterministic`` goes before
    """
    own = seen(given.what)
    if "deterministic" in step:
        own.pop("deterministic", None)
    return own | given.options


def step_of(
    name: str,
    as_run: Any,
    variants: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    function: Callable[[Any], Callable[..., Any]],
    seen: Callable[[Any], dict[str, Any]],
    change: Callable[[str, Any], Any] = lambda name, given: given,
    read: Callable[[Any], Any] = lambda output: output,
) -> Step[Any, Any]:
    """A step with its variants, of what they are made of in their framework.

    :param options: of the step; they go before what is seen of ``as_run``
    :param function: gives what runs of one that is made of something are
    :param seen: gives the options that something suggests
    :param change: gives what a variant is made of, by its name and what is given for it
    :param read: makes what a key is given of an output that is JSON
    """
    step: Step[Any, Any] = Step(name, function(as_run), **{**seen(as_run), **_read_key(options, read)})
    for variant, given in variants.items():
        other = Variant.of(given)
        changed = Variant(change(variant, other.what), **other.options)
        step.variant(variant, function(changed.what), **_variant_options(changed, options, seen))
    return step
