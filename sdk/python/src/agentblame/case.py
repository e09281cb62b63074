"""Cases: what a pipeline is tried on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Case:
    """One input to a pipeline, with what is expected of it.

    :param id: names the case in results; unique in a batch
    :param inputs: the pipeline's inputs by name
    :param expected: what the metric compares with, in any form
    :param seed: of the case's factual noise, below 2**53; default: derived from the analysis' seed and the id
    :param gold: known-good outputs by step or input, for gold variants
    :param recording: what a production run did, by call: ``{"writer#2": {"inputs": …, "output": …, "draws": …}}``
    :param tags: labels of your own
    """

    id: str
    inputs: dict[str, Any] = field(default_factory=dict)
    expected: Any = None
    seed: int | None = None
    gold: dict[str, Any] = field(default_factory=dict)
    recording: dict[str, dict[str, Any]] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, given: dict[str, Any]) -> Case:
        """A case from its JSON form, which a line of a case file is."""
        known = {name: given[name] for name in cls.__dataclass_fields__ if given.get(name) is not None}
        return cls(**{"id": "", **known})

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, without what is not set."""
        out: dict[str, Any] = {"id": self.id, "inputs": self.inputs}
        for name in ("expected", "seed", "gold", "recording", "tags"):
            value = getattr(self, name)
            if value is not None and value != {}:
                out[name] = value
        return out
