"""The benchmark's steps with the Python SDK."""

import time

from agentblame import Steps, serve, step


@step
def trivial(text):
    return text


@step
def slow(text):
    time.sleep(0.1)
    return text


serve(Steps([trivial, slow], name="bench"))
