"""A shop's answers to its customers: a topic, a page of the handbook, an answer.

Replace the bodies of the steps with your own; each has one way in which it could be better.
"""

from agentblame import Pipeline, step

PAGES = {
    "payment": [
        {"year": 2022, "text": "We take cards. Invoices are for companies."},
        {"year": 2025, "text": "We take cards and transfers. Invoices are for everyone."},
    ],
    "delivery": [
        {"year": 2023, "text": "Delivery takes five days. It costs 4 euros."},
        {"year": 2025, "text": "Delivery takes two days. It is free above 30 euros."},
    ],
    "returns": [
        {"year": 2021, "text": "Return within 90 days. The label is 5 euros."},
        {"year": 2025, "text": "Return within 30 days. The label is free."},
    ],
}
WORDS = {"pay": "payment", "arrive": "delivery", "deliver": "delivery", "return": "returns"}


def topic_of(question: str) -> str:
    return next((topic for word, topic in WORDS.items() if word in question), "payment")


@step("classify")
def classify(question: str) -> str:
    return topic_of(question)


@classify.variant("by-meaning", cost=2)
def classify_by_meaning(question: str) -> str:
    return "returns" if "back" in question else topic_of(question)


@step("search")
def search(classify: str) -> str:
    return PAGES[classify][0]["text"]


@search.variant("newest")
def search_newest(classify: str) -> str:
    return max(PAGES[classify], key=lambda page: page["year"])["text"]


@step("answer", cost=3)
def answer(search: str) -> str:
    return search.split(". ")[0]


@answer.variant("whole-page")
def answer_whole_page(search: str) -> str:
    return search


def metric(answer, case):
    return case.expected in answer


pipeline = Pipeline([classify, search, answer], metric=metric, name="support")
