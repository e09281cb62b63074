"""DSPy modules as programs."""

import asyncio
import json

import dspy
import pytest
from dspy.utils import DummyLM
from pydantic import BaseModel

import dspy_days
from agentblame import AnalysisError, Case, UsageError, analyze_case, flush, step
from agentblame.adapters import Variant
from agentblame.adapters.dspy import module_program, named
from replaying import replay

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
    assert dspy_days.days(question="How long?") == dspy.Prediction(days=2019)


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


class Desk(dspy.Module):
    """An agent with a tool, the numbers of whose calls it is told."""

    def __init__(self):
        super().__init__()
        self.agent = dspy.ReAct("question -> answer", tools=[find_days])

    def forward(self, question):
        return self.agent(question=question)


class Desks(dspy.Module):
    """The same, async."""

    def __init__(self):
        super().__init__()
        self.agent = dspy.ReAct("question -> answer", tools=[find_days])

    async def aforward(self, question):
        return await self.agent.acall(question=question)


def find_days(topic: str, year: int = 2019) -> int:
    """How many days there are."""
    if topic == "nothing":
        raise LookupError("there is no such topic")
    return {2019: 90, 2025: 30}[year]


def thinks(*turns):
    """A model for ReAct."""
    done = {"next_thought": "done", "next_tool_name": "finish", "next_tool_args": "{}"}
    asks = [{"next_thought": "look", "next_tool_name": "find_days", "next_tool_args": json.dumps(t)} for t in turns]
    return DummyLM([*asks, done, {"reasoning": "r", "answer": "yes"}] * 20)


def test_tools_of_react():
    """A tool is a step, and what it gives or fails with is observed as it is without agentblame."""
    for topics in (["returns"], ["nothing", "returns"]):
        turns = [{"topic": t} for t in topics]
        program = module_program(Desk(), inputs=["question"], lm=thinks(*turns), metric=right)
        assert [s.name for s in program.steps] == ["agent.react", "agent.extract", "find_days"]
        calls, output = replay(program, question="?")
        with dspy.context(lm=thinks(*turns)):
            plain = Desk()(question="?").toDict()
        seen = {k: v.strip().splitlines()[-1] if isinstance(v, str) else v for k, v in output["trajectory"].items()}
        assert seen == {
            k: v.strip().splitlines()[-1] if isinstance(v, str) else v for k, v in plain["trajectory"].items()
        }
        assert seen[f"observation_{len(topics) - 1}"] == 90
        assert [c for c in calls if "find" in c] == [f"find_days#{k + 1}" for k in range(len(topics))]
    assert calls["find_days#1"]["error"]["message"] == "there is no such topic"
    program = module_program(Desk(), inputs=["question"], lm=thinks(*turns), metric=right, asynchronous=True)
    with pytest.raises(AttributeError, match="aforward"):
        replay(program, question="?")


def test_variants_of_tools(binary):
    lm = DummyLM([
        {"next_thought": "look", "next_tool_name": "find_days", "next_tool_args": '{"topic": "returns"}'},
        {"next_thought": "done", "next_tool_name": "finish", "next_tool_args": "{}"},
        {"reasoning": "r", "answer": "yes"},
    ] * 40)  # fmt: skip

    def newest(topic: str, year: int = 2025) -> int:
        return find_days(topic, year)

    program = module_program(
        Desks(), inputs=["question"], lm=lm, variants={"find_days": {"newest": newest}},
        metric=lambda out: out.trajectory["observation_0"] == 30,
    )  # fmt: skip
    assert program.asynchronous
    assert analyze_case(program, CASE).shapley == {"find_days": 1}


class Search(dspy.Module):
    def __init__(self, k):
        super().__init__()
        self.k, self.rewrite = k, dspy.Predict("question -> query")

    def forward(self, question):
        query = self.rewrite(question=question).query
        return dspy.Prediction(passages=[f"{query} {i}" for i in range(self.k)])


@step("join")
def join(passages: list) -> str:
    return " ".join(passages)


@join.variant("last")
def last(passages: list) -> str:
    return passages[-1]


class Rag(dspy.Module):
    def __init__(self):
        super().__init__()
        self.search = Search(1)
        self.answer = dspy.ChainOfThought("context, question -> answer")

    def forward(self, question):
        found = self.search(question)
        assert isinstance(found, dspy.Prediction)
        return self.answer(context=join(found.passages), question=question)


