"""A host in a process of its own: nothing that it does corrupts the protocol or hangs."""

import os
import pty
import subprocess
import sys
import time

import pytest

from peer import Peer

APP = """
    import asyncio, os, subprocess, sys, threading, time
    import agentblame as ab
    print("printed while importing")

    @ab.step
    def loud(x):
        print("printed by a step", flush=True)
        sys.stdout.write("and without an end")
        os.write(1, b"around Python")
        subprocess.run(["echo", "by a child"])
        return x

    @ab.step
    def slow(seconds):
        time.sleep(seconds)
        return seconds

    @ab.step
    async def later(seconds):
        await asyncio.sleep(seconds)
        return seconds

    @ab.step
    def waits(file):
        while file and not os.path.exists(file):
            time.sleep(0.01)
        return file

    others = threading.Barrier(8)

    @ab.step
    def meets(x):
        others.wait(60)
        return x

    @ab.step
    async def ameets(x, met=[]):
        met.append(x)
        while len(met) < 8:
            await asyncio.sleep(0.01)
        return x

    @ab.step
    def reads(x):
        return sys.stdin.read()

    @ab.step
    def fails(how):
        if how == "transient":
            raise ab.Transient("busy", retry_after=1.5)
        if how == "status":
            class APIError(Exception):
                status_code = 429
            raise APIError("too many")
        if how == "name":
            class RateLimitError(Exception):
                pass
            raise ValueError("outer") from RateLimitError("inner")
        if how == "exit":
            sys.exit(3)
        if how == "nan":
            return {"score": float("nan")}
        if how == "interrupt":
            raise KeyboardInterrupt
        return {}["missing"]

    @ab.step
    def draws(x, noise):
        ab.charge(0.5)
        return noise.categorical("pick", {"a": 0, "b": 0.5})

    import contextvars
    settings = contextvars.ContextVar("settings")
    settings.set("set while importing")

    @ab.step
    def sees(x):
        seen = settings.get("nothing")
        settings.set(x)
        return seen

    @ab.step
    async def asees(x):
        seen = settings.get("nothing")
        settings.set(x)
        return seen

    pipe = ab.Steps([sees, asees, loud, slow, later, waits, meets, ameets, reads, fails, draws], metric=lambda out: out["loud"], name="noisy")
    if __name__ == "__main__":
        ab.serve(pipe, in_flight=16)
"""


@pytest.fixture
def host(tmp_path):
    with Peer(APP, cwd=tmp_path) as peer:
        assert peer.ask("initialize")["result"]["in_flight"] == 16
        yield peer


def test_prints_go_to_standard_error(host):
    assert host.reply(host.run("loud", x=3))["result"] == {"output": 3}
    assert host.reply(host.run("reads", x=1))["result"] == {"output": ""}, "standard input isn't the step's either"
    host.end()
    for text in ("printed while importing", "printed by a step", "and without an end", "around Python", "by a child"):
        assert text in host.log.decode()


def test_python_m_agentblame(tmp_path):
    (tmp_path / "mod.py").write_text("import os\nos.write(1, b'while importing\\n')\nfrom app import pipe\n")
    with Peer(APP, "-m", "agentblame", "mod:pipe", cwd=tmp_path) as peer:
        assert peer.ask("initialize")["result"]["name"] == "noisy"
        peer.end()
        assert "while importing" in peer.log.decode()
    for name, why in (
        ("mod:nope", "mod has no nope"),
        ("mod:os", "neither a Pipeline nor a program"),
        ("gone:x", "No module named 'gone'"),
    ):
        with Peer(None, "-m", "agentblame", name, cwd=tmp_path) as peer:
            assert peer.process.wait(10) != 0
            peer.reader.join(5)
            assert why in peer.log.decode()


@pytest.mark.parametrize(
    ("how", "code", "message", "data"),
    [
        ("transient", 1, "busy", {"type": "Transient", "transient": True, "retry_after_ms": 1500}),
        ("status", 1, "too many", {"transient": True}),
        ("name", 1, "outer", {"type": "ValueError", "transient": True}),
        ("exit", 1, "3", {"type": "SystemExit", "transient": False}),
        ("interrupt", 1, "KeyboardInterrupt", {"transient": False}),
        ("missing", 1, "'missing'", {"type": "KeyError", "module": "builtins", "transient": False}),
        ("nan", 2, "the output of step fails can't be written as JSON: at .score, the value is nan", {}),
    ],
)
def test_errors(host, how, code, message, data):
    for _ in range(2):  # in a thread of its own, and by the thread that reads
        error = host.reply(host.run("fails", how=how))["error"]
        assert (error["code"], error["message"]) == (code, message)
        assert {k: error["data"][k] for k in data} == data
    if how == "missing":
        assert 'return {}["missing"]' in error["data"]["traceback"]
        assert "agentblame/host.py" not in error["data"]["traceback"]


