"""Analyses from Python, and their results."""

import json

import agentblame as ab
import pytest
from agentblame import AnalysisError, Case, Pipeline, step, analyze_case, blame_batch, format_batch, format_case
from agentblame.analyze import flags
from agentblame.result import BatchResult, CaseResult, Estimate, StepResult, Summary, View
from agentblame.result import PipelineInfo, Settings

import rag
import refund
from conftest import ROOT


@pytest.fixture(scope="module")
def batch(binary):
    return blame_batch(refund.answer, [refund.CASE])


def test_results(batch):
    assert batch.step("planner").shapley.mean == pytest.approx(5 / 12)
    assert batch.step("planner").shapley.low is None and batch.step("planner").breaks is None
    assert [s.name for s in batch.ranking] == ["planner", "retriever", "writer", "reviewer"]
    case = batch.case("refund-q1")
    assert case.shapley_exact == {"planner": "5/12", "retriever": "5/12", "writer": "1/12", "reviewer": "1/12"}
    assert case.minimal_repairs == [["planner"], ["retriever"], ["writer", "reviewer"]]
    assert batch.summary.cost == 14 and batch.to_dict()["schema"] == "agentblame.result/v1"
    assert BatchResult(json.loads(json.dumps(batch.to_dict()))) == batch
    with pytest.raises(AttributeError, match="has no field 'shaply'"):
        case.shaply  # noqa: B018
    with pytest.raises(KeyError):
        batch.step("nope")
    assert "shapley" in dir(case) and repr(batch.summary).startswith("Summary(given=1")


def test_text_and_html(batch):
    text = format_batch(batch)
    assert text.startswith("refund: 1 of 1 cases fail; 1 analysed, 1 repairable")
    assert "planner    date-constraint  +0.417" in text
    text = format_case(batch.cases[0])
    assert "planner    +0.417 (= 5/12)     +1.000         +0.000" in text
    assert "minimal repairs: {planner}, {retriever}, {writer, reviewer}" in text
    assert "<td>retriever</td><td>drop-superseded</td>" in batch._repr_html_()
    assert "<td>+0.417 (= 5/12)</td>" in batch.cases[0]._repr_html_()
    assert format_case(CaseResult({"id": "a", "undefined": "no gold"})) == "case a: not analysed: no gold"
    assert format_case(CaseResult({"id": "a", "score": 1, "passed": True})) == "case a: score 1: it passes"


def test_fields_are_those_of_the_schema():
    schema = json.loads((ROOT / "docs/result.schema.json").read_text())["$defs"]
    views = {
        "Result": BatchResult, "CaseResult": CaseResult, "StepResult": StepResult, "Estimate": Estimate,
        "Summary": Summary, "PipelineInfo": PipelineInfo, "Settings": Settings,
    }  # fmt: skip
    for name, view in views.items():
        assert issubclass(view, View)
        assert (set(view.__annotations__) - {"_parts"}) | {"pass"} == set(schema[name]["properties"]) | {"pass"}, name


def test_options_are_flags():
    assert flags({
        "mode": "prior", "n_worlds": 3, "fixes": {"a": "b", "c": "d"}, "stop_bound": "normal", "antithetic": True,
        "ordered": False, "budget": None, "filter_tag": ["x=1", "y=2"], "max_permutations": 7,
    }) == [
        "--mode=prior", "--worlds=3", "--fix=a=b", "--fix=c=d", "--rule=normal", "--antithetic",
        "--filter-tag=x=1", "--filter-tag=y=2", "--permutations=7",
    ]  # fmt: skip


