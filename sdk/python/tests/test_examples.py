"""The examples give the numbers of the Go demos, to the last digit."""

import json

import pytest

import agent
import rag
import refund
from agentblame import analyze_case


@pytest.fixture(scope="module")
def demos(binary, tmp_path_factory):
    import subprocess

    folder = tmp_path_factory.mktemp("demos")
    out = {}
    for name in ("refund", "rag"):
        file = folder / f"{name}.json"
        done = subprocess.run([binary, "demo", name, "-o", file], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        out[name] = numbers(json.loads(file.read_text()))
    return out


@pytest.fixture(scope="module")
def rag_cases(tmp_path_factory):
    file = tmp_path_factory.mktemp("cases") / "rag.jsonl"
    file.write_text("".join(json.dumps(c.to_dict()) + "\n" for c in rag.cases()))
    return str(file)


def blamed(agentblame, tmp_path, host, cases):
    agentblame("blame", "--host", host, "--cases", cases, "-o", "result.json", "-j", "16")
    return numbers(json.loads((tmp_path / "result.json").read_text()))


def numbers(result):
    """A result without its stories: those of Go functions name the inputs of steps in another way."""
    assert result["summary"].pop("stories") == sum("story" in case for case in result["cases"])
    del result["values"]
    for case in result["cases"]:
        case.pop("story", None)
    return result


@pytest.mark.parametrize("name", ["answer", "pipeline"])
def test_refund(agentblame, demos, tmp_path, name):
    (tmp_path / "cases.jsonl").write_text(json.dumps(refund.CASE.to_dict()))
    got = blamed(agentblame, tmp_path, f"python3 -m agentblame refund:{name}", "cases.jsonl")
    for step in got["pipeline"]["steps"]:  # a program's aren't known
        step.pop("needs", None)
    assert got == demos["refund"]


def test_rag_as_a_program(agentblame, demos, tmp_path, rag_cases):
    assert blamed(agentblame, tmp_path, "python3 -m agentblame rag:reply", rag_cases) == demos["rag"]


def test_rag_as_a_graph(agentblame, demos, tmp_path, rag_cases):
    got = blamed(agentblame, tmp_path, "python3 -m agentblame rag:pipeline", rag_cases)
    for step in got["pipeline"]["steps"]:  # a program's aren't known
        step.pop("needs", None)
    assert got == demos["rag"]


def test_the_agents_loop(binary):
    """Blame by step, and by step and iteration."""
    steps = analyze_case(agent.agent, agent.CASE)
    assert steps.shapley_exact == {"search": "2/3", "judge": "1/6", "write": "1/6"}
    calls = analyze_case(agent.agent, agent.CASE, players="calls")
    assert calls.shapley["search#1"] == pytest.approx(11 / 12)
    assert calls.shapley["search#2"] == pytest.approx(-1 / 12), "a better second page sends it round for nothing"
    assert sum(calls.shapley.values()) == pytest.approx(1)
