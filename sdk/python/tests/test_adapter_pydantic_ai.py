"""Pydantic AI agents as steps of programs."""

import asyncio
import dataclasses
import json

import pytest
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

import pydantic_ai_support
from agentblame import AnalysisError, Case, UsageError, analyze_case, context
from agentblame.adapters import Variant
from agentblame.adapters.pydantic_ai import agents_program, named

CASE = Case("a", {"question": "?"}, expected="yes")


def right(text, case):
    return text == case.expected


def says(text):
    return FunctionModel(lambda messages, info: ModelResponse([TextPart(text)]))


def test_the_example(agentblame, tmp_path):
    from pathlib import Path

    agentblame(
        "blame", "--host", "python3 -m agentblame pydantic_ai_support:support",
        "--cases", str(Path(pydantic_ai_support.__file__).with_suffix(".jsonl")), "-o", "result.json",
    )  # fmt: skip
    case = json.loads((tmp_path / "result.json").read_text())["cases"][0]
    assert case["shapley_exact"] == {"reader": "1/2", "writer": "1/2"}
    assert case["minimal_repairs"] == [["reader"], ["writer"]]


def test_the_agents_stay_as_they_are():
    assert asyncio.run(pydantic_ai_support.answer("?")) == "Return within 90 days."
    assert pydantic_ai_support.writer.run_sync("a\nb").output == "a"


def test_sync_programs_and_model_overrides(binary):
    agent = Agent(says("no"), name="writer")
    program = agents_program(
        lambda question: agent.run_sync(question).output, name="p", agents=[agent],
        variants={"writer": {"larger": Variant({"model": says("yes")}, cost=7)}}, metric=right,
    )  # fmt: skip
    one = analyze_case(program, CASE)
    assert one.shapley == {"writer": 1} and one.cost == 7


@dataclasses.dataclass
class Deps:
    days: int


def test_dependencies_history_and_tools(binary):
    agent = Agent(TestModel(custom_output_text="no"), name="writer", deps_type=Deps)

    @agent.tool
    def days(ctx: RunContext[Deps]) -> int:
        assert isinstance(ctx.deps, Deps)
        return ctx.deps.days

    async def chat(question):
        first = await agent.run(question, deps=Deps(30))
        again = await agent.run("And now?", deps=Deps(60), message_history=first.all_messages())
        assert len(again.all_messages()) == len(first.all_messages()) + len(again.new_messages())
        return again.output

    program = agents_program(
        chat, agents={"writer": agent}, variants={"writer": {"v": {"model": TestModel(custom_output_text="yes")}}},
        metric=right,
    )  # fmt: skip
    one = analyze_case(program, CASE, players="calls")
    assert one.shapley == {"writer#1": 0, "writer#2": 1}
    assert not one.undefined


def test_runs_at_once_are_named(binary):
    agent = Agent(says("no"), name="finder")

    async def one(shard):
        with named(f"shard-{shard}"):
            return (await agent.run(str(shard))).output

    async def find(question):
        return list(await asyncio.gather(*(one(s) for s in range(3))))

    program = agents_program(
        find, agents=[agent], variants={"finder": {"v": {"model": says("yes")}}},
        metric=lambda found: found.count("yes") / 3,
    )  # fmt: skip
    result = analyze_case(program, CASE, players="calls")
    assert result.shapley == pytest.approx({f"finder#shard-{s}": 1 / 3 for s in range(3)})


def test_noise(binary):
    def pick(messages, info):
        stale = -50 if "careful" in (info.instructions or "") else 50
        return ModelResponse([TextPart(context().noise.categorical("doc", {"yes": 0, "no": stale}))])

    agent = Agent(FunctionModel(pick), name="picker")

    async def run(question):
        return (await agent.run(question)).output

    program = agents_program(
        run, agents=[agent], variants={"picker": {"careful": {"instructions": "Be careful."}}}, metric=right
    )
    assert analyze_case(program, CASE).shapley == {"picker": 1}
    assert program.steps[0].impls[""].options.get("deterministic") is None
    hosted = agents_program(run, agents={"other": Agent("openai:gpt-4o", defer_model_check=True)}, metric=right)
    assert hosted.steps[0].impls[""].options["deterministic"] is False


def test_errors(binary):
    agent = Agent(says("no"), name="writer")

    async def streams(question):
        async with agent.run_stream(question) as run:
            return await run.get_output()

    with pytest.raises(UsageError, match="has no agent writre: it has writer"):
        agents_program(streams, agents=[agent], variants={"writre": {}}, metric=right)
    with pytest.raises(UsageError, match="no name"):
        agents_program(streams, agents=[Agent(says("x"))], metric=right)
    program = agents_program(streams, agents=[agent], variants={"writer": {"v": {"model": says("yes")}}}, metric=right)
    with pytest.raises(AnalysisError, match="agent.run_stream can't be replayed; use agent.run"):
        analyze_case(program, CASE)
