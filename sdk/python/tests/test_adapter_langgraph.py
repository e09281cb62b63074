"""LangGraph graphs as programs."""

import dataclasses
import json
import operator
from typing import Annotated, TypedDict

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel

import agent
import langgraph_agent
from agentblame import AnalysisError, Case, UsageError, analyze_case, blame_batch, context
from agentblame.adapters.langgraph import graph_program


def chain(state, **nodes):
    builder = StateGraph(state)
    last = START
    for name, node in nodes.items():
        builder.add_node(name, node)
        builder.add_edge(last, name)
        last = name
    builder.add_edge(last, END)
    return builder


@pytest.mark.parametrize("players", ["steps", "calls"])
def test_a_loop_gives_the_blame_of_the_same_program(binary, players):
    graph = analyze_case(langgraph_agent.agent, agent.CASE, players=players)
    program = analyze_case(agent.agent, agent.CASE, players=players)
    assert graph.shapley == program.shapley
    assert graph.shapley_exact == program.shapley_exact
    assert graph.minimal_repairs == program.minimal_repairs
    assert graph.score == 0 and graph.score_fixed == 1


def test_the_example_is_served(agentblame, tmp_path):
    from pathlib import Path

    examples = Path(agent.__file__).parent
    agentblame(
        "blame", "--host", "python3 -m agentblame langgraph_agent:agent",
        "--cases", str(examples / "agent.jsonl"), "-o", "result.json",
    )  # fmt: skip
    case = json.loads((tmp_path / "result.json").read_text())["cases"][0]
    assert case["shapley_exact"] == {"search": "2/3", "judge": "1/6", "write": "1/6"}


def test_the_graph_stays_as_it_is():
    assert langgraph_agent.agent(topic="capital")["answer"] == "Sydney is the largest city."
    assert langgraph_agent.graph.invoke({"topic": "capital"})["answer"] == "Sydney is the largest city."


def test_messages_and_their_ids(binary):
    """Reducers give messages random ids; replays must not differ by them."""

    def think(state: MessagesState):
        assert isinstance(state["messages"][0], HumanMessage)
        return {"messages": [AIMessage("sixty")]}

    def reply(state: MessagesState):
        return {"messages": [AIMessage(f"It is {state['messages'][-1].content}.")]}

    graph = chain(MessagesState, think=think, reply=reply).compile(checkpointer=InMemorySaver())
    program = graph_program(
        graph,
        name="chat",
        inputs=["question"],
        state=lambda question: {"messages": [HumanMessage(question)]},
        variants={
            "think": {"better": lambda state: {"messages": [AIMessage("thirty")]}},
            "reply": {"echo": lambda state: {"messages": [AIMessage(state["messages"][-1].content)]}},
        },
        metric=lambda state, case: case.expected in state["messages"][-1].content,
    )
    cases = [Case(str(i), {"question": "How many?"}, expected="thirty") for i in range(3)]
    result = blame_batch(program, cases, concurrency=8)
    assert [c.shapley for c in result.cases] == [{"think": 1, "reply": 0}] * 3
    assert not result.cases[0].undefined
    assert result.cases[0].cost == result.cases[1].cost


def test_fan_out_by_send(binary):
    class State(TypedDict):
        shards: list[str]
        found: Annotated[list[str], operator.add]

    def find(state):
        return {"found": [state["shard"].lower()]}

    def find_better(state):
        return {"found": [state["shard"]]}

    builder = StateGraph(State)
    builder.add_node("find", find)
    builder.add_conditional_edges(START, lambda s: [Send("find", {"shard": x}) for x in s["shards"]], ["find"])
    builder.add_edge("find", END)
    program = graph_program(
        builder.compile(),
        name="fan",
        inputs=["shards"],
        variants={"find": {"better": find_better}},
        metric=lambda state: sum(x.isupper() for x in state["found"]) / len(state["found"]),
    )
    one = analyze_case(program, Case("a", {"shards": ["A", "B", "C"]}), players="calls")
    assert one.score == 0 and one.score_fixed == 1
    assert sorted(one.shapley.values()) == pytest.approx([1 / 3] * 3)
    assert all(name.endswith("-sent") for name in one.shapley)


def test_branches_at_once_and_a_join(binary):
    class State(TypedDict, total=False):
        q: str
        left: str
        right: str
        both: str

    builder = StateGraph(State)
    builder.add_node("l", lambda s: {"left": "no"})
    builder.add_node("r", lambda s: {"right": "yes"})
    builder.add_node("join", lambda s: {"both": s["left"] + s["right"]})
    for side in "lr":
        builder.add_edge(START, side)
    builder.add_edge(["l", "r"], "join")
    builder.add_edge("join", END)
    program = graph_program(
        builder.compile(),
        name="fork",
        inputs=["q"],
        variants={"l": {"v": lambda s: {"left": "yes"}}, "r": {"v": lambda s: {"right": "yes"}}},
        metric=lambda s: s["both"] == "yesyes",
    )
    assert analyze_case(program, Case("a", {"q": "?"})).shapley == {"l": 1, "r": 0}