def test_options_reach_the_command(binary):
    cases = list(rag.cases(40))
    log = []
    batch = blame_batch(
        rag.pipeline, cases, mode="posterior", n_worlds=2, method="permutation", max_permutations=4, delta=0.1,
        budget=500, seed=3, concurrency=2, keep_cases=1, on_log=log.append,
    )  # fmt: skip
    s = batch.settings
    assert (s.mode, s.worlds, s.method, s.delta, s.budget, s.seed) == ("posterior", 2, "permutation", 0.1, 500, 3)
    assert len(batch.cases) == 1
    top = blame_batch(rag.pipeline, cases, stop_when_separated=True, stop_bound="normal")
    assert (top.settings.stop, top.settings.rule) == ("top1", "normal")
    fixed = analyze_case(refund.pipeline, refund.CASE.to_dict(), fixes={"writer": "cite-sources"})
    assert fixed.shapley["writer"] == pytest.approx(1 / 12)


def test_what_goes_wrong(binary, tmp_path, monkeypatch):
    with pytest.raises(AnalysisError, match='there is no mode "x"') as told:
        blame_batch(refund.pipeline, [refund.CASE], mode="x")
    assert told.value.exit_code == 2
    with pytest.raises(AnalysisError, match="unknown flag: --colour"):
        blame_batch(refund.pipeline, [refund.CASE], colour="red")
    with pytest.raises(ab.EncodingError, match="case a can't be written as JSON: at .inputs.x"):
        blame_batch(refund.pipeline, [Case("a", {"x": object()})])
    with pytest.raises(AnalysisError, match=r'^case 2: the input "question" is missing'):
        blame_batch(refund.pipeline, [refund.CASE, Case("b", {"q": 1})])
    with pytest.raises(AnalysisError, match=r'^case 2: the id "x" is taken by the case at case 1'):
        blame_batch(refund.pipeline, [Case("x", refund.CASE.inputs)] * 2)
    with pytest.raises(AnalysisError, match="^cases: there are no cases"):
        blame_batch(refund.pipeline, [])
    with pytest.raises(TypeError, match="cases are a list of Case or of dicts, not a str"):
        blame_batch(refund.pipeline, "cases.jsonl")
    with pytest.raises(TypeError, match="<step planner> can't be analysed: it is neither a Pipeline nor a program"):
        blame_batch(refund.planner, [refund.CASE])
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("AGENTBLAME_BIN", raising=False)
    with pytest.raises(AnalysisError, match="there is no command agentblame: install agentblame"):
        blame_batch(refund.pipeline, [refund.CASE])


def test_a_metric_that_fails(binary):
    pipe = ab.Pipeline([ab.step("s")(lambda x: x).variant("v", lambda x: x)], metric=lambda s: 7)
    case = analyze_case(pipe, Case("c", {"x": 1}))
    assert "the metric gave 7: a score is a number from 0 to 1" in str(case.to_dict())


def test_no_gold(binary):
    pipe = ab.Pipeline([ab.step("s")(lambda x: x).gold()], metric=lambda s: 0)
    assert "gold for s" in analyze_case(pipe, Case("c", {"x": 1})).undefined
    assert analyze_case(pipe, Case("c", {"x": 1}, gold={"s": 2})).undefined is None


def test_transient_errors_are_tried_again(binary):
    tries = []

    def busy(x):
        tries.append(x)
        if len(tries) < 3:
            raise ab.Transient("busy", retry_after=0.01)
        return x

    pipe = ab.Pipeline([ab.step("s")(busy).variant("v", lambda x: x)], metric=lambda s: 1)
    assert analyze_case(pipe, Case("c", {"x": 1})).passed
    assert len(tries) == 3


def test_tracebacks(binary):
    @step
    def find(question):
        return lookup(question)

    def lookup(question):
        raise LookupError(f"no index for {question}")

    find.variant("fix", lambda question: "yes")
    one = analyze_case(Pipeline([find], metric=lambda find: find == "yes"), Case("a", {"question": "it"}))
    assert one.errors[0]["message"] == "no index for it"
    assert "in lookup" in one.errors[0]["traceback"]
    assert one.errors[0]["traceback"].endswith("LookupError: no index for it")
