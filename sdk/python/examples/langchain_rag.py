"""A LangChain chain: a retriever, a prompt and a model. The handbook has an old page and a new one.

agentblame blame --host "python langchain_rag.py" --cases langchain_rag.jsonl
"""

from langchain_core.language_models import SimpleChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from agentblame import serve
from agentblame.adapters.langchain import chain_program

PAGES = [
    {"year": 2021, "text": "Meals are paid back up to 20 euros without a receipt."},
    {"year": 2025, "text": "Meals are paid back up to 35 euros. A receipt is needed above 15."},
]


def retrieve(question: str) -> str:
    """The oldest page stands first in the index."""
    return PAGES[0]["text"]


def retrieve_newest(question: str) -> str:
    return max(PAGES, key=lambda page: page["year"])["text"]


class Reader(SimpleChatModel):
    """Stands in for a model: it answers with the first amount that it reads; a careful one with the last."""

    careful: bool = False

    @property
    def _llm_type(self) -> str:
        return "reader"

    def _call(self, messages, stop=None, run_manager=None, **kwargs) -> str:
        amounts = [word.strip(".") for word in messages[-1].content.split() if word.strip(".").isdigit()]
        return amounts[-1 if self.careful else 0]


prompt = ChatPromptTemplate.from_template("{page}\nQuestion: {question} From which amount is a receipt needed?")
chain = (
    {"page": RunnableLambda(retrieve), "question": RunnablePassthrough()}
    | prompt
    | Reader().with_config(run_name="reader")
    | StrOutputParser()
)

rag = chain_program(
    chain,
    name="rag",
    inputs=["question"],
    input=lambda question: question,
    variants={
        "retrieve": {"newest": retrieve_newest},
        "reader": {"careful": Reader(careful=True)},
    },
    steps={"reader": {"deterministic": True}},  # a hosted model isn't
    metric=lambda answer, case: answer == case.expected,
)

if __name__ == "__main__":
    serve(rag)
