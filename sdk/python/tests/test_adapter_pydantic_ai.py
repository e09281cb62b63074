"""Pydantic AI agents as steps of programs."""

import asyncio
import dataclasses
import json

import pytest
from pydantic_ai import Agent, ModelRetry, RunContext, ToolReturn
from pydantic_ai.agent import WrapperAgent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import RunUsage, UsageLimits

import pydantic_ai_orders
import pydantic_ai_support
from agentblame import AnalysisError, Case, UsageError, analyze_case, context, flush, step
from agentblame.adapters import Variant
from agentblame.adapters.pydantic_ai import agents_program, named
from agentblame.adapters.pydantic_values import history_of
from replaying import replay

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


def test_the_example_with_tools(agentblame, tmp_path):
    from pathlib import Path

    agentblame(
        "blame", "--host", "python3 -m agentblame pydantic_ai_orders:support", "--players", "calls",
        "--cases", str(Path(pydantic_ai_orders.__file__).with_suffix(".jsonl")), "-o", "result.json",
    )  # fmt: skip
    case = json.loads((tmp_path / "result.json").read_text())["cases"][0]
    assert case["shapley"] == {"desk#1": 0, "desk#2": 0.5, "desk#3": 0, "find_rule#1": 0.5}
    assert case["minimal_repairs"] == [["desk#2"], ["find_rule#1"]]


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


@step("shout")
def shout(text: str) -> str:
    return f"{text}!"


@shout.variant("whisper")
def whisper(text: str) -> str:
    return text


def test_one_agent_in_two_programs_and_steps_of_the_users_own(binary):
    agent = Agent(says("yes"), name="writer")

    async def loud(question):
        return shout((await agent.run(question)).output)

    async def calm(question):
        return (await agent.run(question)).output

    first = agents_program(loud, agents=[agent], metric=right)
    second = agents_program(calm, agents={"another": agent}, metric=right)
    assert [s.name for s in first.steps] == ["writer", "shout"]
    assert analyze_case(first, CASE).shapley == {"shout": 1}
    assert list(replay(second, question="?")[0]) == ["another#1"]
    assert list(replay(first, question="?")[0]) == ["writer#1", "shout#1"]


def test_runs_that_say_the_same_are_the_same():
    """Also where a model gives random ids to its calls of tools, and where a history goes on."""
    agent = Agent(
        FunctionModel(lambda m, info: ModelResponse([ToolCallPart(info.output_tools[0].name, {"response": len(m)})])),
        name="counter", output_type=int,
    )  # fmt: skip

    async def count(question):
        first = await agent.run(question)
        return (await agent.run("And?", message_history=first.all_messages(), conversation_id="c")).output

    program = agents_program(count, agents=[agent], metric=lambda n: 0.0)
    calls, output = replay(program, question="?")
    assert output == asyncio.run(count("?")) == 3
    assert (calls, output) == replay(program, question="?")
    history, messages = calls["counter#2"]["inputs"]["history"], history_of(calls["counter#2"]["output"])
    assert messages[: len(history)] == history
    ids = [p["tool_call_id"] for m in messages for p in m["parts"] if p["part_kind"] == "tool-call"]
    assert len(set(ids)) == 2


def test_usage_is_counted_and_limits_are_kept():
    agent = Agent(says("no"), name="writer")

    async def write(question):
        usage = RunUsage()
        await agent.run(question, usage=usage, usage_limits=UsageLimits(request_limit=2))
        return usage.requests

    program = agents_program(write, agents=[agent], metric=lambda n: 0.0)
    calls, output = replay(program, question="?")
    assert output == asyncio.run(write("?")) == 1
    assert calls["writer#1"]["inputs"]["options"]["usage_limits"]["request_limit"] == 2


@dataclasses.dataclass
class Desk:
    seen: list[str]


def think(messages, info):
    """Asks for two shelves at once, the second time round for a third, and tells what it has been told."""
    told = [p.content for m in messages for p in m.parts if isinstance(p, ToolReturnPart) and p.outcome == "success"]
    if len(told) < 2:
        shelves = "c" if any("again" in str(p) for p in messages[-1].parts) else "xa"
        return ModelResponse([ToolCallPart("look", {"shelf": s}) for s in shelves])
    return ModelResponse([TextPart(f"{info.instructions}: {' '.join(map(str, told))}")])


