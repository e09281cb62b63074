"""Two Pydantic AI agents: one reads a customer's question, the other answers it from a policy.
The reader doesn't say which year's policy applies, and the writer takes the first.

    agentblame blame --host "python pydantic_ai_support.py" --cases pydantic_ai_support.jsonl
"""

from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from agentblame import serve
from agentblame.adapters.pydantic_ai import agents_program

POLICIES = {2019: "Return within 90 days.", 2025: "Return within 30 days."}


class Reading(BaseModel):
    topic: str
    since: int


# Local functions stand in for models; with a hosted model, write its name.
def read_model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    since = 2025 if "today" in (info.instructions or "") else 2019
    return ModelResponse([ToolCallPart(info.output_tools[0].name, {"topic": "returns", "since": since})])


def write_model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    policies = messages[-1].parts[-1].content.splitlines()
    chosen = policies[-1] if "newest" in (info.instructions or "") else policies[0]
    return ModelResponse([TextPart(chosen)])


reader = Agent(FunctionModel(read_model), name="reader", output_type=Reading, instructions="Read the question.")
writer = Agent(FunctionModel(write_model), name="writer", instructions="Answer from the policies.")


async def answer(question: str) -> str:
    reading = (await reader.run(question)).output
    policies = "\n".join(text for year, text in POLICIES.items() if year >= reading.since)
    return (await writer.run(policies)).output


support = agents_program(
    answer,
    agents=[reader, writer],
    variants={
        "reader": {"dated": {"instructions": "Read the question. Policies count as of today."}},
        "writer": {"newest": {"instructions": "Answer from the newest policy."}},
    },
    metric=lambda text, case: case.expected in text,
)

if __name__ == "__main__":
    serve(support)
