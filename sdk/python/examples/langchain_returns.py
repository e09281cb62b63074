"""A LangChain chain that answers from a shop's rules: it retrieves, fills in a prompt, and
asks a model. It quotes an old rule. Better retrieval alone doesn't help: the rule in
force is found, but a small model needs to be told to prefer it.

The models are small enough to be here: they read the rules that the prompt holds.

    agentblame blame --host "python langchain_returns.py" --cases langchain_returns.jsonl
"""

import re

from langchain_core.documents import Document
from langchain_core.language_models import SimpleChatModel
from langchain_core.messages import BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import ConfigurableField, RunnablePassthrough

from agentblame import serve
from agentblame.adapters import Variant
from agentblame.adapters.langchain import runnable_program

RULES = [
    Document("2023: returns are free for 14 days.", metadata={"about": "returns"}),
    Document("2026: returns are free for 30 days.", metadata={"about": "returns"}),
    Document("2026: delivery takes two days.", metadata={"about": "delivery"}),
]


class Rules(BaseRetriever):
    """Finds the rules about what is asked, the oldest first."""

    k: int

    def _get_relevant_documents(self, query: str, *, run_manager=None) -> list[Document]:
        return [rule for rule in RULES if rule.metadata["about"] in query][: self.k]


class Reader(SimpleChatModel):
    """Quotes a rule: the first, or the newest if it is told so or knows better."""

    careful: bool = False

    @property
    def _llm_type(self) -> str:
        return "reader"

    def _call(self, messages: list[BaseMessage], stop=None, run_manager=None, **kwargs) -> str:
        rules = re.findall(r"\d{4}: [^.]+\.", messages[-1].text)
        newest = self.careful or "newest" in messages[0].text
        return (max(rules) if newest else rules[0]) if rules else "I don't know."


def prompt(instruction: str) -> ChatPromptTemplate:
    return ChatPromptTemplate([("system", instruction), ("user", "{rules}\n\n{question}")])


def joined(rules: list[Document]) -> str:
    return "\n".join(rule.page_content for rule in rules)


model = Reader().configurable_alternatives(ConfigurableField("model"), default_key="small", large=Reader(careful=True))

# The chain, as it is without agentblame.
chain = (
    {"rules": Rules(k=1) | joined, "question": RunnablePassthrough()}
    | prompt("Answer from the rules.")
    | model
    | StrOutputParser()
)

answer = runnable_program(
    chain,
    name="returns",
    inputs=["question"],
    input=lambda question: question,
    variants={
        "Rules": {"more": Variant(Rules(k=3), cost=2)},
        "ChatPromptTemplate": {"newest": prompt("Answer from the newest of the rules.")},
    },
    steps={"model": {"deterministic": True}},  # it is; of a hosted model nothing need be said
    metric=lambda answer, case: case.expected in answer,
)

if __name__ == "__main__":
    serve(answer)
