"""Agents of the OpenAI Agents SDK as steps of programs."""

import asyncio
import dataclasses
import json

import pytest
from agents import Agent, Model, RunContextWrapper, Runner, function_tool, set_tracing_disabled
from agents.items import ModelResponse
from agents.testing import assistant_message, function_call
from agents.usage import Usage

import openai_agents_desk
from agentblame import AnalysisError, Case, UsageError, analyze_case, context
from agentblame.adapters import Variant
from agentblame.adapters.openai_agents import agents_program, named

set_tracing_disabled(True)
CASE = Case("a", {"question": "?"}, expected="yes")


def right(text, case):
    return text == case.expected


class Says(Model):
    """Says something of what it is asked."""

    def __init__(self, think):
        self.think = think

    async def get_response(self, system_instructions, input, *args, **kwargs):
        out = self.think(system_instructions, input)
        return ModelResponse(output=out if isinstance(out, list) else [out], usage=Usage(), response_id=None)

    async def stream_response(self, *args, **kwargs):
        raise NotImplementedError
        yield


def says(text):
    return Says(lambda instructions, input: assistant_message(text))


def test_the_example(agentblame, tmp_path):
    from pathlib import Path

    agentblame(
        "blame", "--host", "python3 -m agentblame openai_agents_desk:support",
        "--cases", str(Path(openai_agents_desk.__file__).with_suffix(".jsonl")), "-o", "result.json",
    )  # fmt: skip
    case = json.loads((tmp_path / "result.json").read_text())["cases"][0]
    assert case["shapley_exact"] == {"desk": "1/2", "find_order": "1/2"}
    assert case["minimal_repairs"] == [["desk", "find_order"]]


def test_the_agents_stay_as_they_are():
    assert asyncio.run(openai_agents_desk.answer("?")) == "On Friday."


def test_sync_runs_and_models(binary):
    agent = Agent(name="writer", instructions="Write.", model=says("no"))
    program = agents_program(
        lambda question: Runner.run_sync(agent, question).final_output, name="p", agent=agent,
        variants={"writer": {"larger": Variant({"model": says("yes")}, cost=7)}}, metric=right,
    )  # fmt: skip
    one = analyze_case(program, CASE)
    assert one.shapley == {"writer": 1} and one.cost == 7
    assert program.steps[0].impls[""].options["deterministic"] is False
    assert Runner.run_sync(agent, "?").final_output == "no"


@dataclasses.dataclass
class Desk:
    asked: list[str]


def test_tools_at_once_and_their_context(binary):
    @function_tool
    def look(ctx: RunContextWrapper[Desk], shelf: str) -> str:
        ctx.context.asked.append(shelf)
        return "no"

    @function_tool(name_override="look")
    def look_better(ctx: RunContextWrapper[Desk], shelf: str) -> str:
        ctx.context.asked.append(shelf)
        return "yes"

    def think(instructions, input):
        if isinstance(input, str) or len(input) == 1:
            return [function_call("look", {"shelf": s}, call_id=s) for s in "xyz"]
        return assistant_message(" ".join(i["output"] for i in input if i.get("type") == "function_call_output"))

    agent = Agent(name="finder", model=Says(think), tools=[look])

    async def find(question):
        desk = Desk([])
        out = (await Runner.run(agent, question, context=desk)).final_output
        assert len(desk.asked) >= 1
        return out

    program = agents_program(
        find, agent=agent, variants={"look": {"better": look_better}}, context_type=Desk,
        metric=lambda text: text.split().count("yes") / 3,
    )  # fmt: skip
    one = analyze_case(program, CASE, players="calls")
    assert one.shapley == pytest.approx({f"look#finder 1.{k}": 1 / 3 for k in (1, 2, 3)})


def test_agents_as_tools_and_runs_at_once(binary):
    helper = Agent(name="helper", model=says("no"))
    ask = helper.as_tool(tool_name="ask_helper", tool_description="Asks.")

    def think(instructions, input):
        outputs = (
            [i["output"] for i in input if i.get("type") == "function_call_output"] if isinstance(input, list) else []
        )
        return assistant_message(outputs[0]) if outputs else function_call("ask_helper", {"input": "?"}, call_id="1")

    boss = Agent(name="boss", model=Says(think), tools=[ask])

    async def one(shard):
        with named(f"shard-{shard}"):
            return (await Runner.run(boss, str(shard))).final_output

    async def find(question):
        return list(await asyncio.gather(*(one(s) for s in range(2))))

    program = agents_program(
        find,
        agent=boss,
        variants={"helper": {"v": {"model": says("yes")}}},
        metric=lambda found: found.count("yes") / 2,
    )
    result = analyze_case(program, CASE, players="calls")
    assert result.shapley == pytest.approx({f"helper#shard-{s}-1": 1 / 2 for s in range(2)})


def test_noise(binary):
    def pick(instructions, input):
        stale = -50 if "careful" in instructions else 50
        return assistant_message(context().noise.categorical("doc", {"yes": 0, "no": stale}))

    agent = Agent(name="picker", instructions="Pick.", model=Says(pick))

    async def run(question):
        return (await Runner.run(agent, question)).final_output

    program = agents_program(
        run, agent=agent, variants={"picker": {"careful": {"instructions": "Be careful."}}}, metric=right
    )
    assert analyze_case(program, CASE).shapley == {"picker": 1}


def test_errors(binary):
    agent = Agent(name="writer", model=says("no"))

    async def streams(question):
        result = Runner.run_streamed(agent, question)
        async for _ in result.stream_events():
            pass
        return result.final_output

    with pytest.raises(UsageError, match="has no agent or tool writre: it has writer"):
        agents_program(streams, agent=agent, variants={"writre": {}}, metric=right)
    with pytest.raises(UsageError, match="variant v of agent writer has no change tools: it has instructions, model"):
        agents_program(streams, agent=agent, variants={"writer": {"v": {"tools": []}}}, metric=right)
    program = agents_program(streams, agent=agent, variants={"writer": {"v": {"model": says("yes")}}}, metric=right)
    with pytest.raises(AnalysisError, match="Runner.run_streamed can't be replayed; use Runner.run"):
        analyze_case(program, CASE)
