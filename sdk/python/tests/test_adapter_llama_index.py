"""LlamaIndex workflows as programs."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest

pytest.importorskip("workflows")

from pydantic import BaseModel
from workflows import Context, Workflow, catch_error, step
from workflows.events import Event, HumanResponseEvent, StartEvent, StepFailedEvent, StopEvent
from workflows.resource import Resource
from workflows.retry_policy import retry_policy, stop_after_attempt, wait_fixed

import llama_index_help
from agentblame import Case, UsageError, analyze_case, context, flush
from agentblame.adapters import Variant
from agentblame.adapters.llama_index import workflow_program
from replaying import replay

EXAMPLES = Path(__file__).parents[1] / "examples"


def ones(result):
    return 1.0


class Word(Event):
    text: str


class Length(Event):
    n: int


class Words(Workflow):
    """Fans out by a list, and joins by a list."""

    @step
    async def split(self, ev: StartEvent) -> list[Word]:
        return [Word(text=w) for w in ev.words]

    @step(num_workers=3)
    async def measure(self, ev: Word) -> Length:
        await asyncio.sleep(0.001 * (5 - len(ev.text)))
        return Length(n=len(ev.text))

    @step
    async def add(self, evs: list[Length]) -> StopEvent:
        return StopEvent(result=sum(e.n for e in evs))


def generous(ev: Word) -> Length:
    return Length(n=len(ev.text) + 1)


@pytest.mark.parametrize("players", ["steps", "calls"])
def test_the_example(agentblame, tmp_path, players):
    cases = str(EXAMPLES / "llama_index_help.jsonl")
    host = "python3 -m agentblame llama_index_help:answer"
    agentblame("blame", "--host", host, "--cases", cases, "--players", players, "-o", "r.json")
    (case,) = json.loads((tmp_path / "r.json").read_text())["cases"]
    assert "errors" not in case and case["score"] == 0
    if players == "steps":
        assert case["shapley_exact"] == {"ask": "2/3", "look": "1/6", "choose": "1/6"}
        assert case["minimal_repairs"] == [["ask"], ["look", "choose"]]
    else:
        assert {"ask#1", "look#1", "look#2", "choose#1", "choose#2"} <= set(case["shapley"])
        assert sum(case["shapley"].values()) == pytest.approx(1)


def test_what_steps_take_and_give():
    calls, output = replay(llama_index_help.answer, question="?")
    assert output == llama_index_help.PLACES["forum"] == asyncio.run(llama_index_help.answer(question="?"))
    assert list(calls) == ["ask#1", "look#1", "look#2", "choose#1", "choose#2"]
    assert calls["ask#1"]["inputs"] == {"event": {"$Asked": {"question": "?"}}, "state": {}}
    assert calls["ask#1"]["output"] == {
        "sent": [{"event": {"$Lookup": {"place": p}}} for p in ("forum", "handbook")], "state": {"asked": 2},
    }  # fmt: skip
    assert "state" not in calls["look#1"]["inputs"], "it doesn't take the context"
    found = [{"$Found": {"text": t, "reviewed": False}} for t in llama_index_help.PLACES.values()]
    assert calls["choose#1"]["output"] == {"collected": [{"in": "default", "event": found[0]}]}
    assert calls["choose#2"]["inputs"] == {
        "event": found[1],
        "collected": {"default": [found[0]]},
        "state": {"asked": 2},
    }
    assert calls["choose#2"]["output"] == {
        "collected": [{"in": "default"}],
        "event": {"$StopEvent": {"result": output}},
    }
    for _ in range(5):
        assert replay(llama_index_help.answer, question="?") == (calls, output)


def test_fanning_out(binary):
    p = workflow_program(
        Words(), inputs=["words"], metric=lambda total: total / 10, variants={"measure": {"generous": generous}}
    )
    calls, output = replay(p, words=["a", "bcd"])
    assert output == asyncio.run(p(words=["a", "bcd"])) == 4
    assert list(calls) == ["split#1", "measure#1", "measure#2", "add#1"]
    assert calls["add#1"]["inputs"] == {"events": [{"$Length": {"n": 1}}, {"$Length": {"n": 3}}]}
    case = analyze_case(p, Case("c", {"words": ["a", "bcd"]}), players="calls", concurrency=8)
    assert case.shapley == pytest.approx({"measure#1": 0.1, "measure#2": 0.1})
    assert replay(p, words=[])[1] == 0


@dataclass
class Fact:
    text: str
    tags: set[str]


class Facts(Event):
    facts: list[Fact]
    when: str = ""


class Done(StopEvent):
    facts: list[Fact]


class State(BaseModel):
    best: Fact | None = None
    seen: set[str] = set()


class Typed(Workflow):
    """Typed events and state, a loop, sync steps, resources."""

    def __init__(self, limit: int, **options):
        super().__init__(**options)
        self.limit = limit

    @step
    def find(self, ctx: Context[State], ev: StartEvent) -> Facts:
        return Facts(facts=[Fact("a", {"x"})], when="now")

    @step
    async def more(self, ctx: Context[State], ev: Facts, mark: Annotated[str, Resource(lambda: "!")]) -> Facts | Done:
        async with ctx.store.edit_state() as state:
            assert state.best is None or isinstance(state.best, Fact)
            state.best = ev.facts[0]
            state.seen |= {f.text for f in ev.facts}
        if len(ev.facts) == self.limit:
            return Done(facts=[Fact(f.text, {*f.tags, *state.seen}) for f in ev.facts])
        return Facts(facts=[*ev.facts, Fact(ev.facts[-1].text + mark, set())])


def test_types_and_state():
    p = workflow_program(
        Typed(3),
        inputs=[],
        metric=lambda done: isinstance(done, Done) and all(isinstance(f.tags, set) for f in done.facts),
    )
    calls, output = replay(p)
    assert list(calls) == ["find#1", "more#1", "more#2", "more#3"]
    assert calls["more#2"]["inputs"]["state"] == {"best": {"$Fact": {"text": "a", "tags": ["x"]}}, "seen": ["a"]}
    assert calls["more#2"]["output"]["state"] == {"seen": ["a!", "a"]}, "in the order of their JSON"
    assert p.score.fn(done=output) is True
    own = asyncio.run(p())
    assert [sorted(f.tags) for f in own.facts] == [["a", "a!", "a!!", "x"], ["a", "a!", "a!!"], ["a", "a!", "a!!"]]
    revived = workflow_program(Typed(3), inputs=[], metric=ones).score
    assert revived.fn(result=output) == 1.0


class Failing(Workflow):
    runs = 0

    @step(retry_policy=retry_policy(wait=wait_fixed(0.001), stop=stop_after_attempt(3)))
    async def fetch(self, ev: StartEvent) -> StopEvent:
        type(self).runs += 1
        raise LookupError("nothing there")


class Catching(Failing):
    @catch_error
    async def handle(self, ev: StepFailedEvent) -> StopEvent:
        assert isinstance(ev.exception, LookupError) and isinstance(ev.input_event, StartEvent)
        return StopEvent(result=f"{ev.step_name}: {ev.exception}")


def test_errors(binary):
    """A failing step's error is the step's, without the workflow's own retries; handlers get it."""
    better = {"fetch": {"mirror": Variant(lambda_page, cost=2)}}
    Failing.runs = 0
    p = workflow_program(Failing(), inputs=[], metric=lambda page: page == "page", variants=better)
    case = analyze_case(p, Case("c"))
    assert (case.score, case.shapley, Failing.runs) == (0, {"fetch": 1}, 1)
    assert case.errors[0]["message"] == "nothing there"
    p = workflow_program(Catching(), inputs=[], metric=lambda page: page == "page", variants=better)
    calls, output = replay(p)
    assert output == "fetch: nothing there" and list(calls) == ["fetch#1", "handle#1"]
    assert replay(p) == (calls, output), "no times"
    assert analyze_case(p, Case("c")).shapley == {"fetch": 1}


