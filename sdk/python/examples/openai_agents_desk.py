"""Agents of the OpenAI Agents SDK: a front desk hands a customer over to the agent for refunds, which looks
the order up with a tool. The desk takes a refund for a delivery question, and the tool looks at the old shop.

    agentblame blame --host "python openai_agents_desk.py" --cases openai_agents_desk.jsonl
"""

import json

from agents import Agent, Model, Runner, function_tool
from agents.items import ModelResponse
from agents.testing import assistant_message, function_call
from agents.usage import Usage

from agentblame import serve
from agentblame.adapters.openai_agents import agents_program


class Local(Model):
    """Stands in for a hosted model: a function of the instructions and of what was said last."""

    def __init__(self, think):
        self.think = think

    async def get_response(self, system_instructions, input, *args, **kwargs):
        last = input if isinstance(input, str) else input[-1]
        return ModelResponse(output=[self.think(system_instructions, last)], usage=Usage(), response_id=None)

    def stream_response(self, *args, **kwargs):
        raise NotImplementedError


def route(instructions, last):
    refunds = "money back" in instructions
    return function_call(f"transfer_to_{'refunds' if refunds else 'delivery'}", {}, call_id="1")


def refund(instructions, last):
    if last.get("type") == "function_call_output" and "days" in str(last["output"]):
        return assistant_message(f"You have {json.loads(last['output'])['days']} days.")
    return function_call("find_order", {"customer": "c1"}, call_id="2")


@function_tool
def find_order(customer: str) -> str:
    """Finds a customer's order in the old shop."""
    return json.dumps({"order": "o1", "days": 90})


@function_tool(name_override="find_order")
def find_order_in_new_shop(customer: str) -> str:
    """Finds a customer's order."""
    return json.dumps({"order": "o7", "days": 30})


refunds = Agent(
    name="refunds", instructions="You answer questions about refunds.", model=Local(refund), tools=[find_order]
)
delivery = Agent(
    name="delivery", instructions="Deliveries.", model=Local(lambda i, last: assistant_message("On Friday."))
)
desk = Agent(name="desk", instructions="Send the customer on.", model=Local(route), handoffs=[refunds, delivery])


async def answer(question: str) -> str:
    return (await Runner.run(desk, question)).final_output


support = agents_program(
    answer,
    agent=desk,
    variants={
        "desk": {"clearer": {"instructions": "Who wants money back goes to refunds, others to delivery."}},
        "find_order": {"new-shop": find_order_in_new_shop},
    },
    metric=lambda text, case: case.expected in text,
)

if __name__ == "__main__":
    serve(support)
