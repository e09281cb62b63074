"""LangChain runnables as programs."""

import json

import pytest
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import ConfigurableField, RunnableBranch, RunnableLambda, RunnablePassthrough
from langchain_core.tools import tool
from pydantic import BaseModel

import langchain_rag
from agentblame import Case, UsageError, analyze_case
from agentblame.adapters._messages import dump, revive
from agentblame.adapters.langchain import chain_program

CASE = Case("a", {"q": "?"}, expected="yes")


def right(output, case):
    return output == case.expected


def test_the_example(agentblame, tmp_path):
    from pathlib import Path

    agentblame(
        "blame", "--host", "python3 -m agentblame langchain_rag:rag",
        "--cases", str(Path(langchain_rag.__file__).with_suffix(".jsonl")), "-o", "result.json",
    )  # fmt: skip
    case = json.loads((tmp_path / "result.json").read_text())["cases"][0]
    assert case["shapley_exact"] == {"retrieve": "1/2", "reader": "1/2"}
    assert case["minimal_repairs"] == [["retrieve", "reader"]]


def test_the_chain_stays_as_it_is():
    assert langchain_rag.chain.invoke("?") == "20"
    assert langchain_rag.rag(question="?") == "20"


def test_models_retrievers_and_bindings(binary):
    class Index(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            return [Document("no", metadata={"page": 1}, id="d1")]

    def first(documents: list[Document]) -> str:
        assert isinstance(documents[0], Document)
        return documents[0].page_content

    model = FakeListChatModel(responses=["no"])
    chain = (
        RunnablePassthrough.assign(doc=(lambda x: x["q"]) | Index(name="index") | first)
        | ChatPromptTemplate.from_template("{doc} {q}")
        | model.bind(stop=["x"]).with_config(run_name="writer")
        | StrOutputParser()
    )
    program = chain_program(
        chain,
        name="c",
        inputs=["q"],
        variants={
            "writer": {"larger": FakeListChatModel(responses=["yes"])},
            "ChatPromptTemplate": {"strict": ChatPromptTemplate.from_template("{q}")},
        },
        steps={"writer": {"cost": 5}},
        metric=right,
    )
    one = analyze_case(program, CASE)
    assert one.shapley == {"ChatPromptTemplate": 0, "writer": 1}
    assert [s.name for s in program.steps][-1] == "writer"
    assert {"index", "first"} <= {s.name for s in program.steps}
    assert program(q="?") == "no"


def test_configurable_alternatives_are_variants(binary):
    model = FakeListChatModel(responses=["no"]).configurable_alternatives(
        ConfigurableField(id="llm"), default_key="small", large=FakeListChatModel(responses=["yes"])
    )
    program = chain_program(
        ChatPromptTemplate.from_template("{q}") | model | StrOutputParser(), name="c", inputs=["q"], metric=right
    )
    assert analyze_case(program, CASE).shapley == {"llm": 1}


def test_parallels_branches_and_classes(binary):
    class Plan(BaseModel):
        days: int

    def plan(x: dict) -> Plan:
        return Plan(days=90)

    def write(x: dict) -> str:
        return "yes" if x["plan"]["days"] == 30 and x["lang"] == "en" else "no"

    chain = {"plan": RunnableLambda(plan), "lang": RunnableLambda(lambda x: "en", name="lang")} | RunnableBranch(
        (lambda x: x["lang"] == "de", RunnableLambda(lambda x: "nein", name="german")),
        RunnableLambda(write),
    )
    program = chain_program(
        chain, name="c", inputs=["q"], variants={"plan": {"dated": lambda x: Plan(days=30)}}, metric=right
    )
    assert analyze_case(program, CASE).shapley == {"plan": 1}


def test_async_functions_and_tools(binary):
    @tool
    def lookup(q: str) -> str:
        """Looks it up."""
        return "no"

    async def finish(x: str) -> str:
        return x

    async def better(x: str) -> str:
        return "yes"

    program = chain_program(
        RunnablePassthrough() | lookup | RunnableLambda(finish), name="c", inputs=["q"],
        variants={"finish": {"better": better}}, metric=right,
    )  # fmt: skip
    assert analyze_case(program, CASE).shapley == {"finish": 1}
    assert {s.name for s in program.steps} == {"lookup", "finish"}


def test_errors():
    chain = ChatPromptTemplate.from_template("{q}") | StrOutputParser()
    with pytest.raises(UsageError, match="no parts that could be steps"):
        chain_program(chain, name="c", inputs=["q"], metric=right)
    with pytest.raises(UsageError, match="has no part writer: it has ChatPromptTemplate, StrOutputParser"):
        chain_program(chain, name="c", inputs=["q"], metric=right, variants={"writer": {}})


@pytest.mark.parametrize(
    "value",
    [
        AIMessage("x", id="m", tool_calls=[{"name": "f", "args": {"a": 1}, "id": "1"}]),
        [HumanMessage("x"), ToolMessage("r", tool_call_id="1", artifact={"a": [1]})],
        Document("text", metadata={"page": 3}, id="d"),
        ChatPromptTemplate.from_template("{q}").invoke({"q": "?"}),
    ],
)
def test_values_come_back(value):
    assert revive(json.loads(json.dumps(dump(value)))) == value


def test_ids_of_tracing_runs_are_left_out():
    assert revive(dump(AIMessage("x", id="lc_run--1-0"))).id is None
