"""Steps and pipelines as plain functions, and how they are wired."""

import asyncio
import copy
import os
import pickle
import subprocess
import sys
from dataclasses import dataclass

import agentblame as ab
import pytest
from agentblame import Case, Input, Noise, Pipeline, Step, Steps, UsageError, program, step
from agentblame.host import Host
from agentblame.manifest import manifest
from agentblame.program import found_steps

from peer import SRC


@step("fact-check", cost=2.5, timeout=1.5, retries=0, concurrency=3, key=lambda out: out["id"])
def fact_check(text, noise, case=None, k=3):
    """Checks."""
    return {"id": text, "k": k, "u": noise.uniform()}


@fact_check.variant("careful", cost=4, deterministic=False)
def careful(text, claims):
    return {"id": text + claims}


@step
def final(fact_check):
    return fact_check["id"]


def test_a_step_stays_a_function():
    first, second = fact_check("a"), fact_check(text="a")
    assert first["id"] == "a" and first["k"] == 3
    assert first["u"] != second["u"], "fresh noise each time"
    assert fact_check("a", Noise(7))["u"] == fact_check("a", noise=Noise(7))["u"] == Noise(7).uniform()
    assert careful("a", "b") == {"id": "ab"}, "a variant is the function as it was"
    assert fact_check.__name__ == "fact_check" and fact_check.__doc__ == "Checks."
    assert fact_check.at("x")("a", k=4)["k"] == 4


def test_steps_and_programs_are_pickled_as_functions_are(tmp_path):
    assert pickle.loads(pickle.dumps(fact_check)) is fact_check
    assert copy.deepcopy(final) is final
    unnamed = Step("unnamed", careful).variant("same", careful)
    assert pickle.loads(pickle.dumps(unnamed))("a", "b") == {"id": "ab"}
    (tmp_path / "app.py").write_text(
        "import multiprocessing\n"
        "from concurrent.futures import ProcessPoolExecutor\n"
        "import agentblame as ab\n"
        "@ab.step\ndef one(x): return x + 1\n"
        "@ab.program(metric=lambda out: 1)\ndef app(x): return one(x)\n"
        "if __name__ == '__main__':\n"
        "    with ProcessPoolExecutor(1, multiprocessing.get_context('spawn')) as pool:\n"
        "        print(*pool.map(one, [1]), *pool.map(app, [2]))\n"
    )
    env = {**os.environ, "PYTHONPATH": SRC}
    out = subprocess.run([sys.executable, "app.py"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)
    assert out.stdout == "2 3\n", out.stderr


def test_async_steps_are_awaited():
    @step
    async def later(x, noise):
        return x, noise.uniform()

    assert asyncio.run(later(3))[0] == 3
    assert later.asynchronous


def test_manifest():
    pipe = Pipeline([fact_check, final], metric=lambda final: True, name="p")
    m = manifest(pipe)
    assert m["inputs"] == ["text", "claims"]
    check, last = m["steps"]
    assert check["needs"] == ["text", "claims"] and last["needs"] == ["fact-check"]
    assert (check["cost"], check["timeout_ms"], check["retries"], check["concurrency"]) == (2.5, 1500, 0, 3)
    assert check["key"] is True and check["case"] is True and "deterministic" not in check
    assert check["variants"][0]["cost"] == 4 and check["variants"][0]["deterministic"] is False
    assert m["score"]["needs"] == ["final"]
    assert manifest(pipe) == m


def test_wiring_by_hand():
    @step("merge", needs={"left": "a", "right": "b"})
    def merge(left, right):
        return left + right

    @step("any", needs=["a", "merge"])
    def anything(**inputs):
        return sorted(inputs)

    pipe = Pipeline([merge, anything], metric=lambda out: out["merge"] == "xy", inputs=["a", "b"])
    assert pipe(a="x", b="y") == {"merge": "xy", "any": ["a", "merge"]}
    assert manifest(pipe)["score"].get("needs") is None, "a metric of all values depends on all"


def test_pipelines_run_in_order_of_needs():
    @step
    def last(middle, option=7):
        return middle + [option]

    @step
    async def middle(given):
        return [given]

    assert Pipeline([last, middle])(given=1) == {"last": [1, 7], "middle": [1]}
    assert asyncio.run(Pipeline([last, middle]).run(given=2))["last"] == [2, 7]
    with pytest.raises(TypeError, match="takes the inputs given"):
        Pipeline([last, middle])(other=1)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Pipeline([careful]), "no step; decorate"),
        (
            lambda: Pipeline([final], inputs=["x"], metric=lambda out: 1),
            "'fact_check', which is neither a step nor an input",
        ),
        (lambda: Pipeline([final, final]), "two steps or inputs are called final"),
        (lambda: Pipeline([final], metric=lambda a, b: 1), "either one parameter for all values"),
        (lambda: Pipeline([final], metric=3), "no function"),
        (lambda: step("x")(lambda x: x).variant("v", careful, prize=1), "no option 'prize'"),
        (lambda: step("x")(lambda x: x).variant("v", careful).variant("v", careful), "two variants called v"),
        (lambda: step("x")(lambda x: x).at(""), "at needs a name"),
        (lambda: step("")(lambda x: x), "is no name"),
        (lambda: step("x")(final), "its function is the step final"),
        (lambda: Pipeline([step("x")(lambda **k: k)]), "by any name"),
        (lambda: program(lambda x: x, metric=lambda out: 1, inputs=["y"]), "no input y"),
        (lambda: Input("q").variant("v", lambda a, b: a), "must take the input, and nothing else"),
        (lambda: step("x")(lambda x, /: x), "can't be given by name"),
    ],
)
def test_misuse(make, why):
    with pytest.raises((UsageError, TypeError), match=why):
        make()