def test_async_nodes_and_commands(binary):
    class State(TypedDict, total=False):
        q: str
        route: str
        answer: str

    async def router(state) -> Command:
        return Command(goto="wrong", update={"route": "wrong"})

    async def router_better(state) -> Command:
        return Command(goto="right", update={"route": "right"})

    async def right(state):
        return {"answer": "yes"}

    async def wrong(state):
        return {"answer": "no"}

    builder = StateGraph(State)
    builder.add_node("router", router, destinations=("right", "wrong"))
    builder.add_node("right", right)
    builder.add_node("wrong", wrong)
    builder.add_edge(START, "router")
    program = graph_program(
        builder.compile(),
        name="routes",
        inputs=["q"],
        variants={"router": {"better": router_better}},
        nodes={"router": {"cost": 3}},
        metric=lambda s: s["answer"] == "yes",
    )
    one = analyze_case(program, Case("a", {"q": "?"}))
    assert one.shapley == {"router": 1}
    assert one.cost == 3 + 1, "the router's fix, and the node that it leads to"


@dataclasses.dataclass
class Plan:
    days: int


class Typed(BaseModel):
    q: str
    plan: Plan | None = None
    messages: list[AnyMessage] = []
    answer: int = 0


def test_states_and_members_of_classes(binary):
    def plan(state: Typed):
        assert isinstance(state, Typed)
        return {"plan": Plan(90), "messages": [AIMessage("planned")]}

    def write(state: Typed):
        assert isinstance(state.plan, Plan) and isinstance(state.messages[0], AIMessage)
        return {"answer": state.plan.days}

    program = graph_program(
        chain(Typed, planner=plan, write=write).compile(),
        name="typed",
        inputs=["q"],
        variants={"planner": {"fix": lambda state: {"plan": Plan(30), "messages": [AIMessage("planned")]}}},
        metric=lambda state, case: state["answer"] == case.expected,
    )
    assert analyze_case(program, Case("a", {"q": "?"}, expected=30)).shapley == {"planner": 1}


def test_noise_runtime_and_config(binary):
    class State(TypedDict, total=False):
        q: str
        answer: str

    @dataclasses.dataclass
    class Settings:
        stale: float

    def pick(state, config, runtime: Runtime[Settings]):
        assert config["configurable"]["user"] == "u"
        at = context()
        assert at is not None
        return {"answer": at.noise.categorical("doc", {"gold": -50, "stale": runtime.context.stale})}

    builder = StateGraph(State, context_schema=Settings)
    builder.add_node("pick", pick)
    builder.add_edge(START, "pick")
    program = graph_program(
        builder.compile(),
        name="noisy",
        inputs=["q"],
        context=Settings(1.0),
        config={"configurable": {"user": "u"}},
        variants={"pick": {"gold": lambda state: {"answer": "gold"}}},
        metric=lambda s: s["answer"] == "gold",
    )
    assert analyze_case(program, Case("a", {"q": "?"}, seed=1)).shapley == {"pick": 1}


def test_errors(binary):
    class State(TypedDict, total=False):
        q: str

    def asks(state):
        return {"q": interrupt("sure?")}

    def fails(state):
        raise LookupError("no index")

    def program(node, fix):
        return graph_program(
            chain(State, node=node).compile(), name="g", inputs=["q"], variants={"node": {"fix": fix}},
            metric=lambda s: s["q"] == "ok",
        )  # fmt: skip

    with pytest.raises(AnalysisError, match="node node interrupts the graph"):
        analyze_case(program(asks, lambda s: {"q": "ok"}), Case("a", {"q": "?"}))
    one = analyze_case(program(fails, lambda s: {"q": "ok"}), Case("a", {"q": "?"}))
    assert one.shapley == {"node": 1}
    assert "no index" in one.errors[0]["message"]
    with pytest.raises(UsageError, match="graph g has no node nod: it has node"):
        graph_program(chain(State, node=asks).compile(), name="g", inputs=["q"], variants={"nod": {}}, metric=len)
    with pytest.raises(UsageError, match="compile"):
        graph_program(chain(State, node=asks), name="g", inputs=["q"], metric=len)


def test_what_looks_like_a_message_stays_what_it_is():
    from agentblame.adapters._messages import dump, revive

    for value in (
        {"$message": {"type": "ai", "data": {"content": "x"}}},
        {"a": [{"$plain": 1}, {"$text": "x"}, ("t",)]},
        {"$a": 1, "$b": 2},
    ):
        assert revive(json.loads(json.dumps(dump(value)))) == json.loads(json.dumps(value))
