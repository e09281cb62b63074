"""Agents of the OpenAI Agents SDK as steps of programs."""

import asyncio
import dataclasses
import itertools
import json
from typing import Any

import pytest
from agents import (
    Agent, Model, ModelProvider, ModelSettings, RunConfig, RunContextWrapper, Runner, ToolOutputText, function_tool,
    set_tracing_disabled,
)  # fmt: skip
from agents.items import ModelResponse
from agents.mcp import MCPServerStdio
from agents.testing import assistant_message, function_call
from agents.usage import Usage
from pydantic import BaseModel

import openai_agents_desk
from agentblame import AnalysisError, Case, UsageError, analyze_case, context, flush, step
from agentblame.adapters import Variant
from agentblame.adapters.openai_agents import agents_program, named
from replaying import replay

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


@step("shout")
def shout(text: str) -> str:
    return f"{text}!"


@shout.variant("whisper")
def whisper(text: str) -> str:
    return text


def test_one_agent_in_two_programs_and_steps_of_the_users_own(binary):
    agent = Agent(name="writer", model=says("yes"))

    async def loud(question):
        return shout((await Runner.run(agent, question)).final_output)

    async def calm(question):
        return (await Runner.run(agent, question)).final_output

    first = agents_program(loud, agent=agent, metric=right)
    second = agents_program(calm, agent=agent, metric=right)
    assert analyze_case(first, CASE).shapley == {"shout": 1}
    assert list(replay(second, question="?")[0]) == ["writer#1"]
    assert list(replay(first, question="?")[0]) == ["writer#1", "shout#1"]


class Provider(ModelProvider):
    """Models that say their names, and what they are asked with."""

    def get_model(self, model_name):
        class Name(Says):
            async def get_response(self, system_instructions, input, model_settings, **kwargs):
                settings = model_settings
                out = {"model": model_name, "effort": settings.reasoning and settings.reasoning.effort}
                out |= {"temperature": settings.temperature, "max": settings.max_tokens}
                return await says(json.dumps(out)).get_response(system_instructions, input)

        return Name(None)


@pytest.mark.parametrize("config", [{}, {"model": "gpt-4.1"}, {"model_settings": ModelSettings(max_tokens=9)}])
@pytest.mark.parametrize("model", ["gpt-5", "gpt-4o", None])
def test_replays_ask_what_runs_ask(model, config):
    """Models by their names, with the settings that the SDK makes of agents, configs and its own defaults."""
    agent = Agent(name="writer", model=model)

    async def run(question):
        config_ = RunConfig(model_provider=Provider(), **config)
        return (await Runner.run(agent, question, run_config=config_)).final_output

    program = agents_program(run, agent=agent, provider=Provider(), metric=lambda out: 0.0)
    assert agent.model == model
    assert replay(program, question="?")[1] == asyncio.run(run("?")) == asyncio.run(program(question="?"))


def test_variants_change_models_and_settings():
    agent = Agent(name="writer", model="gpt-5")
    both = Agent(name="both", model="gpt-5", model_settings=ModelSettings(temperature=0.2, max_tokens=5))

    async def run(question):
        return [(await Runner.run(a, question)).final_output for a in (agent, both)]

    variants = {
        "writer": {"v": {"model": "gpt-4o"}},
        "both": {"v": {"model": "gpt-4o", "model_settings": ModelSettings(temperature=1.0)}},
    }
    program = agents_program(run, agent=[agent, both], variants=variants, provider=Provider(), metric=lambda out: 0.0)
    _, output = replay(program, {"writer": "v", "both": "v"}, question="?")
    assert [json.loads(o) for o in output] == [
        {"model": "gpt-4o", "effort": None, "temperature": None, "max": None},
        {"model": "gpt-4o", "effort": None, "temperature": 1.0, "max": 5},
    ]


