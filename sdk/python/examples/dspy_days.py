"""A DSPy module: it makes a query of a question, looks a page up, and reads the days off it.
The query asks for an old page, and the reader takes the first number that it sees.

    agentblame blame --host "python dspy_days.py" --cases dspy_days.jsonl
"""

import dspy
from dspy.utils import DummyLM

from agentblame import serve
from agentblame.adapters.dspy import module_program

PAGES = {
    "returns": "As of 2019 you may return it within 90 days.",
    "returns today": "As of 2025 you may return it within 30 days; parcels take 5 days.",
}


# Answers by what is asked stand in for language models; use dspy.LM("…") for real ones.
local = DummyLM({"As of 2019": {"days": 2019}, "As of 2025": {"days": 2025}, "How long": {"query": "returns"}})
dated = DummyLM({"How long": {"query": "returns today"}})
careful = DummyLM({"As of 2019": {"days": 90}, "As of 2025": {"days": 30}})


class Days(dspy.Module):
    def __init__(self):
        super().__init__()
        self.ask = dspy.Predict("question -> query")
        self.read = dspy.Predict("page -> days: int")

    def forward(self, question):
        query = self.ask(question=question).query
        return self.read(page=PAGES[query])


days = module_program(
    Days(),
    name="days",
    inputs=["question"],
    lm=local,
    variants={
        "ask": {"dated": {"lm": dated}},
        "read": {"careful": {"lm": careful}},
    },
    steps={"ask": {"deterministic": True}, "read": {"deterministic": True}},  # a hosted model isn't
    metric=lambda prediction, case: prediction.days == case.expected,
)

if __name__ == "__main__":
    serve(days)