async def lambda_page(self, ev: StartEvent) -> StopEvent:
    return StopEvent(result="page")


class BaseLLM:
    """Called as LlamaIndex's own base class of language models is."""


class Modelled(Workflow):
    def __init__(self, model: str):
        super().__init__()
        self.model, self.llm = model, BaseLLM()

    def _ask(self):
        return self.llm

    @step
    async def plan(self, ev: StartEvent) -> Word:
        return Word(text="a")

    @step
    async def write(self, ev: Word) -> StopEvent:
        self._ask()
        draw = context().noise.uniform("x") if context() else 2.0
        return StopEvent(result=draw)


def test_versions_models_and_noise():
    def options(p, name):
        return [s.impls[""].options.get(name) for s in p.steps]

    p = workflow_program(Modelled("small"), inputs=[], metric=ones)
    assert options(p, "deterministic") == [None, False]
    assert options(p, "version") == options(workflow_program(Modelled("small"), inputs=[], metric=ones), "version")
    assert options(p, "version") != options(workflow_program(Modelled("large"), inputs=[], metric=ones), "version")
    calls, output = replay(p)
    assert 0 <= output < 1 and calls["write#1"]["draws"]
    assert asyncio.run(p()) == 2.0


class Asks(Workflow):
    @step
    async def ask(self, ctx: Context, ev: StartEvent) -> StopEvent:
        answer = await ctx.wait_for_event(HumanResponseEvent)
        return StopEvent(result=answer)


