"""LlamaIndex workflows as programs."""

import asyncio
import json

import pytest
from pydantic import BaseModel
from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent

import llamaindex_review
from agentblame import AnalysisError, Case, UsageError, analyze_case, context
from agentblame.adapters.llamaindex import workflow_program


def test_the_example(agentblame, tmp_path):
    from pathlib import Path

    cases = str(Path(llamaindex_review.__file__).with_suffix(".jsonl"))
    host = ["blame", "--host", "python3 -m agentblame llamaindex_review:review", "--cases", cases]
    agentblame(*host, "-o", "steps.json")
    case = json.loads((tmp_path / "steps.json").read_text())["cases"][0]
    assert case["shapley_exact"] == {"look": "1/2", "write": "1/2"}
    agentblame(*host, "-o", "calls.json", "--players", "calls")
    case = json.loads((tmp_path / "calls.json").read_text())["cases"][0]
    assert case["shapley"]["look#plan 1 1"] == 0.5 and case["shapley"]["look#plan 1 2"] == 0
    assert case["minimal_repairs"] == [["look#plan 1 1"], ["write#1"]]


def test_the_workflow_stays_as_it_is():
    async def run():
        return await llamaindex_review.Review().run(question="?")

    assert asyncio.run(run()) == "90 days"
    assert asyncio.run(llamaindex_review.review(question="?")) == "90 days"


class Draft(Event):
    text: str


class State(BaseModel):
    rounds: int = 0


class Loop(Workflow):
    """Writes until the judge is content."""

    @step
    async def write(self, ctx: Context[State], ev: StartEvent | Draft) -> Draft | StopEvent:
        async with ctx.store.edit_state() as state:
            state.rounds += 1
            rounds = state.rounds
        if isinstance(ev, Draft) and ev.text.endswith("!"):
            return StopEvent(result={"text": ev.text, "rounds": rounds})
        return Draft(text="no" if rounds == 1 else "no!")

    @step
    def judge(self, ev: Draft) -> StopEvent | None:
        return None


async def write_better(self, ctx, ev):
    return StopEvent(result={"text": "yes!", "rounds": (await ctx.store.get_state()).rounds})


def program(workflow, metric=lambda result: result["text"] == "yes!", **more):
    return workflow_program(workflow, name="w", inputs=["question"], metric=metric, **more)


def test_loops_states_and_sync_steps(binary):
    p = program(Loop(), variants={"write": {"better": write_better}}, steps={"write": {"cost": 2}})
    one = analyze_case(p, Case("a", {"question": "?"}), players="calls")
    # Two steps take a draft at once, so the calls that it leads to are named; any fix of the three ends it well.
    assert one.shapley == pytest.approx({"write#1": 1 / 3, "write#write 1": 1 / 3, "write#write 1+1": 1 / 3})
    assert asyncio.run(p(question="?")) == {"text": "no!", "rounds": 3}


def test_collecting_a_list(binary):
    class Part(Event):
        n: int

    class Done(Event):
        n: int

    class Fan(Workflow):
        @step
        async def split(self, ev: StartEvent) -> list[Part]:
            return [Part(n=i) for i in range(4)]

        @step
        async def work(self, ev: Part) -> Done:
            await asyncio.sleep(0.001 * (4 - ev.n))
            return Done(n=ev.n)

        @step
        async def join(self, evs: list[Done]) -> StopEvent:
            return StopEvent(result=[e.n for e in evs])

    async def more(self, ev):
        return Done(n=ev.n + 1)

    Fan.Part, Fan.Done = Part, Done
    p = program(Fan(), variants={"work": {"more": more}}, metric=lambda result: sum(result) / 10)
    one = analyze_case(p, Case("a", {"question": "?"}), players="calls")
    assert one.score == 0.6 and one.score_fixed == 1
    assert sorted(one.shapley.values()) == pytest.approx([0.1] * 4)


def test_noise(binary):
    class Pick(Workflow):
        @step
        async def pick(self, ev: StartEvent) -> StopEvent:
            return StopEvent(result=context().noise.categorical("doc", {"gold": -50, "stale": 1}))

    async def gold(self, ev):
        return StopEvent(result=context().noise.categorical("doc", {"gold": 50, "stale": 1}))

    p = program(Pick(), variants={"pick": {"gold": gold}}, metric=lambda result: result == "gold")
    assert analyze_case(p, Case("a", {"question": "?"})).shapley == {"pick": 1}


def test_errors(binary):
    class Asks(Workflow):
        @step
        async def ask(self, ctx: Context, ev: StartEvent) -> StopEvent:
            return StopEvent(result=await ctx.wait_for_event(Draft))

    async def fine(self, ctx, ev):
        return StopEvent(result={"text": "yes!"})

    with pytest.raises(AnalysisError, match="a step asks for ctx.wait_for_event"):
        analyze_case(program(Asks(), variants={"ask": {"fine": fine}}), Case("a", {"question": "?"}))
    with pytest.raises(UsageError, match="workflow w has no step wirte: it has write, judge"):
        program(Loop(), variants={"wirte": {}})

    class Fails(Workflow):
        @step
        async def ask(self, ctx: Context, ev: StartEvent) -> StopEvent:
            raise LookupError("no index")

    one = analyze_case(program(Fails(), variants={"ask": {"fine": fine}}), Case("a", {"question": "?"}))
    assert one.shapley == {"ask": 1} and "no index" in one.errors[0]["message"]
