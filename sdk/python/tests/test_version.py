"""Versions change when the code does, and only then."""

import subprocess
import sys
import textwrap
from functools import partial

import pytest
from agentblame.version import version_of

from peer import SRC


def versions(tmp_path, text, *names, hashseed="0"):
    """The versions of functions of a module, by another process."""
    (tmp_path / "mod.py").write_text(textwrap.dedent(text))
    code = f"import mod; from agentblame.version import version_of; print(*[version_of(eval('mod.' + n)) for n in {names!r}])"
    env = {"PYTHONPATH": f"{SRC}:{tmp_path}", "PYTHONHASHSEED": hashseed, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-c", code], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout.split()


BASE = """
    from agentblame import step
    PROMPT = "Be brief."
    LIMIT = 3
    def helper(x):
        return x + LIMIT
    def unused(x):
        return x
    @step("f", cost=1)
    def f(x, k=2):
        "Says what it does."
        # a comment
        return helper(x), PROMPT, {"a", "b", "c"}
"""


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    return versions(tmp_path_factory.mktemp("before"), BASE, "f.impls[''].fn")


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("# a comment", "# another", True),
        ("return helper(x), PROMPT", "return helper( x ),   PROMPT", True),
        ("cost=1", "cost=2", True),
        ("Says what it does.", "Says something else.", True),
        ("def unused(x):\n        return x", "def unused(x):\n        return x, x", True),
        ("return helper(x)", "return helper(x + 1)", False),
        ("k=2", "k=3", False),
        ("Be brief.", "Be long.", False),
        ("LIMIT = 3", "LIMIT = 4", False),
        ("return x + LIMIT", "return x - LIMIT", False),
    ],
)
def test_changes(before, tmp_path, old, new, same):
    assert old in BASE
    after = versions(tmp_path, BASE.replace(old, new), "f.impls[''].fn")
    assert (before == after) is same


def test_equal_in_every_process(tmp_path):
    text = (
        BASE
        + "    g = lambda x: x in {'a', 'b', 'c'}\n    import time\n    START = time.time()\n    def h(): return START\n"
    )
    names = ("f.impls[''].fn", "g", "h")
    assert versions(tmp_path, text, *names) == versions(tmp_path, text, *names, hashseed="7")


def factory(better, extra=()):
    def fn(x):
        return x + better, extra

    return fn


def test_closures():
    assert version_of(factory(1)) == version_of(factory(1))
    assert version_of(factory(1)) != version_of(factory(2))
    assert version_of(factory(1, ["a"])) != version_of(factory(1, ["b"]))
    assert version_of(factory(factory(1))) != version_of(factory(factory(2)))
    assert version_of(factory(object())) == version_of(factory(object()))


def test_other_callables():
    class Called:
        def __init__(self, n):
            self.n = n

        def __call__(self, x):
            return x + self.n

        def method(self, x):
            return x

    assert version_of(partial(factory, 1)) != version_of(partial(factory, 2))
    assert version_of(Called(1)) == version_of(Called(2))
    assert version_of(Called(1).method) == version_of(Called(1).method) != version_of(Called(1))
    assert version_of(len) != version_of(max)
    one, two = (lambda x: x + 1), (lambda x: x + 2)  # both on one line
    assert version_of(one) != version_of(two)


def test_without_source():
    def compiled(text):
        space: dict = {}
        exec(text, space)
        return space["f"]

    a, b = compiled("def f(x): return x + 1"), compiled("def f(x): return x + 1")
    assert version_of(a) == version_of(b)
    assert version_of(a) != version_of(compiled("def f(x): return x + 2"))
    assert version_of(compiled("def f(x): return [y for y in x if y in {1, 'a'}]"))
