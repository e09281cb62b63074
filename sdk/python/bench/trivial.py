"""A host for benchmarks, whose steps do nothing to speak of.

    go run ./bench/host -command "python3 sdk/python/bench/trivial.py"
"""

import time

from agentblame import Steps, serve, step


@step
def trivial(text):
    return text


@step
def draw(text, noise):
    return noise.categorical("pick", {"a": 0, "b": 0.5})


@step
def slow(text):
    time.sleep(0.1)
    return text


serve(Steps([trivial, draw, slow], name="bench"))
