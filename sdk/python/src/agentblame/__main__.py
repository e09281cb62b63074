"""``python -m agentblame my_app:pipeline`` serves any pipeline or program of a module."""

from __future__ import annotations

import argparse
import importlib
import os
import sys

from .pipeline import Served
from .serve import serve, take_streams


def main() -> None:
    """Reads the command line and serves."""
    parser = argparse.ArgumentParser(
        prog="python -m agentblame",
        description="Serves a pipeline or program to agentblame: "
        'agentblame blame --host "python -m agentblame my_app:pipeline" --cases cases.jsonl',
    )
    parser.add_argument("object", metavar="module:object", help="a Pipeline or a program of an importable module")
    parser.add_argument("--http", metavar="HOST:PORT", help="serve by HTTP, instead of standard input and output")
    parser.add_argument("--in-flight", type=int, metavar="N", help="requests at once (default 64)")
    given = parser.parse_args()
    if given.http is None and not (sys.stdin is not None and sys.stdin.isatty()):
        take_streams()  # before the module can print anything
    sys.path.insert(0, os.getcwd())
    serve(load(given.object), http=given.http, in_flight=given.in_flight)


def load(name: str) -> Served:
    """The object of ``module:object``."""
    module, _, path = name.partition(":")
    found = importlib.import_module(module)
    if not path:
        every = {id(v): n for n, v in vars(found).items() if isinstance(v, Served)}
        if len(every) != 1:
            names = ", ".join(f"{module}:{n}" for n in every.values()) or "none"
            sys.exit(f"agentblame: say which of {module}'s pipelines: {names}")
        path = next(iter(every.values()))
    at: object = found
    for part in path.split("."):
        if not hasattr(at, part):
            sys.exit(f"agentblame: {module} has no {path}")
        at = getattr(at, part)
    if not isinstance(at, Served):
        sys.exit(f"agentblame: {name} is a {type(at).__name__}, which is neither a Pipeline nor a program")
    return at


if __name__ == "__main__":
    main()
