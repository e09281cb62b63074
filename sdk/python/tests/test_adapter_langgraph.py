"""LangGraph graphs as programs."""

import asyncio
import json
import operator
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Annotated, TypedDict

import pytest

pytest.importorskip("langgraph")

from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import NodeError
from langgraph.graph import END, START, MessagesState, StateGraph, add_messages
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, RetryPolicy, Send, interrupt
from pydantic import BaseModel

import agent
import langgraph_agent
from agentblame import Case, UsageError, analyze_case, context, flush
from agentblame.adapters import Variant
from agentblame.adapters.langgraph import graph_program
from replaying import replay


def compiled(state, nodes, *edges, **options):
    """A graph of nodes that follow each other, unless there are edges."""
    builder = StateGraph(state)
    for name, node in nodes.items():
        builder.add_node(name, node)
    for start, end in edges or zip([START, *nodes], [*nodes, END]):
        builder.add_edge(start, end)
    return builder.compile(**options)


def ones(state):
    return 1.0


@pytest.mark.parametrize("players", ["steps", "calls"])
def test_a_loop_gives_the_programs_blame(binary, players):
    program = analyze_case(agent.agent, agent.CASE, players=players)
    graph = analyze_case(langgraph_agent.agent, agent.CASE, players=players)
    assert graph.shapley_exact == program.shapley_exact
    assert list(graph.shapley) == list(program.shapley)
    assert graph.minimal_repairs == program.minimal_repairs
    assert len(graph.shapley) == (3 if players == "steps" else 7)


def test_the_example_is_served(agentblame, tmp_path):
    (tmp_path / "cases.jsonl").write_text(json.dumps(agent.CASE.to_dict()))
    agentblame(
        "blame", "--host", "python3 -m agentblame langgraph_agent:agent", "--cases", "cases.jsonl", "-o", "r.json"
    )
    (case,) = json.loads((tmp_path / "r.json").read_text())["cases"]
    assert case["shapley_exact"] == {"search": "2/3", "judge": "1/6", "write": "1/6"}


def test_the_graph_stays_as_it_is():
    before = dict(langgraph_agent.graph.nodes)
    bound = {name: node.bound for name, node in before.items()}
    replay(langgraph_agent.agent, topic="capital")
    assert langgraph_agent.graph.nodes == before
    assert all(before[name].bound is b for name, b in bound.items())
    assert langgraph_agent.agent(topic="capital") == langgraph_agent.graph.invoke({"topic": "capital"})


