"""DSPy modules as programs."""

import asyncio
import json

import dspy
import pytest
from dspy.utils import DummyLM
from pydantic import BaseModel

import dspy_days
from agentblame import AnalysisError, Case, UsageError, analyze_case
from agentblame.adapters import Variant
from agentblame.adapters.dspy import module_program, named

CASE = Case("a", {"question": "?"}, expected="yes")


def right(prediction, case):
    return prediction.answer == case.expected


def says(**fields):
    """A model that answers any number of questions."""
    return DummyLM([fields] * 1000)


class One(dspy.Module):
    def __init__(self):
        super().__init__()
        self.answer = dspy.ChainOfThought("question -> answer")

    def forward(self, question):
        return self.answer(question=question)


def test_the_example(agentblame, tmp_path):
    from pathlib import Path

    agentblame(
        "blame", "--host", "python3 -m agentblame dspy_days:days",
        "--cases", str(Path(dspy_days.__file__).with_suffix(".jsonl")), "-o", "result.json",
    )  # fmt: skip
    case = json.loads((tmp_path / "result.json").read_text())["cases"][0]
    assert case["shapley_exact"] == {"ask": "1/2", "read": "1/2"}
    assert case["minimal_repairs"] == [["ask", "read"]]


def test_the_module_stays_as_it_is():
    with dspy.context(lm=dspy_days.local):
        assert dspy_days.Days()(question="How long?").days == 2019
    assert dspy_days.days(question="How long?") == {"days": 2019}


def test_models_predictors_and_optimized_modules(binary):
    optimized = One()
    optimized.answer.predict.demos = [{"question": "?", "reasoning": "r", "answer": "yes"}]
    for fix, cost in (
        ({"lm": says(reasoning="r", answer="yes")}, 7),
        (dspy.Predict("question -> answer"), 1),
        (optimized, 1),
    ):
        program = module_program(
            One(), inputs=["question"], lm=says(reasoning="r", answer="no"), metric=right,
            variants={"answer": {"v": Variant(fix, cost=cost)}},
        )  # fmt: skip
        one = analyze_case(program, CASE)
        assert one.cost == cost
        assert one.shapley == {"answer": 1 if cost == 7 else 0}
    assert program.steps[0].impls[""].options["deterministic"] is False
    assert program.steps[0].impls[""].version != program.steps[0].impls["v"].version


class Page(BaseModel):
    days: int


class Typed(dspy.Module):
    def __init__(self):
        super().__init__()
        self.find = dspy.Predict(
            dspy.Signature({"question": (str, dspy.InputField()), "page": (Page, dspy.OutputField())})
        )
        self.read = dspy.Predict(
            dspy.Signature({"page": (Page, dspy.InputField()), "answer": (str, dspy.OutputField())})
        )

    async def aforward(self, question):
        page = (await self.find.acall(question=question)).page
        assert isinstance(page, Page)
        answers = await asyncio.gather(*(self._read(k, page) for k in range(2)))
        return dspy.Prediction(answer=answers[-1], page=page)

    async def _read(self, k, page):
        with named(f"reader-{k}"):
            return (await self.read.acall(page=page)).answer


def test_types_async_and_calls_at_once(binary):
    program = module_program(
        Typed(), inputs=["question"], lm=says(page='{"days": 30}', answer="no"), metric=right,
        variants={"read": {"v": {"lm": says(answer="yes")}}},
    )  # fmt: skip
    one = analyze_case(program, CASE, players="calls")
    assert one.shapley == {"read#reader-0": 0, "read#reader-1": 1}


def test_errors(binary):
    with pytest.raises(UsageError, match="module One has no predictor anwser: it has answer"):
        module_program(One(), inputs=["question"], metric=right, variants={"anwser": {}})
    with pytest.raises(UsageError, match="variant v of answer has no change model: it has lm, instructions, demos"):
        module_program(One(), inputs=["question"], metric=right, variants={"answer": {"v": {"model": "x"}}})

    class Odd(One):
        def forward(self, question):
            return self.answer(question=question, lm=says(reasoning="r", answer="no"))

    program = module_program(
        Odd(), inputs=["question"], metric=right, variants={"answer": {"v": {"lm": says(reasoning="r", answer="yes")}}}
    )
    with pytest.raises(AnalysisError, match="lm= in a call can't be replayed"):
        analyze_case(program, CASE)
