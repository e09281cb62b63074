"""Recording production runs: what is written are cases whose replay is the run."""

import asyncio
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import agentblame as ab
import pytest
from agentblame import Pipeline, program, step

import rag
from peer import SRC


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("AGENTBLAME_RECORD", str(tmp_path / "runs"))
    return tmp_path / "runs"


def cases(folder):
    assert ab.flush()
    return [json.loads(line) for f in sorted(folder.glob("*.jsonl")) for line in f.read_text().splitlines()]


@step
def pick(x, noise):
    return noise.categorical("way", {"a": 0.1, "b": 0.2}) + str(x)


@step
def fails(x):
    raise LookupError("gone")


@step
async def later(x):
    await asyncio.sleep(0)
    return {"x": x}


@program(name="my app", metric=lambda out: True)
def app(x):
    try:
        fails(x)
    except LookupError:
        pass
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda i: pick.at(f"p{i}")(i), range(2)))
    return [pick(x), pick(x)]


def test_a_run_is_recorded(folder):
    out = app(1)
    (case,) = cases(folder)
    assert case["inputs"] == {"x": 1}
    assert set(case["recording"]) == {"fails", "pick", "pick#2", "pick#p0", "pick#p1"}
    assert case["recording"]["fails"] == {
        "inputs": {"x": 1},
        "error": "gone",
        "error_data": {"type": "LookupError", "module": "builtins"},
    }
    first = case["recording"]["pick"]
    assert first["output"] == out[0] and first["inputs"] == {"x": 1}
    assert first["draws"] == [
        {"key": "way", "kind": "categorical", "logits": {"a": 0.1, "b": 0.2}, "chosen": out[0][0]}
    ]
    assert ab.Noise(case["seed"], 0, "pick", "2").categorical("way", {"a": 0.1, "b": 0.2}) == out[1][0]
    assert float(case["tags"]["ms pick"]) >= 0
    assert list(folder.iterdir())[0].name == f"my_app.{os.getpid()}.jsonl"


def test_without_the_variable_nothing_is(tmp_path, monkeypatch):
    monkeypatch.delenv("AGENTBLAME_RECORD", raising=False)
    app(1)
    with ab.record({"x": 1}) as run:
        assert run is None
        pick(1)


def test_blocks_pipelines_and_async_runs(folder):
    with ab.record({"q": "…"}, id="mine", name="block", tags={"team": "a"}):
        pick(2)
    Pipeline([later, step("end")(lambda later: later["x"])], name="graph")(x=3)

    @program(name="async", metric=lambda out: True)
    async def served(x):
        await asyncio.gather(later.at("one")(1), later.at("two")(2))
        return await later(x)

    assert asyncio.run(served(4)) == {"x": 4}
    by_file = {c["inputs"].get("x", c["inputs"].get("q")): c for c in cases(folder)}
    assert by_file["…"]["id"] == "mine" and by_file["…"]["tags"]["team"] == "a"
    assert by_file[3]["recording"]["end"] == {"inputs": {"later": {"x": 3}}, "output": 3}
    assert {k: v["output"]["x"] for k, v in by_file[4]["recording"].items()} == {
        "later#one": 1,
        "later#two": 2,
        "later": 4,
    }


def test_a_run_that_fails(folder):
    @program(metric=lambda out: True)
    def broken(x):
        fails(x)

    with pytest.raises(LookupError, match="gone"):
        broken(1)
    assert cases(folder)[0]["tags"]["error"] == "gone"


def test_what_is_no_json_is_left_out(folder):
    @step
    def odd(x):
        return object()

    @program(metric=lambda out: True)
    def run(x):
        odd(1)
        odd(object())
        return pick(x)

    run(1)
    assert set(cases(folder)[0]["recording"]) == {"pick"}


def test_redaction(folder):
    @ab.redact
    def hide(case):
        if case["inputs"] == {"x": "drop"}:
            return None
        if case["inputs"] == {"x": "fail"}:
            raise ValueError("no")
        case["inputs"]["x"] = "hidden"
        return case

    try:
        for x in ("secret", "drop", "fail"):
            app(x)
        (case,) = cases(folder)
    finally:
        ab.redact(None)
    assert case["inputs"] == {"x": "hidden"}


def test_it_never_raises(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("AGENTBLAME_RECORD", str(tmp_path / "file" / "folder"))
    assert len(app(1)) == 2
    assert ab.flush()
    assert "can't record" in capsys.readouterr().err


def test_what_was_recorded_is_on_disk_when_the_process_ends(tmp_path):
    (tmp_path / "app.py").write_text(
        "import os, agentblame as ab\n"
        "@ab.step\ndef one(x): return x\n"
        "@ab.program(metric=lambda out: 1)\ndef app(x): return one(x)\n"
        "app(1)\n"
        "if os.fork() == 0:\n    app(2)\n    os.sys.exit()\nos.wait()\n"
        "import multiprocessing\n"
        "child = multiprocessing.get_context('fork').Process(target=app, args=(3,))\n"
        "child.start()\nchild.join()\n"
    )
    env = {**os.environ, "PYTHONPATH": SRC, "AGENTBLAME_RECORD": "runs"}
    subprocess.run([sys.executable, "app.py"], cwd=tmp_path, env=env, check=True, timeout=30)
    texts = [f.read_text() for f in (tmp_path / "runs").iterdir()]
    assert len(texts) == 3, "a file for each process"
    assert sorted(json.loads(t)["inputs"]["x"] for t in texts) == [1, 2, 3]


def test_a_recorded_error_is_handled_as_it_was(folder, binary):
    @ab.step
    def look(x):
        raise LookupError("nothing")

    look.variant("fix", lambda x: 2)
    ask = ab.step("ask")(lambda x: x).variant("fix", lambda x: 2)

    @ab.program(metric=lambda out: out == 2, steps=[look, ask])
    def app(x):
        try:
            return look(x)
        except LookupError:
            return ask(x)

    assert app(1) == 1
    (case,) = cases(folder)
    assert case["recording"]["look"]["error_data"] == {"type": "LookupError", "module": "builtins"}
    assert ab.analyze_case(app, case).shapley == {"look": 0.5, "ask": 0.5}


@pytest.mark.parametrize("mode", ["recorded", "posterior"])
def test_a_recorded_run_is_the_factual_run(folder, binary, mode):
    outcomes = [rag.reply("q", "leave", difficulty) for difficulty in range(10)]
    recorded = cases(folder)
    batch = ab.blame_batch(rag.reply, recorded, mode=mode)
    assert batch.summary.cost_factual == 0, "nothing was run again"
    by_inputs = {c["inputs"]["difficulty"]: c["id"] for c in recorded}
    for difficulty, out in enumerate(outcomes):
        assert batch.case(by_inputs[difficulty]).score == (out["text"] == "right")