def finder():
    """An agent that asks for three shelves at once, and what it has been told."""

    @function_tool
    async def look(ctx: RunContextWrapper[Desk], shelf: str) -> str:
        ctx.context.asked.append(shelf)  # async: in threads the order would be a matter of luck
        return f"{shelf}{len(ctx.context.asked)}"

    def ask(instructions, input):
        told = [i["output"] for i in input if i.get("type") == "function_call_output"] if input != "?" else []
        if told:
            return assistant_message(" ".join(told))
        return [function_call("look", {"shelf": s}, call_id=f"random-{next(COUNT)}", item_id=s) for s in "xyz"]

    agent = Agent(name="finder", model=Says(ask), tools=[look])

    async def find(question):
        desk = Desk([])
        out = (await Runner.run(agent, question, context=desk)).final_output
        return [out, desk.asked]

    return find, agents_program(find, agent=agent, context_type=Desk, metric=lambda out: 0.0)


COUNT = itertools.count()


def test_runs_that_say_the_same_are_the_same():
    """Tools that are asked for at once change the context one after another, and random ids don't matter."""
    find, program = finder()
    calls, output = replay(program, question="?")
    assert output == asyncio.run(find("?")) == ["x1 y2 z3", ["x", "y", "z"]]
    assert calls["look#finder 1.3"]["inputs"]["context"] == {"asked": ["x", "y"]}
    assert (calls, output) == replay(program, question="?")


@pytest.mark.parametrize(
    "output", [3, 1.5, None, [1, "a"], {"a": 1}, (1, 2), Desk(["a"]), ToolOutputText(text="t"), [ToolOutputText(text="t")]]
)
def test_outputs_of_tools_are_told_as_they_are(output):
    @function_tool
    def look(shelf: str) -> Any:
        return output

    def think(instructions, input):
        told = [i["output"] for i in input if i.get("type") == "function_call_output"] if input != "?" else []
        return assistant_message(json.dumps(told[0])) if told else function_call("look", {"shelf": "x"}, call_id="1")

    agent = Agent(name="finder", model=Says(think), tools=[look])

    async def find(question):
        return (await Runner.run(agent, question)).final_output

    program = agents_program(find, agent=agent, metric=lambda out: 0.0)
    calls, told = replay(program, question="?")
    assert told == asyncio.run(find("?"))
    assert calls["look#1"]["inputs"] == {"arguments": {"shelf": "x"}}


def test_tools_must_be_used_only_once():
    """The SDK resets what the settings say of tools after one was used; turns know that."""

    class Obedient(Says):
        async def get_response(self, system_instructions, input, model_settings, **kwargs):
            out = function_call("look", {}, call_id="1") if model_settings.tool_choice == "required" else assistant_message("ok")
            return ModelResponse(output=[out], usage=Usage(), response_id=None)

    @function_tool
    def look() -> str:
        return "x"

    agent = Agent(
        name="finder", model=Obedient(None), tools=[look], model_settings=ModelSettings(tool_choice="required")
    )

    async def find(question):
        return (await Runner.run(agent, question)).final_output

    calls, output = replay(agents_program(find, agent=agent, metric=lambda out: 0.0), question="?")
    assert output == "ok" and list(calls) == ["finder#1", "look#1", "finder#2"]


class Asked(BaseModel):
    asked: list[str]


def test_streams_output_types_and_handoffs():
    writer = Agent(name="writer", model=says('{"asked": ["a"]}'), output_type=Asked)
    boss = Agent(name="boss", model=Says(lambda *_: function_call("transfer_to_writer", {}, call_id="1")), handoffs=[writer])

    async def run(question):
        result = Runner.run_streamed(boss, question)
        deltas = [e.data.delta async for e in result.stream_events() if getattr(e, "data", None) and hasattr(e.data, "delta")]
        assert "".join(deltas) == '{"asked": ["a"]}'
        return result.final_output

    calls, output = replay(agents_program(run, agent=boss, metric=lambda out: 0.0), question="?")
    assert output == {"asked": ["a"]} and list(calls) == ["boss#1", "writer#1"]


def test_tools_that_run_agents_are_inline():
    helper = Agent(name="helper", model=says("yes"))

    @function_tool
    async def ask_helper(question: str) -> str:
        return (await Runner.run(helper, question)).final_output

    def think(instructions, input):
        told = [i["output"] for i in input if i.get("type") == "function_call_output"] if input != "?" else []
        return assistant_message(told[0]) if told else function_call("ask_helper", {"question": "!"}, call_id="1")

    boss = Agent(name="boss", model=Says(think), tools=[ask_helper])

    async def run(question):
        return (await Runner.run(boss, question)).final_output

    program = agents_program(run, agent=[boss, helper], inline=["ask_helper"], metric=right)
    calls, output = replay(program, question="?")
    assert list(calls) == ["boss#1", "helper#1", "boss#2"] and output == "yes"


