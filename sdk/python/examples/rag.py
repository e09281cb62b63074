"""The rag pipeline over a handbook: rewrite, retrieve, answer, verify, each a mocked LLM
that samples what it does from logits. A fix shifts the logits. Its numbers are those of
`agentblame demo rag`, to the last digit.

    python rag.py --cases > cases.jsonl
    agentblame blame --host "python rag.py" --cases cases.jsonl
"""

import json
import sys
from typing import TypedDict

from agentblame import Case, Noise, Pipeline, program, serve, step


class Query(TypedDict):
    topic: str
    difficulty: int
    focus: str  # "sharp", "broad" or "off"


class Passage(TypedDict):
    topic: str
    difficulty: int
    source: str  # "gold", "stale" or "unrelated"


class Claim(TypedDict):
    text: str  # "right", "garbled" or "invented"
    source: str


TOPICS = ["leave", "expenses", "travel", "security"]
STEADY = {"leave": 0.5, "expenses": 0.2, "travel": -0.2, "security": -0.5}
PLAIN = {"leave": -0.3, "expenses": 0.3, "travel": -0.3, "security": 0.3}


def ease(difficulty):
    """How easy a difficulty from 0 to 9 is, from 1 to -1."""
    return 1 - difficulty / 4.5


def rewriter(better):
    """A better rewriter is sharp more often."""

    def rewrite(topic, difficulty, noise) -> Query:
        logits = {"sharp": 0.3 + 0.4 * ease(difficulty) + better, "broad": 0, "off": -0.45}
        return {"topic": topic, "difficulty": difficulty, "focus": noise.categorical("focus", logits)}

    return rewrite


def retriever(better):
    """A better retriever ranks the gold page first more often; without a sharp query that is still rare."""
    gold = {"sharp": 1.0, "broad": -1.9, "off": -2.6}
    unrelated = {"sharp": -1.5, "broad": -0.5, "off": 0.5}

    def retrieve(rewrite: Query, noise) -> Passage:
        topic, difficulty, focus = rewrite["topic"], rewrite["difficulty"], rewrite["focus"]
        logits = {
            "gold": gold[focus] + STEADY[topic] + 0.45 * ease(difficulty) + better,
            "stale": 0,
            "unrelated": unrelated[focus],
        }
        return {"topic": topic, "difficulty": difficulty, "source": noise.categorical("page", logits)}

    return retrieve


def writer(better):
    """A better writer keeps to its source, which helps where the source is right."""

    def answer(retrieve: Passage, noise) -> Claim:
        right = 0.9 + PLAIN[retrieve["topic"]] + 0.3 * ease(retrieve["difficulty"]) + better
        logits = {
            "gold": {"right": right, "garbled": 0, "invented": -1},
            "stale": {"right": -3, "garbled": 0.5, "invented": -0.5},
            "unrelated": {"right": -3, "garbled": -1, "invented": 0.5},
        }[retrieve["source"]]
        return {"text": noise.categorical("claim", logits), "source": retrieve["source"]}

    return answer


def verifier(better):
    """A better verifier sees more often that a claim isn't in its source."""

    def verify(answer: Claim, noise):
        if answer["text"] == "right":
            logits = {"keep": 3, "hold": -1.1}
        elif answer["source"] == "gold":
            logits = {"keep": 2, "hold": -1 + better / 2, "correct": -0.2 + better}
        else:
            logits = {"keep": 2, "hold": -1 + 2 * better}
        verdict = noise.categorical("verdict", logits)
        text = {"correct": "right", "hold": "none"}.get(verdict, answer["text"])
        return {"text": text, "source": answer["source"]}

    return verify


rewrite = step("rewrite")(rewriter(0)).variant("stronger-model", rewriter(2.9), cost=2)
retrieve = step("retrieve", cost=2)(retriever(0)).variant("reranker", retriever(2.5), cost=4)
answer = step("answer", cost=3)(writer(0)).variant("keep-to-source", writer(3.2), cost=5)
verify = step("verify")(verifier(0)).variant("grounding-check", verifier(2.35), cost=3)

pipeline = Pipeline(
    [rewrite, retrieve, answer, verify],
    inputs=["question", "topic", "difficulty"],
    metric=lambda verify: verify["text"] == "right",
    name="rag",
)


# The same as a function of its own, which calls the steps.
@program(name="rag", steps=pipeline.steps, metric=lambda reply: reply["text"] == "right")
def reply(question, topic, difficulty):
    query = rewrite(topic, difficulty)
    passage = retrieve(query)
    claim = answer(passage)
    return verify(claim)


ASKS = [
    "How many days of leave carry over to next year?",
    "Up to which amount is a meal paid back without a receipt?",
    "Which class may I book on a flight of nine hours?",
    "How often must I change the password of the build server?",
]


def cases(n=200, seed=547):
    """Cases, drawn with their worlds from a seed."""
    for i in range(n):
        draw = Noise(seed, i, "case")
        topic = draw.int("topic", len(TOPICS))
        inputs = {"question": ASKS[topic], "topic": TOPICS[topic], "difficulty": draw.int("difficulty", 10)}
        yield Case(f"q{i:03d}", inputs, seed=draw.seed("world"))


if __name__ == "__main__":
    if "--cases" in sys.argv:
        for case in cases():
            print(json.dumps(case.to_dict()))
    else:
        serve(pipeline)
