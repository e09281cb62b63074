"""An agent that decides as it goes: it searches until it has found enough, judges what it
has, and may go round again. Blame goes to steps, or to single calls of them.

    agentblame blame --host "python agent.py" --cases agent.jsonl
    agentblame blame --host "python agent.py" --cases agent.jsonl --players calls
"""

from agentblame import Case, program, serve, step

FACTS = {
    "capital": ["Canberra is the capital.", "Sydney is the largest city."],
    "currency": ["They pay in dollars."],
}


@step("search")
def search(topic: str, round: int) -> list[str]:
    """The index knows one fact a round, the less useful one first."""
    return FACTS[topic][::-1][round - 1 : round]


@search.variant("fresh-index")
def search_fresh(topic: str, round: int) -> list[str]:
    return FACTS[topic][round - 1 : round]


@step("judge")
def judge(found: list[str]) -> str:
    """Is it enough? Easily content."""
    return "enough" if found else "more"


@judge.variant("careful", cost=2)
def judge_careful(found: list[str]) -> str:
    return "enough" if any("capital" in fact for fact in found) else "more"


@step("write")
def write(found: list[str]) -> str:
    return found[0] if found else "I don't know."


@write.variant("best-fact")
def write_best(found: list[str]) -> str:
    return max(found, key=lambda fact: "capital" in fact, default="I don't know.")


@program(name="agent", metric=lambda answer, case: case.expected in answer)
def agent(topic: str) -> str:
    found: list[str] = []
    for round in (1, 2, 3):
        found += search(topic, round)
        if judge(found) == "enough":
            break
    return write(found)


CASE = Case("capital", {"topic": "capital"}, expected="Canberra")

if __name__ == "__main__":
    serve(agent)