class Chat(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    kinds: Annotated[list[str], operator.add]


def chat(asynchronous):
    def model(state: Chat):
        kinds = [type(m).__name__ for m in state["messages"]]
        last = state["messages"][-1]
        if isinstance(last, ToolMessage):
            # LangGraph takes messages in many forms.
            return {"messages": ("ai", f"it is {last.content}"), "kinds": kinds}
        call = {"name": "look", "args": {"at": "clock"}, "id": "t1", "type": "tool_call"}
        return {"messages": [AIMessage("", tool_calls=[call])], "kinds": kinds}

    async def amodel(state: Chat):
        await asyncio.sleep(0)
        return model(state)

    def tools(state: Chat):
        calls = state["messages"][-1].tool_calls
        return {"messages": [ToolMessage(f"{c['args']['at']} five", tool_call_id=c["id"]) for c in calls]}

    def forget(state: Chat):
        return {"messages": [RemoveMessage(id=state["messages"][0].id)]}

    builder = StateGraph(Chat)
    builder.add_node("model", amodel if asynchronous else model)
    builder.add_node("tools", tools)
    builder.add_node("forget", forget)
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", lambda s: "tools" if s["messages"][-1].tool_calls else "forget")
    builder.add_edge("tools", "model")
    builder.add_edge("forget", END)
    return builder.compile()


@pytest.mark.parametrize("asynchronous", [False, True])
def test_messages(asynchronous):
    """They are what they are in nodes, edges and metrics, and runs are the same every time."""
    seen = []

    def metric(state):
        seen.extend((type(m).__name__, m.content) for m in state["messages"])
        return 1

    p = graph_program(
        chat(asynchronous), inputs=["question"], metric=metric,
        state=lambda question: {"messages": [HumanMessage(question)]},
    )  # fmt: skip
    assert p.asynchronous is asynchronous
    calls, output = replay(p, question="when?")
    assert list(calls) == ["model#1", "tools#1", "model#2", "forget#1"]
    assert output["kinds"] == ["HumanMessage", "HumanMessage", "AIMessage", "ToolMessage"]
    assert replay(p, question="when?") == (calls, output)
    p.score.fn(state=output)
    assert seen == [("AIMessage", ""), ("ToolMessage", "clock five"), ("AIMessage", "it is clock five")]
    own = asyncio.run(p(question="when?")) if asynchronous else p(question="when?")
    assert [m.content for m in own["messages"]] == [content for _, content in seen]


class Tally(TypedDict, total=False):
    words: list[str]
    lengths: Annotated[list[int], operator.add]
    total: int


def tally(asynchronous):
    def split(state):
        words = [w.strip() for w in state["words"]]
        return Command(update={"words": words}, goto=[Send("measure", {"word": w}) for w in words])

    async def ameasure(sent):
        await asyncio.sleep(0)
        return {"lengths": [len(sent["word"])]}

    builder = StateGraph(Tally)
    builder.add_node("split", split, destinations=("measure",))
    builder.add_node("measure", ameasure if asynchronous else lambda sent: {"lengths": [len(sent["word"])]})
    builder.add_node("add", lambda state: {"total": sum(state["lengths"])})
    builder.add_edge(START, "split")
    builder.add_edge("measure", "add")
    builder.add_edge("add", END)
    return graph_program(
        builder.compile(), inputs=["words"], metric=lambda s: min(1, s["total"] / 10),
        variants={"measure": {"generous": lambda sent: {"lengths": [len(sent["word"]) + 1]}}},
    )  # fmt: skip


@pytest.mark.parametrize("asynchronous", [False, True])
def test_command_and_send(binary, asynchronous):
    """What is sent at once has names."""
    p = tally(asynchronous)
    calls, output = replay(p, words=["a ", "bcd"])
    assert output["total"] == 4
    assert sorted(calls) == ["add#1", "measure#2.0-sent", "measure#2.1-sent", "split#1"]
    assert calls["split#1"]["output"]["$command"]["update"] == {"words": ["a", "bcd"]}
    case = analyze_case(p, Case("one", {"words": ["a ", "bcd"]}))
    assert case.shapley == pytest.approx({"measure": 0.2})
    case = analyze_case(p, Case("one", {"words": ["a ", "bcd"]}), players="calls")
    assert case.shapley == pytest.approx({"measure#2.0-sent": 0.1, "measure#2.1-sent": 0.1})


@pytest.mark.parametrize("asynchronous", [False, True])
def test_branches_at_once(binary, asynchronous):
    def node(n):
        async def add(state):
            await asyncio.sleep(0.001)
            return {"lengths": [n]}

        return add if asynchronous else lambda state: {"lengths": [n]}

    graph = compiled(
        Tally, {"left": node(1), "right": node(2), "sum": lambda s: {"total": sum(s["lengths"])}},
        (START, "left"), (START, "right"), ("left", "sum"), ("right", "sum"),
    )  # fmt: skip
    p = graph_program(
        graph, inputs=[], metric=lambda s: s["total"] / 10,
        variants={"left": {"more": node(4)}, "right": {"more": node(5)}},
    )  # fmt: skip
    case = analyze_case(p, Case("one"), concurrency=8)
    assert case.shapley == pytest.approx({"left": 0.3, "right": 0.3})


def test_a_failing_node(binary):
    """Its error is the step's, and the graph's own retries are off."""
    runs = []

    def fail(state):
        runs.append(1)
        raise LookupError("no words")

    builder = StateGraph(Tally)
    builder.add_node(
        "fail", fail, retry_policy=RetryPolicy(max_attempts=4, initial_interval=0.001, retry_on=LookupError)
    )
    builder.add_edge(START, "fail")
    p = graph_program(
        builder.compile(), inputs=["words"], metric=lambda s: s["total"],
        variants={"fail": {"fixed": Variant(lambda s: {"total": 1}, cost=2)}},
    )  # fmt: skip
    case = analyze_case(p, Case("one", {"words": []}))
    assert (case.score, case.shapley, len(runs)) == (0, {"fail": 1}, 1)
    assert case.errors[0]["message"] == "no words"


def test_an_error_handler():
    def fail(state):
        raise LookupError("no words")

    def handle(state, error: NodeError):
        assert isinstance(error.error, LookupError)
        return {"words": [error.node, str(error.error)]}

    builder = StateGraph(Tally)
    builder.add_node("fail", fail, error_handler=handle)
    builder.add_edge(START, "fail")
    graph = builder.compile()
    calls, output = replay(graph_program(graph, inputs=[], metric=ones))
    assert output["words"] == graph.invoke({})["words"] == ["fail", "no words"]
    (handled,) = [c for label, c in calls.items() if not label.startswith("fail#")]
    assert handled["inputs"]["error"]["message"] == "no words"


def test_edges_that_decide_by_a_model(binary):
    """They are steps; so is an edge that has variants."""
    model = FakeMessagesListChatModel(responses=[AIMessage("short")])

    def route(state: Tally):
        return model.invoke("which?").content

    def last(state: Tally):
        return END if state["words"] else "long"

    builder = StateGraph(Tally)
    builder.add_node("start", lambda s: {"words": []})
    builder.add_node("short", lambda s: {"total": 1})
    builder.add_node("long", lambda s: {"total": 4})
    builder.add_edge(START, "start")
    builder.add_conditional_edges("start", route, ["short", "long"])
    builder.add_conditional_edges("short", last, ["long", END])
    p = graph_program(
        builder.compile(), inputs=[], metric=lambda s: s["total"] == 1,
        variants={"route": {"at-once": lambda s: "long"}, "last": {"never": lambda s: END}},
    )  # fmt: skip
    assert [s.name for s in p.steps] == ["start", "short", "long", "route", "last"]
    assert p.steps[3].impls[""].options["deterministic"] is False
    calls, output = replay(p)
    assert list(calls) == ["start#1", "route#1", "short#1", "last#1", "long#1"]
    assert calls["route#1"]["inputs"]["state"]["words"] == [] and calls["last#1"]["output"] == "long"
    assert output["total"] == 4
    assert replay(p, {"last": "never"})[1]["total"] == 1
    assert p()["total"] == 4
    assert analyze_case(p, Case("c")).shapley == {"route": -0.5, "last": 0.5}


def test_async_tools():
    @tool
    async def look(at: str) -> str:
        """Looks."""
        return f"{at} read"

    call = {"name": "look", "args": {"at": "clock"}, "id": "1", "type": "tool_call"}
    p = graph_program(compiled(MessagesState, {"tools": ToolNode([look])}), inputs=["messages"], metric=ones)
    assert p.asynchronous
    calls, output = replay(p, messages=[{"$message": {"type": "ai", "content": "", "tool_calls": [call]}}])
    assert output["messages"][-1]["$message"]["content"] == "clock read"


@dataclass
class Fact:
    text: str
    tags: set[str] = field(default_factory=set)


@dataclass
class DataState:
    facts: Annotated[list[Fact], operator.add] = field(default_factory=list)
    best: Fact | None = None


class ModelState(BaseModel):
    facts: Annotated[list[Fact], operator.add] = []
    best: Fact | None = None


class DictState(TypedDict, total=False):
    facts: Annotated[list[Fact], operator.add]
    best: Fact | None


@pytest.mark.parametrize("cls", [DataState, ModelState, DictState])
def test_states_of_any_class(cls):
    """Nodes and edges get, and metrics too, what the schema says."""

    def facts(state):
        return state["facts"] if cls is DictState else state.facts

    def find(state: cls):
        update = {"facts": [Fact("a", {"x"}), Fact("b")]}
        return update if cls is DictState else cls(**update)

    def choose(state: cls):
        assert isinstance(state, dict if cls is DictState else cls)
        assert all(isinstance(f.tags, set) for f in facts(state))
        return {"best": facts(state)[0]}

    graph = compiled(cls, {"find": find, "choose": choose})
    p = graph_program(
        graph, inputs=[], metric=lambda state: isinstance(state["best"], Fact) and state["best"].tags == {"x"}
    )
    calls, output = replay(p)
    assert output == {
        "facts": [{"text": "a", "tags": ["x"]}, {"text": "b", "tags": []}],
        "best": {"text": "a", "tags": ["x"]},
    }
    assert p.score.fn(state=output) is True
    assert p() == graph.invoke({})


def test_noise_context_and_config():
    @dataclass
    class Settings:
        language: str

    def node(state, config, runtime: Runtime[Settings]):
        draw = context().noise.categorical("word", {"yes": 0, "no": 0}) if context() else "out"
        runtime.stream_writer("said")
        return {"words": [draw, runtime.context.language, config["configurable"]["model"]]}

    builder = StateGraph(Tally, context_schema=Settings)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    p = graph_program(
        builder.compile(), inputs=[], metric=ones, context={"language": "de"}, config={"configurable": {"model": "m"}}
    )
    calls, output = replay(p)
    assert output["words"] == [calls["node#1"]["draws"][0]["chosen"], "de", "m"]
    assert p()["words"] == ["out", "de", "m"]


def test_a_graph_in_a_node():
    """It is one step, and may send its parent on."""
    inner = compiled(
        Tally, {"go": lambda s: Command(graph=Command.PARENT, goto="end", update={"words": ["inner"]})}, (START, "go")
    )
    builder = StateGraph(Tally)
    builder.add_node("inner", inner, destinations=("end", "never"))
    builder.add_node("never", lambda s: {"words": ["never"]})
    builder.add_node("end", lambda s: {"words": [*s["words"], "end"]})
    builder.add_edge(START, "inner")
    graph = builder.compile()
    calls, output = replay(graph_program(graph, inputs=[], metric=ones))
    assert list(calls) == ["inner#1", "end#1"]
    assert output["words"] == graph.invoke({})["words"] == ["inner", "end"]


def test_an_agent_and_its_tools(binary):
    """Tools that a model asks for at once are calls at once, and see the state around them."""

    @tool
    def look(at: str) -> str:
        """Looks."""
        return f"{at} read"

    asked = AIMessage("", tool_calls=[{"name": "look", "args": {"at": at}, "id": at} for at in ("clock", "calendar")])

    class Model(FakeMessagesListChatModel):
        def _generate(self, messages, *args, **kwargs):
            found = " and ".join(m.content for m in messages if isinstance(m, ToolMessage))
            self.responses, self.i = [AIMessage(found) if found else asked.model_copy()], 0
            return super()._generate(messages, *args, **kwargs)

    model = Model(responses=[])
    builder = StateGraph(MessagesState)
    builder.add_node("model", lambda s: {"messages": [model.invoke(s["messages"])]})
    builder.add_node("tools", ToolNode([look]))
    builder.add_edge(START, "model")

    def onwards(state):
        return [Send("tools", [c]) for c in state["messages"][-1].tool_calls] or END

    builder.add_conditional_edges("model", onwards, ["tools", END])
    builder.add_edge("tools", "model")
    p = graph_program(
        builder.compile(), inputs=["question"], state=lambda question: {"messages": [("user", question)]},
        variants={"model": {"brief": lambda s: {"messages": [AIMessage("five")]}}},
        metric=lambda state: state["messages"][-1].content == "five",
    )  # fmt: skip
    assert p.steps[0].impls[""].options["deterministic"] is False
    assert "deterministic" not in p.steps[1].impls[""].options
    calls, output = replay(p, question="when?")
    assert sorted(calls) == ["model#1", "model#2", "tools#2.0-sent", "tools#2.1-sent"]
    assert calls["tools#2.0-sent"]["inputs"]["around"]["messages"][0]["$message"]["content"] == "when?"
    assert output["messages"][-1]["$message"]["content"] == "clock read and calendar read"
    assert replay(p, question="when?") == (calls, output), "ids of runs are no part of what a model says"
    assert analyze_case(p, Case("a", {"question": "when?"})).shapley == {"model": 1}


def test_what_cannot_be_replayed():
    def ask(state):
        return {"words": [interrupt("which?")]}

    def remember(state, *, store):
        store.put(("a",), "b", {})
        return {}

    def run(graph):
        return replay(graph_program(graph, name="g", inputs=[], metric=ones))

    with pytest.raises(
        UsageError, match="g has no node or conditional edge serach: it has search, judge, write, onwards"
    ):
        graph_program(langgraph_agent.graph, name="graph g", inputs=[], metric=ones, variants={"serach": {"x": ones}})
    with pytest.raises(UsageError, match="no compiled StateGraph but a StateGraph: call compile"):
        graph_program(StateGraph(Tally), name="g", inputs=[], metric=ones)
    with pytest.raises(UsageError, match="compiled with interrupts"):
        graph_program(compiled(Tally, {"n": ones}, interrupt_before=["n"]), inputs=[], metric=ones)
    with pytest.raises(UsageError, match=r"node ask calls interrupt\(\)"):
        run(compiled(Tally, {"ask": ask}, checkpointer=InMemorySaver()))
    with pytest.raises(UsageError, match=r"node inner calls interrupt\(\)"):
        run(compiled(Tally, {"inner": compiled(Tally, {"ask": ask})}, checkpointer=InMemorySaver()))
    with pytest.raises(UsageError, match="node remember uses the graph's store"):
        run(compiled(Tally, {"remember": remember}, store=InMemoryStore()))


def test_recorded_in_production(tmp_path, monkeypatch):
    """With all that the graph has: here a checkpointer, so that it goes on where it was."""
    graph = compiled(Tally, {"count": lambda s: {"lengths": [len(s.get("lengths", []))]}}, checkpointer=InMemorySaver())
    p = graph_program(graph, name="counted", inputs=["words"], metric=ones, config={"configurable": {"thread_id": "t"}})
    p(words=[])
    monkeypatch.setenv("AGENTBLAME_RECORD", str(tmp_path))
    assert p(words=[])["lengths"] == [0, 1]
    assert flush()
    (file,) = tmp_path.iterdir()
    (case,) = map(json.loads, file.read_text().splitlines())
    assert case["recording"]["count"] == {
        "inputs": {"state": {"words": [], "lengths": [0]}},
        "output": {"lengths": [1]},
    }


def test_a_recording_is_replayed(binary, tmp_path, monkeypatch):
    """What a run did is known in its replay, whatever ids its messages had."""
    runs = []

    def model(state):
        runs.append(1)
        return {"messages": [Echo(responses=[AIMessage(f"{len(state['messages'])}")]).invoke("")]}

    class Echo(FakeMessagesListChatModel):
        pass

    builder = StateGraph(MessagesState)
    builder.add_node("model", model)
    builder.add_node("shorten", lambda s: {"messages": [RemoveMessage(id=s["messages"][-1].id), ("ai", "short")]})
    builder.add_node("end", model)
    for start, end in zip([START, *builder.nodes], [*builder.nodes, END]):
        builder.add_edge(start, end)
    p = graph_program(
        builder.compile(), name="chat", inputs=["messages"],
        variants={"end": {"better": lambda s: {"messages": [("ai", "good")]}}},
        metric=lambda state: state["messages"][-1].content == "good",
    )  # fmt: skip
    monkeypatch.setenv("AGENTBLAME_RECORD", str(tmp_path))
    out = p(messages=[{"role": "user", "content": "hello"}])
    assert [m.content for m in out["messages"]] == ["hello", "short", "2"]
    assert out["messages"][-1].id.startswith("lc_run-")
    assert flush()
    (file,) = tmp_path.iterdir()
    assert len(runs) == 2
    case = analyze_case(p, json.loads(file.read_text()))
    assert case.shapley == {"end": 1} and len(runs) == 2, "nothing is run again"


def test_versions():
    """They change with what a node is, and are the same in every process."""

    def versions(p):
        return {s.name: {name: impl.version for name, impl in s.impls.items()} for s in p.steps}

    own = versions(langgraph_agent.agent)
    assert len({v for found in own.values() for v in found.values()}) == 6
    source = (
        "import json, langgraph_agent as a;"
        "print(json.dumps({s.name: {n: i.version for n, i in s.impls.items()} for s in a.agent.steps}))"
    )
    other = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert json.loads(other.stdout) == own, other.stderr

    def prefixed(prefix):
        return graph_program(compiled(Tally, {"n": lambda s: {"words": [prefix]}}), inputs=[], metric=ones)

    assert versions(prefixed("a")) != versions(prefixed("b"))

    def asking(answer):
        model = FakeMessagesListChatModel(responses=[AIMessage(answer)])
        return graph_program(compiled(MessagesState, {"n": lambda s: model.invoke("")}), inputs=[], metric=ones)

    assert versions(asking("a")) != versions(asking("b")) and versions(asking("a")) == versions(asking("a"))
    assert versions(prefixed("a")) == versions(prefixed("a"))