def test_modules_as_steps_and_steps_of_the_users_own():
    lm = says(query="q", reasoning="r", answer="yes")
    fine = module_program(Rag(), inputs=["question"], lm=lm, metric=right)
    assert [s.name for s in fine.steps] == ["search.rewrite", "answer", "join"]
    program = module_program(Rag(), inputs=["question"], lm=lm, metric=right, variants={"search": {"more": Search(3)}})
    assert [s.name for s in program.steps] == ["answer", "search", "join"]
    calls, output = replay(program, {"search": "more"}, question="?")
    assert calls["answer#1"]["inputs"]["fields"]["context"] == "q 0 q 1 q 2"
    calls, output = replay(program, {"search": "more", "join": "last"}, question="?")
    assert calls["answer#1"]["inputs"]["fields"]["context"] == "q 2"
    assert output == {"reasoning": "r", "answer": "yes"}


def test_predictors_of_compiled_modules_are_steps():
    module = Rag()
    module.search._compiled = True  # what an optimizer leaves; it is no named predictor then
    program = module_program(module, inputs=["question"], lm=says(query="q", reasoning="r", answer="yes"), metric=right)
    assert {s.name for s in program.steps} == {"answer", "search.rewrite", "join"}


class Guess(dspy.Module):
    """The best of several answers, which differ by their rollouts."""

    def __init__(self):
        super().__init__()
        self.answer = dspy.Predict("question -> answer")
        self.best = dspy.BestOfN(self.answer, N=3, reward_fn=lambda _, p: float(p.answer), threshold=3.0)

    def forward(self, question):
        return self.best(question=question)


class Rollouts(dspy.BaseLM):
    """A model whose answer is its rollout."""

    def __init__(self):
        super().__init__("rollouts")

    def forward(self, prompt=None, messages=None, **kwargs):
        raise NotImplementedError

    def __call__(self, *args, **kwargs):
        return [f"[[ ## answer ## ]]\n{({**self.kwargs, **kwargs}).get('rollout_id', 0)}\n[[ ## completed ## ]]"]


def test_rollouts():
    program = module_program(Guess(), inputs=["question"], lm=Rollouts(), metric=right)
    calls, output = replay(program, question="?")
    assert [c["inputs"]["options"]["config"]["rollout_id"] for c in calls.values()] == [0, 1, 2]
    assert output == program(question="?").toDict() == {"answer": "2"}


class Both(dspy.Module):
    def __init__(self):
        super().__init__()
        self.answer = dspy.Predict("question -> answer")

    def forward(self, question):
        examples = [dspy.Example(question=q).with_inputs("question") for q in (question, "And?", "And?")]
        found = self.answer.batch(examples, num_threads=3, disable_progress_bar=True)
        return dspy.Prediction(answer=" ".join(f.answer for f in found))


def test_demos_that_change_in_a_run():
    class Shown(One):
        def forward(self, question):
            answer = self.answer.deepcopy()
            answer.predict.demos = [dspy.Example(question="1", reasoning="r", answer="one")]
            return answer(question=question)

    program = module_program(Shown(), inputs=["question"], lm=says(reasoning="r", answer="yes"), metric=right)
    calls, _ = replay(program, question="?")
    demo = {"$example": {"question": "1", "reasoning": "r", "answer": "one"}}
    assert calls["answer#1"]["inputs"]["options"] == {"demos": [demo]}


def test_batches():
    """Calls in threads are named after their inputs, so that a replay knows them again."""
    program = module_program(Both(), inputs=["question"], lm=says(answer="yes"), metric=right)
    runs = [replay(program, question="?") for _ in range(3)]
    calls, output = runs[0]
    assert output == {"answer": "yes yes yes"}
    names = sorted(calls)
    assert len(names) == 3 and names[1] == f"{names[0]}-2" or names[2] == f"{names[1]}-2"
    assert all((sorted(c.items()), o) == (sorted(calls.items()), output) for c, o in runs)


def test_several_completions():
    class Several(dspy.Module):
        def __init__(self):
            super().__init__()
            self.answer = dspy.Predict("question -> answer", n=2)

        def forward(self, question):
            return dspy.Prediction(answers=self.answer(question=question).completions.answer)

    program = module_program(Several(), inputs=["question"], lm=says(answer="yes"), metric=right)
    calls, output = replay(program, question="?")
    assert output == program(question="?").toDict() == {"answers": ["yes", "yes"]}


def test_metrics_and_keys_get_what_modules_give(binary):
    seen = []

    def metric(out):
        seen.append(type(out.page))
        return out.page.days == 30

    program = module_program(
        Typed(), inputs=["question"], lm=says(page='{"days": 30}', answer="no"), metric=metric,
        variants={"find": {"v": {"lm": says(page='{"days": 90}')}}},
    )  # fmt: skip
    assert analyze_case(program, CASE).score == 1
    assert set(seen) == {Page}