def test_a_step_that_forks(tmp_path):
    app = """
        import os
        import agentblame as ab

        @ab.step
        def forks(x):
            return "child" if os.fork() == 0 else "parent"

        @ab.step
        def forks_and_fails(x):
            if os.fork() == 0:
                raise ValueError("child")
            return "parent"

        ab.serve(ab.Steps([forks, forks_and_fails], name="forking"))
    """
    with Peer(app, cwd=tmp_path) as host:
        for step in ["forks", "forks_and_fails"] * 10:  # the first in threads of their own, then by the one that reads
            assert host.reply(host.run(step, x=1))["result"] == {"output": "parent"}
        assert not host.others
        host.end()
        assert host.log.decode().count("a process that was forked in a run came back from it, and was ended") == 20


def test_what_is_unknown(host):
    assert host.ask("step/walk")["error"]["code"] == -32601
    assert host.reply(host.run("nope"))["error"]["code"] == -32602
    assert host.reply(host.run("slow", "quick"))["error"]["code"] == -32602
    assert host.ask("step/key", {"step": "slow", "output": 1})["error"]["code"] == -32602
    assert host.ask("run/start", {"run": "1", "inputs": {}})["error"]["code"] == -32601
    host.write(b'garbage\n\n[1]\n7\n{"jsonrpc":"2.0","method":"$/unknown"}\n{"jsonrpc":"2.0","id":"c9","result":{}}\n')
    assert host.reply(host.run("slow", seconds=0))["result"] == {"output": 0}


def test_many_at_once(host):
    ids = [host.run(name, x=i) for i in range(8) for name in ("meets", "ameets")]
    assert [host.reply(id)["result"]["output"] for id in ids] == [i for i in range(8) for _ in "12"]


def test_a_quick_step_that_takes_long_for_once_holds_nobody_up(host, tmp_path):
    for _ in range(5):
        host.reply(host.run("waits", file=""))
    long = host.run("waits", file=str(tmp_path / "go on"))
    host.reply(host.run("draws", x=1))
    assert not host.others
    (tmp_path / "go on").touch()
    assert host.reply(long)["result"] == {"output": str(tmp_path / "go on")}


@pytest.mark.parametrize("step", ["sees", "asees"])
def test_context_variables_are_those_of_the_program(host, step):
    for i in range(4):
        assert host.reply(host.run(step, x=str(i)))["result"] == {"output": "set while importing"}


def test_draws(host):
    noise = {"seed": str(2**64 - 1), "world": "3", "step": "draws", "iteration": "name"}
    result = host.reply(host.run("draws", noise=noise, x=1))["result"]
    assert result["draws"] == [
        {"key": "pick", "kind": "categorical", "logits": {"a": 0, "b": 0.5}, "chosen": result["output"]}
    ]
    assert result["cost"] == 0.5
    other = "b" if result["output"] == "a" else "a"
    observed = [{**result["draws"][0], "chosen": other}]
    assert host.reply(host.run("draws", noise={**noise, "observed": observed}, x=1))["result"]["output"] == other


@pytest.mark.parametrize("step", ["slow", "later"])
def test_cancelling(host, step):
    id = host.run(step, seconds=60)
    time.sleep(0.2)
    host.write(b'{"jsonrpc":"2.0","method":"$/cancel","params":{"id":%d}}\n' % id)
    assert host.reply(id)["error"]["code"] == -32800
    assert host.reply(host.run("slow", seconds=0))["result"] == {"output": 0}


def test_the_end_of_input_ends_a_host_that_hangs(host):
    host.run("slow", seconds=60)
    host.run("later", seconds=60)
    time.sleep(0.2)
    assert host.end() == 0, "long before the steps end"


def test_large_and_split_messages(host):
    text = "x" * 3_000_000
    id = host.last + 1
    host.last = id
    line = (
        b'{"jsonrpc":"2.0","id":%d,"method":"step/run","params":{"step":"loud","iteration":"1","inputs":{"x":"%s"}}}\n'
        % (id, text.encode())
    )
    for at in range(0, len(line), 700_001):
        host.write(line[at : at + 700_001])
    assert host.reply(id)["result"]["output"] == text


def test_at_a_terminal_it_tells_what_it_is(tmp_path):
    import textwrap

    (tmp_path / "app.py").write_text(textwrap.dedent(APP))
    ours, theirs = pty.openpty()
    env = {**os.environ, "PYTHONPATH": os.path.join(os.path.dirname(__file__), "../src")}
    done = subprocess.run(
        [sys.executable, "app.py"], cwd=tmp_path, env=env, stdin=theirs, capture_output=True, text=True, timeout=20
    )
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 2
    assert 'agentblame blame --host "python app.py" --cases cases.jsonl' in done.stderr
