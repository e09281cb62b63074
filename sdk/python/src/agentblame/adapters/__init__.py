"""Adapters: what other frameworks build, as programs whose steps agentblame replays.

Each adapter is a module of its own and imports its framework; this package imports
none. See docs/python-frameworks.md.
"""

from .variant import Variant

__all__ = ["Variant"]
