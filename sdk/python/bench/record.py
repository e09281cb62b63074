"""What recording costs a step, in microseconds.

    python bench/record.py
"""

import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "src"))
from agentblame import flush, program, step  # noqa: E402

TEXT = "You can return it within thirty days of delivery. " * 4


@step("retriever")
def retriever(query: str, k: int):
    return {"documents": [{"id": f"d{i}", "score": 0.5, "text": TEXT} for i in range(k)], "query": query}


@step("chooser")
def chooser(found, noise):
    return noise.categorical("pick", {"a": 0.3, "b": 0.1, "c": 0.5})


@step("trivial")
def trivial(n):
    return n


def many(one):
    @program(metric=lambda out: True)
    def run(n):
        for _ in range(n):
            one()

    return run


def measure(one, n=20, repeat=200):
    """Microseconds a step, with the run's own share: the best of some rounds."""
    run = many(one)
    best = float("inf")
    for _ in range(10):
        begun = time.perf_counter()
        for _ in range(repeat):
            run(n)
        best = min(best, time.perf_counter() - begun)
        flush()
    return 1e6 * best / n / repeat


CALLS = {
    "trivial": lambda: trivial(7),
    "retriever, 5 documents of 200 characters": lambda: retriever("how long", 5),
    "chooser, a draw of 3 options": lambda: chooser({"id": "d1"}),
}

for name, one in CALLS.items():
    os.environ.pop("AGENTBLAME_RECORD", None)
    plain = measure(one)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["AGENTBLAME_RECORD"] = folder
        recorded = measure(one)
    print(f"{name}: {plain:.1f} us plain, {recorded:.1f} us recorded: recording costs {recorded - plain:.1f} us a step")
