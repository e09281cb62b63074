"""Adapted programs by HTTP, where a run begins again from its start: calls at once, and tools that change what they share."""

import json

import pytest
from agents import Agent as OpenAIAgent
from agents import Runner, RunContextWrapper, function_tool
from agents.testing import assistant_message, function_call
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from agentblame import Case, analyze_case
from agentblame.adapters import dspy, openai_agents, pydantic_ai
from test_adapter_dspy import Both
from test_adapter_dspy import says as dspy_says
from test_adapter_openai_agents import Says
from test_web import service

Seen = dict


def blind(shelf: str) -> str:
    return "nothing"


def think(messages, info):
    told = [str(p.content) for m in messages for p in m.parts if isinstance(p, ToolReturnPart)]
    return ModelResponse([TextPart(" ".join(told))] if told else [ToolCallPart("look", {"shelf": s}) for s in "xyz"])


pydantic_finder = Agent(FunctionModel(think), name="finder", deps_type=Seen)


@pydantic_finder.tool
def look(ctx: RunContext[Seen], shelf: str) -> str:
    ctx.deps[shelf] = len(ctx.deps)
    return f"{shelf}{ctx.deps[shelf]}"


async def find(question):
    seen = {}
    out = (await pydantic_finder.run(question, deps=seen)).output
    return f"{out} {len(seen)}"


def nothings(text):
    return text.count("nothing") / 3


by_pydantic_ai = pydantic_ai.agents_program(
    find, agents=[pydantic_finder], turns=["finder"], variants={"look": {"blind": blind}}, metric=nothings
)


def ask(instructions, input):
    told = [i["output"] for i in input if i.get("type") == "function_call_output"] if input != "?" else []
    calls = [function_call("look", {"shelf": s}, call_id=s, item_id=s) for s in "xyz"]
    return assistant_message(" ".join(told)) if told else calls


@function_tool(name_override="look")
def look_openai(ctx: RunContextWrapper[Seen], shelf: str) -> str:
    ctx.context[shelf] = len(ctx.context)
    return f"{shelf}{ctx.context[shelf]}"


openai_finder = OpenAIAgent(name="finder", model=Says(ask), tools=[look_openai])


async def find_openai(question):
    seen = {}
    out = (await Runner.run(openai_finder, question, context=seen)).final_output
    return f"{out} {len(seen)}"


by_openai_agents = openai_agents.agents_program(
    find_openai, agent=openai_finder, variants={"look": {"blind": blind}}, metric=nothings
)
by_dspy = dspy.module_program(
    Both(), inputs=["question"], lm=dspy_says(answer="no"), metric=lambda out: out.answer.count("yes") / 3,
    variants={"answer": {"v": {"lm": dspy_says(answer="yes")}}},
)  # fmt: skip


@pytest.mark.parametrize("name", ["by_pydantic_ai", "by_openai_agents", "by_dspy"])
def test_the_same_by_http_and_in_this_process(agentblame, tmp_path, name):
    case = Case("c", {"question": "?"})
    (tmp_path / "cases.jsonl").write_text(json.dumps(case.to_dict()))
    with service(f"test_adapter_http:{name}") as url:
        agentblame("blame", "--host", url, "--cases", "cases.jsonl", "--players", "calls", "-o", "result.json")
    (found,) = json.loads((tmp_path / "result.json").read_text())["cases"]
    here = analyze_case(globals()[name], case, players="calls")
    assert found["shapley"] == here.shapley
    assert [v for v in here.shapley.values() if v] == pytest.approx([1 / 3] * 3)
