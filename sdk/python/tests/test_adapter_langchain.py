"""LangChain runnables as programs."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("langchain_core")

from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel, FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers.openai_tools import PydanticToolsParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import (
    RunnableBranch,
    RunnableLambda,
    RunnableParallel,
    RunnablePassthrough,
)
from langchain_core.runnables.history import RunnableWithMessageHistory
from pydantic import BaseModel

import langchain_returns
from agentblame import Case, UsageError, analyze_case, context, flush
from agentblame.adapters import Variant
from agentblame.adapters.langchain import runnable_program
from replaying import replay

EXAMPLES = Path(__file__).parents[1] / "examples"


def ones(output):
    return 1.0


def names(p):
    return [s.name for s in p.steps]


def double(x: int) -> int:
    return 2 * x


async def adouble(x: int) -> int:
    await asyncio.sleep(0)
    return 2 * x


def plus(x: int) -> int:
    return x + 1


def test_the_example(agentblame, tmp_path):
    cases = str(EXAMPLES / "langchain_returns.jsonl")
    agentblame("blame", "--host", "python3 -m agentblame langchain_returns:answer", "--cases", cases, "-o", "r.json")
    result = json.loads((tmp_path / "r.json").read_text())
    case, delivery = result["cases"]
    assert (case["score"], delivery["score"]) == (0, 1)
    assert case["shapley_exact"] == {"Rules": "2/3", "ChatPromptTemplate": "1/6", "model": "1/6"}
    assert case["minimal_repairs"] == [["Rules", "ChatPromptTemplate"], ["Rules", "model"]]


def test_the_runnable_stays_as_it_is():
    p = langchain_returns.answer
    assert names(p) == ["Rules", "joined", "ChatPromptTemplate", "model", "StrOutputParser"]
    calls, output = replay(p, question="How long are returns free?")
    assert output == langchain_returns.chain.invoke("How long are returns free?")
    assert p(question="How long are returns free?") == output == "2023: returns are free for 14 days."
    assert calls["Rules#1"]["output"][0]["$document"]["metadata"] == {"about": "returns"}
    assert calls["model#1"]["output"] == {"$message": {"type": "ai", "content": output}}, "without the run's id"
    assert replay(p, {"model": "large", "Rules": "more"}, question="Are returns free?")[1].startswith("2026")


@pytest.mark.parametrize("times", [double, adouble])
def test_composition(binary, times):
    """Parallels, branches, assignments, maps and lambdas, sync and async, give what they give."""
    chain = (
        RunnableParallel(a=times, b=plus)
        | RunnablePassthrough.assign(c=lambda x: [x["a"], x["b"]])
        | (lambda x: x["c"])
        | RunnableLambda(times).map()
        | RunnableBranch((lambda xs: sum(xs) > 10, RunnableLambda(sum).with_config(run_name="total")), lambda xs: -1)
    )
    p = runnable_program(
        chain, inputs=["x"], input=lambda x: x, metric=lambda out: max(0, out) / 100,
        variants={"total": {"more": lambda xs: sum(xs) + 10}, "plus": {"ten": lambda x: x + 10}},
    )  # fmt: skip
    assert p.asynchronous is (times is adouble)
    name = times.__name__
    assert names(p) == [name, "plus", f"{name}-2", "total"]
    for x in (1, 3):
        calls, output = replay(p, x=x)
        assert output == (asyncio.run(chain.ainvoke(x)) if p.asynchronous else chain.invoke(x))
        assert ({f"{name}#1", "plus#1", f"{name}-2#item-0", f"{name}-2#item-1"} <= set(calls)) and (
            "total#1" in calls
        ) is (x == 3)
    case = analyze_case(p, Case("c", {"x": 3}))
    assert case.shapley == pytest.approx({"plus": 0.18, "total": 0.10})


def test_one_component_in_two_places():
    """Its calls, which go on at once, are named after the places."""
    shared = RunnableLambda(double)
    calls, output = replay(
        runnable_program(RunnableParallel(a=shared, b=shared), inputs=["x"], input=lambda x: x, metric=ones), x=2
    )
    assert output == {"a": 4, "b": 4}
    assert sorted(calls) == ["double#a", "double#b"]


def test_names():
    prompts = (
        ChatPromptTemplate.from_template("{a}")
        | (lambda v: {"b": v.to_string()})
        | ChatPromptTemplate.from_template("{b}")
    )
    assert names(runnable_program(prompts, inputs=["a"], metric=ones)) == ["ChatPromptTemplate", "ChatPromptTemplate-2"]
    unit = (RunnableLambda(double) | plus).with_config(run_name="unit")
    assert names(runnable_program(unit | plus, inputs=["x"], metric=ones)) == ["unit", "plus"]
    assert names(runnable_program(unit, inputs=["x"], metric=ones)) == ["double", "plus"], (
        "the whole is what is gone into"
    )
    with pytest.raises(UsageError, match="several components ChatPromptTemplate: name them"):
        runnable_program(prompts, inputs=["a"], metric=ones, variants={"ChatPromptTemplate": {"x": prompts}})
    with pytest.raises(UsageError, match="returns has no component rules: it has Rules, joined"):
        runnable_program(langchain_returns.chain, name="returns", inputs=[], metric=ones, variants={"rules": {}})
    with pytest.raises(UsageError, match="no components that could be steps"):
        runnable_program(RunnablePassthrough(), inputs=[], metric=ones)
    with pytest.raises(UsageError, match="RunnableWithMessageHistory"):
        runnable_program(RunnableWithMessageHistory(RunnableLambda(double), lambda id: None), inputs=[], metric=ones)


class Verdict(BaseModel):
    good: bool
    why: str = ""


@dataclass
class Review:
    verdict: Verdict
    tags: set[str]


def test_objects_of_the_users_classes():
    """Structured output and annotated functions give and take objects."""
    call = {"name": "Verdict", "args": {"good": True}, "id": "1", "type": "tool_call"}
    model = FakeMessagesListChatModel(responses=[AIMessage("", tool_calls=[call])])

    def review(verdict: Verdict) -> Review:
        assert isinstance(verdict, Verdict)
        return Review(verdict, {"b", "a"})

    def tell(review: Review):
        assert isinstance(review.verdict, Verdict) and isinstance(review.tags, set)
        return review

    chain = model | PydanticToolsParser(tools=[Verdict], first_tool_only=True) | review | tell
    p = runnable_program(
        chain,
        inputs=["q"],
        input=lambda q: [HumanMessage(q)],
        metric=lambda r: isinstance(r, Review) and r.verdict.good,
    )
    calls, output = replay(p, q="good?")
    assert output == {"$Review": {"verdict": {"$Verdict": {"good": True, "why": ""}}, "tags": ["a", "b"]}}
    assert p.score.fn(r=output) is True
    options = {s.name: s.impls[""].options.get("deterministic") for s in p.steps}
    assert options == {"FakeMessagesListChatModel": False, "PydanticToolsParser": None, "review": None, "tell": None}


def test_errors_fallbacks_and_noise(binary):
    tries = []

    def fetch(x):
        tries.append(x)
        raise LookupError("nothing there")

    def draw(x):
        return context().noise.uniform("x") if context() else 2.0

    chain = (
        RunnableLambda(fetch)
        .with_retry(stop_after_attempt=2, wait_exponential_jitter=False)
        .with_fallbacks([RunnableLambda(draw)], exceptions_to_handle=(LookupError,))
    )
    p = runnable_program(
        chain, inputs=["x"], metric=lambda out: out == "page", variants={"fetch": {"mirror": lambda x: "page"}}
    )
    assert names(p) == ["fetch", "draw"]
    calls, output = replay(p, x=1)
    assert calls["fetch#1"]["error"]["message"] == "nothing there" and len(tries) == 2
    assert calls["draw#1"]["output"] == output and 0 <= output < 1
    assert analyze_case(p, Case("c", {"x": 1})).shapley == {"fetch": 1}
    assert p(x=1) == 2.0


def test_recorded_in_production(tmp_path, monkeypatch, binary):
    """What components pass on stays what it is; what JSON can't say is left out."""
    seen = []

    class Own:
        pass

    def make(x):
        return Own()

    def look(own):
        seen.append(own)
        return "bad"

    p = runnable_program(
        RunnableLambda(make) | RunnableLambda(look), name="own", inputs=["x"], metric=lambda out: out == "good",
        variants={"look": {"better": Variant(lambda own: "good")}},
    )  # fmt: skip
    monkeypatch.setenv("AGENTBLAME_RECORD", str(tmp_path))
    assert p(x=1) == "bad" and isinstance(seen[0], Own)
    assert langchain_returns.answer(question="Are returns free?").startswith("2023")
    assert flush()
    monkeypatch.delenv("AGENTBLAME_RECORD")
    files = {f.name.split(".")[0]: json.loads(f.read_text()) for f in tmp_path.iterdir()}
    assert files["own"]["recording"] == {}
    case = {**files["returns"], "expected": "30 days"}
    assert set(case["recording"]) == {"Rules", "joined", "ChatPromptTemplate", "model", "StrOutputParser"}
    result = analyze_case(langchain_returns.answer, case)
    assert result.shapley_exact == {"Rules": "2/3", "ChatPromptTemplate": "1/6", "model": "1/6"}


def test_versions():
    def versions(chain):
        return [s.impls[""].version for s in runnable_program(chain, inputs=[], metric=ones).steps]

    def chain(text, reply):
        return ChatPromptTemplate.from_template(text) | FakeListChatModel(responses=[reply])

    base = versions(chain("a", "x"))
    assert base == versions(chain("a", "x"))
    assert [a == b for a, b in zip(base, versions(chain("b", "x")))] == [False, True]
    assert [a == b for a, b in zip(base, versions(chain("a", "y")))] == [True, False]


def test_documents_and_tuples():
    def pair(x):
        return (Document("a", metadata={"n": x}), [1, (2, 3)], {"$tuple": [4]})

    def take(given):
        document, numbers, tagged = given
        assert isinstance(given, tuple) and document.metadata == {"n": 1}
        return [numbers == [1, (2, 3)], tagged == {"$tuple": [4]}]

    p = runnable_program(RunnableLambda(pair) | RunnableLambda(take), inputs=["x"], input=lambda x: x, metric=ones)
    assert replay(p, x=1)[1] == [True, True]