def test_recordings(monkeypatch, tmp_path):
    """Agents do in them what they always do."""
    find, program = finder()
    monkeypatch.setenv("AGENTBLAME_RECORD", str(tmp_path))
    assert asyncio.run(program("?")) == ["x1 y2 z3", ["x", "y", "z"]]
    assert flush()
    (file,) = tmp_path.glob("*.jsonl")
    recording = json.loads(file.read_text())["recording"]
    assert list(recording) == ["finder", "look#finder 1.1", "look#finder 1.2", "look#finder 1.3", "finder#2"]
    assert all("output" in call for call in recording.values())


def test_recordings_never_raise(monkeypatch, tmp_path):
    known, strange = Agent(name="known", model=says("no")), Agent(name="strange", model=says("yes"))

    async def run(question):
        await Runner.run(known, question, conversation_id="c1", context=object())
        return (await Runner.run(strange, question, run_config=RunConfig(model=says("maybe")))).final_output

    monkeypatch.setenv("AGENTBLAME_RECORD", str(tmp_path))
    assert asyncio.run(agents_program(run, agent=known, metric=right)("?")) == "maybe"
    assert flush()
    (file,) = tmp_path.glob("*.jsonl")
    assert json.loads(file.read_text())["recording"] == {}


def test_versions():
    def versions(agent, **change):
        step, *_ = agents_program(lambda question: "", agent=agent, variants={"a": {"v": change}}, metric=right).steps
        return [step.impls[v].version for v in ("", "v")]

    base, v = versions(Agent(name="a", model="gpt-4o", instructions="One."), model="gpt-5")
    assert versions(Agent(name="a", model="gpt-4o", instructions="One."), model="gpt-5") == [base, v]
    others = [
        versions(Agent(name="a", model="gpt-4o", instructions="Two."), instructions="Three."),
        versions(Agent(name="a", model="gpt-4o", instructions="One.", output_type=Desk), model_settings={"seed": 1}),
        versions(Agent(name="a", model=says("x"), instructions="One."), model=says("y")),
        versions(Agent(name="a", model="gpt-4o", instructions="One.", handoffs=[Agent(name="b")]), prompt={"id": "p"}),
    ]
    found = [base, v, *(version for pair in others for version in pair)]
    assert len(set(found)) == len(found)


def test_errors(binary):
    agent, strange = Agent(name="writer", model=says("no")), Agent(name="strange", model=says("yes"))

    def refused(run, why):
        program = agents_program(run, agent=agent, variants={"writer": {"v": {"model": says("yes")}}}, metric=right)
        with pytest.raises(AnalysisError, match=why):
            analyze_case(program, CASE)

    async def plain(question):
        return (await Runner.run(agent, question)).final_output

    async def unknown(question):
        return (await Runner.run(strange, question)).final_output

    async def another_model(question):
        return (await Runner.run(agent, question, run_config=RunConfig(model=says("yes")))).final_output

    async def conversation(question):
        return (await Runner.run(agent, question, conversation_id="c1")).final_output

    refused(unknown, "agent strange takes a turn, but it isn't one that the program knows")
    refused(another_model, "a model of a RunConfig can't be replayed unless it is a name")
    refused(conversation, "agent writer: a conversation that the server keeps")
    with pytest.raises(UsageError, match="has no agent or tool writre: it has writer"):
        agents_program(plain, agent=agent, variants={"writre": {}}, metric=right)
    with pytest.raises(UsageError, match="variant v of agent writer has no change tools: it has instructions, model"):
        agents_program(plain, agent=agent, variants={"writer": {"v": {"tools": []}}}, metric=right)
    with pytest.raises(UsageError, match="two agents or tools are called writer"):
        agents_program(plain, agent=[agent, Agent(name="writer")], metric=right)
    with pytest.raises(UsageError, match="agent served has MCP servers, whose tools can't be replayed"):
        agents_program(plain, agent=Agent(name="served", mcp_servers=[MCPServerStdio({"command": "true"})]), metric=right)
