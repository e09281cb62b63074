"""Versions of what frameworks build."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

from pydantic import BaseModel, SecretStr

from agentblame.adapters.digest import digest_of


@dataclasses.dataclass
class Settings:
    temperature: float = 0.0
    api_key: str = ""
    stop: frozenset = frozenset({"a", "b", "c", "d"})


class Asked(BaseModel):
    days: int
    secret_word: SecretStr = SecretStr("x")


class Client:
    def __init__(self, at):
        self.at = at


def one():
    return 1


def two():
    return 2


def test_what_counts():
    differ = [
        None, 1, "1", True, [1], [[1]], (1, 2), {"a": 1}, {"a": 2}, {1, 2}, Settings(), Settings(0.5), one, two, Asked,
        Settings, Client(1), Asked(days=1), Asked(days=2), lambda: 1, b"1",
    ]  # fmt: skip
    assert len({digest_of(v) for v in differ}) == len(differ)
    assert digest_of(1, 2) != digest_of(2, 1) != digest_of([2, 1])


def test_what_does_not_count():
    assert digest_of(Settings(api_key="a")) == digest_of(Settings(api_key="b"))
    assert digest_of({"max_tokens": 1}) != digest_of({"max_tokens": 2})
    assert digest_of(Asked(days=1, secret_word="a")) == digest_of(Asked(days=1, secret_word="b"))
    assert digest_of(Client(1)) == digest_of(Client(2)), "what an object holds isn't known"


def test_objects_in_themselves():
    loop: list = []
    loop.append(loop)
    assert digest_of(loop) == digest_of(loop)


def test_every_process_has_the_same():
    """Whatever the order of its sets and the addresses of its objects."""
    code = "import test_adapter_digest as t; print(t.digest_of(t.Settings(), t.Client(1), {'a', 'b', 'c'}, t.one, t.Asked))"
    here = Path(__file__).parent
    out = set()
    for seed in ("1", "2", "3"):
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([str(here.parent / "src"), str(here)])}
        out.add(subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout)
    assert len(out) == 1
