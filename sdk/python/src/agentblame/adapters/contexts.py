"""What tools are given of a run besides their arguments, and leave changed."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any


def become(thing: Any, now: Any) -> None:
    """Makes a dict, a dataclass's or a model's instance what another one is."""
    if isinstance(thing, dict) and isinstance(now, dict):
        thing.clear()
        thing.update(now)
    elif type(thing) is type(now) and (is_dataclass(thing) or hasattr(thing, "model_fields_set")):
        for name, value in vars(now).items():
            object.__setattr__(thing, name, value)  # frozen ones have not changed
