"""One Pydantic AI agent with tools: it looks a customer's order up, then the rule that holds for it, and answers.
It passes the year of the order on only when it is told to, and the rule book opens at the oldest rule.

    agentblame blame --host "python pydantic_ai_orders.py" --cases pydantic_ai_orders.jsonl
    agentblame blame --host "python pydantic_ai_orders.py" --cases pydantic_ai_orders.jsonl --players calls
"""

from dataclasses import dataclass, field

from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from agentblame import serve
from agentblame.adapters.pydantic_ai import agents_program

RULES = {2019: 90, 2025: 30}


@dataclass
class Desk:
    customer: str
    seen: list[str] = field(default_factory=list)


# A local function stands in for a model; with a hosted one, write its name.
def think(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    found = {p.tool_name: p.content for m in messages for p in m.parts if isinstance(p, ToolReturnPart)}
    if "find_order" not in found:
        return ModelResponse([ToolCallPart("find_order", {})])
    if "find_rule" not in found:
        dated = "year" in (info.instructions or "")
        year = found["find_order"]["year"] if dated else None
        return ModelResponse([ToolCallPart("find_rule", {"topic": "returns", "year": year})])
    return ModelResponse([TextPart(f"You have {found['find_rule']} days.")])


desk = Agent(FunctionModel(think), name="desk", deps_type=Desk, instructions="Answer from the rules.")


@desk.tool
def find_order(ctx: RunContext[Desk]) -> dict[str, int]:
    """The customer's last order."""
    ctx.deps.seen.append("order")
    return {"year": 2026}


@desk.tool_plain
def find_rule(topic: str, year: int | None = None) -> int:
    """How many days there are for something, by the rules of a year."""
    return RULES[max(y for y in RULES if y <= (year or min(RULES)))]


def newest_rule(topic: str, year: int | None = None) -> int:
    return RULES[max(RULES)]


async def answer(question: str) -> str:
    return (await desk.run(question, deps=Desk("c1"))).output


support = agents_program(
    answer,
    agents=[desk],
    turns=["desk"],
    variants={
        "desk": {"dated": {"instructions": "Answer from the rules of the order's year."}},
        "find_rule": {"newest": newest_rule},
    },
    metric=lambda text, case: f"{case.expected} days" in text,
)

if __name__ == "__main__":
    serve(support)