def shelves(**options):
    """A program whose agent's turns and tools are steps."""
    agent = Agent(FunctionModel(think), name="finder", deps_type=Desk, instructions="Look.")

    @agent.tool
    async def look(ctx: RunContext[Desk], shelf: str) -> ToolReturn:
        ctx.deps.seen.append(shelf)  # async: in threads the order would be a matter of luck
        if shelf == "x":
            raise ModelRetry("look again")
        return ToolReturn(f"{shelf}{len(ctx.deps.seen)}", metadata={"shelf": shelf})

    async def find(question):
        desk = Desk([])
        return [(await agent.run(question, deps=desk)).output, desk.seen]

    return agents_program(find, agents=[agent], turns=["finder"], metric=lambda out: 0.0, **options), find


def test_turns_and_tools():
    """A replay comes to what the agent itself comes to, with retries, changed dependencies and tools at once."""
    program, find = shelves()
    calls, output = replay(program, question="?")
    assert list(calls) == ["finder#1", "look#finder 1.1", "look#finder 1.2", "finder#2", "look#1", "finder#3"]
    assert calls["look#finder 1.1"]["output"] == {"retry": "look again", "deps": {"seen": ["x"]}}
    assert calls["look#1"]["inputs"] == {"arguments": {"shelf": "c"}, "deps": {"seen": ["x", "a"]}, "retry": 1}
    assert output == asyncio.run(find("?")) == ["Look.: a2 c3", ["x", "a", "c"]]
    assert (calls, output) == replay(program, question="?")


def test_variants_of_turns():
    change = {"instructions": "Look well.", "model_settings": {"temperature": 0.5}}
    program, _ = shelves(variants={"finder": {"well": change}, "look": {"blind": lambda shelf: "nothing"}})
    calls, output = replay(program, {"finder": "well"}, question="?")
    assert output[0] == "Look well.: a2 c3"
    calls, output = replay(program, {"look": "blind"}, question="?")
    assert output == ["Look.: nothing nothing", []]
    with pytest.raises(UsageError, match="whose turns are steps, has no change tools: it has instructions, model"):
        shelves(variants={"finder": {"v": {"tools": []}}})


def test_streams_are_replayed_by_turns():
    agent = Agent(TestModel(custom_output_text="It is so."), name="writer")

    async def write(question):
        async with agent.run_stream(question) as run:
            return [text async for text in run.stream_text(delta=True)]

    program = agents_program(write, agents=[agent], turns=["writer"], metric=lambda out: 0.0)
    calls, output = replay(program, question="?")
    assert "".join(output) == "It is so." and list(calls) == ["writer#1"]


def test_tools_that_run_agents_are_inline():
    helper = Agent(says("yes"), name="helper")
    boss = Agent(TestModel(), name="boss")

    @boss.tool_plain
    async def ask_helper(question: str) -> str:
        return (await helper.run(question)).output

    async def run(question):
        return (await boss.run(question)).output

    program = agents_program(run, agents=[boss, helper], turns=["boss"], inline=["ask_helper"], metric=right)
    calls, output = replay(program, question="?")
    assert list(calls) == ["boss#1", "helper#1", "boss#2"]
    assert output == asyncio.run(run("?")) == '{"ask_helper":"yes"}'


def test_wrapped_agents():
    agent = WrapperAgent(Agent(TestModel(custom_output_text="yes"), name="inner"))

    async def run(question):
        return (await agent.run(question)).output

    for turns in ([], ["outer"]):
        program = agents_program(run, agents={"outer": agent}, turns=turns, metric=right)
        calls, output = replay(program, question="?")
        assert list(calls) == ["outer#1"] and output == "yes"


def test_tools_that_agents_share():
    def look() -> str:
        return "x"

    def other() -> str:
        return "y"

    one, two = (Agent(TestModel(), name=n, tools=[look]) for n in ("one", "two"))

    async def run(question):
        return [(await a.run(question)).output for a in (one, two)]

    program = agents_program(run, agents=[one, two], turns=["one", "two"], metric=lambda out: 0.0)
    calls, _ = replay(program, question="?")
    assert list(calls) == ["one#1", "look#1", "one#2", "two#1", "look#2", "two#2"]
    other.__name__ = "look"
    strange = Agent(TestModel(), name="three", tools=[other])
    with pytest.raises(UsageError, match="two tools are called look"):
        agents_program(run, agents=[one, strange], turns=["one", "three"], metric=lambda out: 0.0)


class Client:
    """What JSON has not."""

    def __init__(self, days):
        self.days = days