def test_steps_that_need_each_other():
    @step
    def a(b):
        return b

    @step
    def b(a):
        return a

    with pytest.raises(UsageError, match="need each other"):
        Pipeline([a, b])()


@dataclass
class Plan:
    query: str


@step
def planner(question) -> Plan:
    return Plan(question)


@step
def reader(planner):
    return planner.query


@reader.variant("loud")
def loud(planner):
    return planner.query.upper()


def run(served, step, variant=None, **inputs):
    host = Host(served)
    params = {"step": step, "variant": variant, "inputs": inputs, "noise": None}
    runner = host.runner(params)
    return host.run_step(runner, params, host.context(step, params))


def test_values_are_read_back_by_the_steps_annotation():
    pipe = Pipeline([planner, reader], metric=lambda planner, reader: planner.query == reader)
    assert run(pipe, "planner", question="q") == '{"output":{"query":"q"}}'
    assert run(pipe, "reader", planner={"query": "q"}) == '{"output":"q"}'
    assert run(pipe, "reader", "loud", planner={"query": "q"}) == '{"output":"Q"}'
    host = Host(pipe)
    params = {"values": {"planner": {"query": "q"}, "reader": "q"}, "case": None}
    assert host.score(params, host.context("score", params)) == '{"score":1.0}'


def test_gold_and_inputs_with_variants():
    question = Input("question").variant("clarified", lambda q, noise: q + str(noise.int(2))).gold("known")
    planner_ = step("planner")(lambda question: question).gold("oracle")
    pipe = Pipeline([planner_], inputs=[question], metric=lambda planner: True)
    m = manifest(pipe)
    assert [v["name"] for v in m["inputs"][0]["variants"]] == ["clarified", "known"]
    assert m["steps"][0]["variants"][0] == {"name": "oracle", "version": "gold", "deterministic": True, "case": True}
    host = Host(pipe)

    def ask(name, variant, case):
        params = {
            "step": name, "variant": variant, "inputs": {"question": "q"}, "case": case,
            "noise": {"seed": "7", "world": "0", "step": name, "iteration": "1"},
        }  # fmt: skip
        return host.run_step(host.runner(params), params, host.context(name, params))

    assert ask("question", "clarified", None).startswith('{"output":"q')
    case = {"id": "c", "inputs": {}, "expected": None, "gold": {"planner": [1]}, "tags": {}}
    assert ask("planner", "oracle", case) == '{"output":[1]}'
    with pytest.raises(ab.NoGoldError, match="case c has no known-good output of question"):
        ask("question", "known", case)


def test_charges_and_notes():
    @step
    def model(x):
        ab.charge(0.5)
        ab.charge(0.25)
        ab.tell(usage={"tokens": 3})
        ab.progress("half")
        return ab.context().iteration

    ab.charge(1)
    ab.tell(usage={})
    assert ab.context() is None
    assert run(Steps([model]), "model", x=1) == '{"output":"1","cost":0.75,"usage":{"tokens":3}}'


def test_a_step_of_the_pipeline_inside_another():
    @step
    def outer(x):
        try:
            return inner(x)
        except Exception:
            return "hidden"

    @step
    def inner(x, noise):
        return noise.uniform("u")

    with pytest.raises(UsageError, match="step inner was called from inside step outer"):
        run(Pipeline([outer, inner]), "outer", x=1)
    noise = {"seed": "7", "world": "0", "step": "outer", "iteration": "1"}
    host = Host(Pipeline([outer]))
    params = {"step": "outer", "inputs": {"x": 1}, "noise": noise}
    text = host.run_step(host.runner(params), params, host.context("outer", params))
    assert f'"output":{Noise(7, 0, "outer").uniform("u")!r}' in text, "what isn't declared is part of the outer step"


@step
def alpha(x):
    return x


@step
def beta(x):
    return x


TABLE = {"beta": beta}


def helper(x):
    return TABLE["beta"](x)


def flow(x):
    return [helper(y) for y in alpha(x)]


def test_steps_of_a_program_are_found():
    assert found_steps(flow) == [alpha, beta]
    assert program(flow, metric=lambda out: 1).steps == [alpha, beta]
    assert program(flow, metric=lambda out: 1, steps=[beta]).steps == [beta]


def test_cases():
    case = Case("q1", {"question": "…"}, seed=1)
    assert case.to_dict() == {"id": "q1", "inputs": {"question": "…"}, "seed": 1}
    assert Case.read({**case.to_dict(), "gold": None, "more": 1}) == case
