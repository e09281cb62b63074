"""The agent of agent.py as a LangGraph graph: a loop with a conditional edge. The graph is
as it would be without agentblame; its nodes are the steps, and blame is the same.

    agentblame blame --host "python langgraph_agent.py" --cases agent.jsonl
    agentblame blame --host "python langgraph_agent.py" --cases agent.jsonl --players calls
"""

import operator
from typing import Annotated, TypedDict

from langgraph.graph import END, START, StateGraph

from agent import FACTS
from agentblame import serve
from agentblame.adapters import Variant
from agentblame.adapters.langgraph import graph_program


class State(TypedDict, total=False):
    topic: str
    rounds: Annotated[int, operator.add]
    found: Annotated[list[str], operator.add]
    verdict: str
    answer: str


def search(state: State) -> State:
    """The index knows one fact a round, the less useful one first."""
    done = state.get("rounds", 0)
    return {"found": FACTS[state["topic"]][::-1][done : done + 1], "rounds": 1}


def judge(state: State) -> State:
    """Is it enough? Easily content."""
    return {"verdict": "enough" if state["found"] else "more"}


def write(state: State) -> State:
    return {"answer": state["found"][0] if state["found"] else "I don't know."}


def onwards(state: State) -> str:
    return "write" if state["verdict"] == "enough" or state["rounds"] == 3 else "search"


builder = StateGraph(State)
builder.add_node(search)
builder.add_node(judge)
builder.add_node(write)
builder.add_edge(START, "search")
builder.add_edge("search", "judge")
builder.add_conditional_edges("judge", onwards, ["search", "write"])
builder.add_edge("write", END)
graph = builder.compile()


def search_fresh(state: State) -> State:
    done = state.get("rounds", 0)
    return {"found": FACTS[state["topic"]][done : done + 1], "rounds": 1}


def judge_careful(state: State) -> State:
    return {"verdict": "enough" if any("capital" in fact for fact in state["found"]) else "more"}


def write_best(state: State) -> State:
    return {"answer": max(state["found"], key=lambda fact: "capital" in fact, default="I don't know.")}


agent = graph_program(
    graph,
    name="agent",
    inputs=["topic"],
    variants={
        "search": {"fresh-index": search_fresh},
        "judge": {"careful": Variant(judge_careful, cost=2)},
        "write": {"best-fact": write_best},
    },
    metric=lambda state, case: case.expected in state["answer"],
)

if __name__ == "__main__":
    serve(agent)
