"""Addressed randomness: every draw is a function of its address alone.

The numbers are those of the Go package and of every other port, to the last bit;
docs/noise.md is the specification. A step takes its run's noise as the parameter
``noise``::

    @step("retriever")
    def retriever(planner, noise):
        return noise.categorical("doc", {"gold": 1.0, "stale": 1.3})
"""

from .draw import Draw, NoiseError
from .source import Noise

__all__ = ["Draw", "Noise", "NoiseError"]