@pytest.mark.parametrize("module", [One, Typed, Rag, Desk])
def test_recordings(monkeypatch, tmp_path, module):
    """A recorded run gives what the module gives, and its recording is that of a replay."""
    lm = thinks({"topic": "returns"}) if module is Desk else says(
        page='{"days": 30}', reasoning="r", answer="yes", query="q"
    )  # fmt: skip
    program = module_program(module(), inputs=["question"], lm=lm, metric=right)
    monkeypatch.setenv("AGENTBLAME_RECORD", str(tmp_path))
    out = program(question="?")
    out = asyncio.run(out) if asyncio.iscoroutine(out) else out
    assert isinstance(out, dspy.Prediction) and out.answer == "yes"
    assert flush()
    (file,) = tmp_path.glob("*.jsonl")
    recording = json.loads(file.read_text())["recording"]
    calls, _ = replay(program, question="?")
    assert {k.removesuffix("#1"): {"inputs": v["inputs"], "output": v["output"]} for k, v in calls.items()} == recording


def test_recordings_never_raise(monkeypatch, tmp_path):
    class Elsewhere(Both):
        def forward(self, question):
            with dspy.context(lm=Rollouts()):
                return super().forward(question)

    program = module_program(Elsewhere(), inputs=["question"], lm=says(answer="yes"), metric=right)
    monkeypatch.setenv("AGENTBLAME_RECORD", str(tmp_path))
    assert program(question="?").answer == "0 0 0"
    assert flush()
    (file,) = tmp_path.glob("*.jsonl")
    assert json.loads(file.read_text())["recording"] == {}


def test_versions():
    def version(module, **options):
        (step,) = module_program(module, inputs=["question"], metric=right, **options).steps
        return step.impls[""].version

    def with_demos():
        module = One()
        module.answer.predict.demos = [{"question": "?", "reasoning": "r", "answer": "yes"}]
        return module

    found = [
        version(One()), version(with_demos()), version(One(), lm=dspy.LM("openai/a")), version(One(), lm=dspy.LM("openai/b")),
        version(One(), lm=dspy.LM("openai/a", temperature=0.5)),
    ]  # fmt: skip
    assert len(set(found)) == len(found)
    assert version(One(), lm=dspy.LM("openai/a", api_key="x")) == version(One(), lm=dspy.LM("openai/a", api_key="y"))


def test_what_cannot_be_replayed(binary):
    class Elsewhere(One):
        def forward(self, question):
            with dspy.context(lm=Rollouts()):
                return self.answer(question=question)

    class Adapted(One):
        def forward(self, question):
            with dspy.context(adapter=dspy.JSONAdapter()):
                return self.answer(question=question)

    class Direct(One):
        def forward(self, question):
            dspy.settings.lm("Are you there?")
            return self.answer(question=question)

    class Refined(One):
        def __init__(self):
            super().__init__()
            self.best = dspy.Refine(self.answer, N=2, reward_fn=lambda _, p: 0.0, threshold=1.0)

        def forward(self, question):
            return self.best(question=question)

    class Shared(One):
        def deepcopy(self):
            return self

    lm, fix = says(reasoning="r", answer="no"), {"answer": {"v": {"instructions": "Be right."}}}
    for module, why in (
        (Elsewhere, "called with another language model"), (Adapted, "an adapter of a dspy.context"),
        (Refined, "the language model dummy itself"), (Direct, "the language model dummy itself"),
    ):  # fmt: skip
        program = module_program(module(), inputs=["question"], lm=lm, variants=fix, metric=right)
        with pytest.raises(AnalysisError, match=why):
            analyze_case(program, CASE)
    with pytest.raises(UsageError, match="module Shared can't be copied"):
        module_program(Shared(), inputs=["question"], metric=right)


def test_errors(binary):
    with pytest.raises(UsageError, match="module One has no predictor, tool or module anwser: it has answer"):
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


def test_a_module_that_asks_models_itself_can_be_one_step():
    class Refined(dspy.Module):
        def __init__(self):
            super().__init__()
            self.best = dspy.Refine(dspy.Predict("question -> answer"), N=1, reward_fn=lambda _, p: 1.0, threshold=1.0)

        def forward(self, question):
            return self.best(question=question)

    program = module_program(
        Refined(), inputs=["question"], lm=says(answer="yes"), metric=right, steps={"best": {"cost": 3}}
    )
    assert [s.name for s in program.steps] == ["best"]
    assert replay(program, question="?")[1] == {"answer": "yes"}
