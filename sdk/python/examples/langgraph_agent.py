"""A LangGraph agent with a loop: the agent of agent.py as a graph with a conditional edge.
Both give the same blame.

    agentblame blame --host "python langgraph_agent.py" --cases agent.jsonl
    agentblame blame --host "python langgraph_agent.py" --cases agent.jsonl --players calls
"""

from operator import add
from typing import Annotated, TypedDict

from langgraph.graph import END, START, StateGraph

from agentblame import serve
from agentblame.adapters.langgraph import graph_program

FACTS = {
    "capital": ["Canberra is the capital.", "Sydney is the largest city."],
    "currency": ["They pay in dollars."],
}


class State(TypedDict, total=False):
    topic: str
    round: int
    found: Annotated[list[str], add]
    verdict: str
    answer: str


def search(state: State) -> State:
    """The index knows one fact a round, the less useful one first."""
    round = state.get("round", 0) + 1
    return {"found": FACTS[state["topic"]][::-1][round - 1 : round], "round": round}


def search_fresh(state: State) -> State:
    round = state.get("round", 0) + 1
    return {"found": FACTS[state["topic"]][round - 1 : round], "round": round}


def judge(state: State) -> State:
    """Is it enough? Easily content."""
    return {"verdict": "enough" if state["found"] else "more"}


def judge_careful(state: State) -> State:
    return {"verdict": "enough" if any("capital" in fact for fact in state["found"]) else "more"}


def write(state: State) -> State:
    return {"answer": state["found"][0] if state["found"] else "I don't know."}


def write_best(state: State) -> State:
    return {"answer": max(state["found"], key=lambda fact: "capital" in fact, default="I don't know.")}


def onwards(state: State) -> str:
    return "write" if state["verdict"] == "enough" or state["round"] == 3 else "search"


# The graph, as it would be without agentblame.
builder = StateGraph(State)
builder.add_node("search", search)
builder.add_node("judge", judge)
builder.add_node("write", write)
builder.add_edge(START, "search")
builder.add_edge("search", "judge")
builder.add_conditional_edges("judge", onwards, ["search", "write"])
builder.add_edge("write", END)
graph = builder.compile()

agent = graph_program(
    graph,
    name="agent",
    inputs=["topic"],
    variants={
        "search": {"fresh-index": search_fresh},
        "judge": {"careful": (judge_careful, {"cost": 2})},
        "write": {"best-fact": write_best},
    },
    metric=lambda state, case: case.expected in state["answer"],
)

if __name__ == "__main__":
    serve(agent)