@pytest.mark.parametrize("turns", [[], ["writer"]])
def test_dependencies_that_are_no_json(binary, turns):
    agent = Agent(TestModel(), name="writer", deps_type=Client)

    @agent.tool
    def days(ctx: RunContext[Client]) -> int:
        return ctx.deps.days

    async def run(question):
        return (await agent.run(question, deps=Client(30))).output

    given = {"agents": [agent], "turns": turns, "metric": right}
    program = agents_program(run, deps=(lambda client: client.days, Client), **given)
    assert replay(program, question="?")[1] == '{"days":30}'
    plain = agents_program(run, variants={"writer": {"v": {"model": TestModel()}}}, **given)
    with pytest.raises(AnalysisError, match="input of step .* can't be written as JSON: at .deps, the value is a .*Client"):
        analyze_case(plain, CASE)


@pytest.mark.parametrize("turns", [[], ["finder"]])
def test_recordings(monkeypatch, tmp_path, turns):
    """Agents do in them what they always do, and replays make the same calls."""
    agent = Agent(FunctionModel(think), name="finder", deps_type=Desk, instructions="Look.")

    @agent.tool
    async def look(ctx: RunContext[Desk], shelf: str) -> str:
        ctx.deps.seen.append(shelf)
        return shelf

    async def find(question):
        desk = Desk([])
        out = await agent.run(question, deps=desk)
        assert out.all_messages()[0].timestamp.year > 2000
        return [out.output, desk.seen]

    program = agents_program(find, agents=[agent], turns=turns, metric=lambda out: 0.0)
    monkeypatch.setenv("AGENTBLAME_RECORD", str(tmp_path))
    assert asyncio.run(program("?")) == ["Look.: x a", ["x", "a"]]
    assert flush()
    (file,) = tmp_path.glob("*.jsonl")
    recording = json.loads(file.read_text())["recording"]
    assert list(recording) == (["finder", "look#finder 1.1", "look#finder 1.2", "finder#2"] if turns else ["finder"])
    assert all("output" in call for call in recording.values())


def test_recordings_never_raise(monkeypatch, tmp_path):
    agent = Agent(TestModel(custom_output_text="yes"), name="writer")

    async def run(question):
        return (await agent.run(question, toolsets=[FunctionToolset()], deps=Client(1))).output

    program = agents_program(run, agents=[agent], metric=right)
    monkeypatch.setenv("AGENTBLAME_RECORD", str(tmp_path))
    assert asyncio.run(program("?")) == "yes"
    assert flush()
    (file,) = tmp_path.glob("*.jsonl")
    assert json.loads(file.read_text())["recording"] == {}


def test_versions():
    def version(agent, turns=(), **change):
        (step,) = agents_program(
            lambda question: "", agents={"a": agent}, variants={"a": {"v": change}}, turns=turns, metric=right
        ).steps
        return step.impls["v"].version

    def tool() -> str:
        return "a"

    def other_tool() -> str:
        return "b"

    def prompted(text):
        agent = Agent("test", instructions="One.", tools=[tool])
        agent.system_prompt(lambda: text)
        return version(agent)

    base = Agent("test", instructions="One.", tools=[tool])
    assert prompted("a") == prompted("a") != prompted("b")
    assert version(base) == version(Agent("test", instructions="One.", tools=[tool]))
    changed = [
        version(base), version(Agent("test", instructions="Two.", tools=[tool])),
        version(Agent("test", instructions="One.", tools=[other_tool])),
        version(Agent("test", instructions="One.", tools=[tool], output_type=int)),
        version(base, model="openai:gpt-4o"), version(base, model_settings={"temperature": 0.5}),
        version(base, tools=[other_tool]), version(base, instructions="Two."),
    ]  # fmt: skip
    assert len(set(changed)) == len(changed)


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
    with pytest.raises(AnalysisError, match=r"agent.run_stream can't be replayed as a whole; use agent.run, or turns=\['writer'\]"):
        analyze_case(program, CASE)

    strange = Agent(says("yes"), name="strange")

    async def stranger(question):
        return (await strange.run(question)).output

    program = agents_program(
        stranger, agents=[agent], variants={"writer": {"v": {"model": says("yes")}}}, metric=right
    )
    assert asyncio.run(stranger("?")) == asyncio.run(program("?")) == "yes"
    with pytest.raises(AnalysisError, match="agent strange is run, but it isn't one that the program knows"):
        analyze_case(program, CASE)