class Hides(Workflow):
    @step
    async def hide(self, ev: StartEvent) -> StopEvent:
        await Context.get_step_context().store.set("a", 1)
        return StopEvent()


def test_what_cannot_be_replayed():
    with pytest.raises(UsageError, match="step ask waits for an event from outside"):
        replay(workflow_program(Asks(), inputs=[], metric=ones))
    with pytest.raises(UsageError, match="step hide uses the state of its run: it needs a parameter ctx"):
        replay(workflow_program(Hides(), inputs=[], metric=ones))
    with pytest.raises(UsageError, match="workflow Words has no step mesure: it has split, measure, add"):
        workflow_program(Words(), inputs=[], metric=ones, variants={"mesure": {}})
    with pytest.raises(UsageError, match="give an instance of a Workflow"):
        workflow_program(Words, inputs=[], metric=ones, name="w")
    with pytest.raises(UsageError, match="variant split of step measure doesn't take Word"):
        workflow_program(Words(), inputs=[], metric=ones, variants={"measure": {"x": Words.split}})


def test_recorded_in_production(tmp_path, monkeypatch, binary):
    """With its retries and its concurrency; what it did is known in a replay."""
    Failing.runs = 0
    monkeypatch.setenv("AGENTBLAME_RECORD", str(tmp_path))
    assert asyncio.run(llama_index_help.answer(question="?")) == llama_index_help.PLACES["forum"]
    failing = workflow_program(Failing(), inputs=[], metric=ones, name="failing")
    with pytest.raises(LookupError):
        asyncio.run(failing())
    assert Failing.runs == 3
    assert flush()
    monkeypatch.delenv("AGENTBLAME_RECORD")
    files = {f.name.split(".")[0]: json.loads(f.read_text()) for f in tmp_path.iterdir()}
    assert set(files["failing"]["recording"]) == {"fetch", "fetch#2", "fetch#3"}
    recorded = files["help"]
    assert set(recorded["recording"]) == {"ask", "look", "look#2", "choose", "choose#2"}
    case = analyze_case(llama_index_help.answer, {**recorded, "expected": "Settings"})
    assert case.shapley_exact == {"ask": "2/3", "look": "1/6", "choose": "1/6"}
    assert case.to_dict()["cost_factual"] == 0, "nothing of the run as it was is run again"
