"""The refund pipeline: four steps that let a superseded policy through.

agentblame blame --host "python refund.py" --cases refund.jsonl
agentblame blame --host "python -m agentblame refund:answer" --cases refund.jsonl
"""

from dataclasses import dataclass, replace

from agentblame import Case, Pipeline, program, serve, step


@dataclass
class Plan:
    """What to look for, and from which year on; 0: no matter."""

    query: str
    since: int = 0


@dataclass
class Policy:
    id: str
    year: int
    days: int
    superseded_by: str = ""


@dataclass
class Draft:
    text: str
    days: int
    cites: str = ""


POLICIES = [
    Policy("refunds-2023", 2023, 90, superseded_by="refunds-2026"),
    Policy("refunds-2026", 2026, 30),
]


@step("planner")
def planner(question: str) -> Plan:
    return Plan(question)


@planner.variant("date-constraint")
def planner_dated(question: str) -> Plan:
    return Plan(question, since=2026)


@step("retriever")
def retriever(planner: Plan) -> Policy:
    return first(p for p in POLICIES if p.year >= planner.since)


@retriever.variant("drop-superseded")
def retriever_current(planner: Plan) -> Policy:
    return first(p for p in POLICIES if p.year >= planner.since and not p.superseded_by)


def first(found):
    for policy in found:
        return policy
    raise LookupError("no policy matches")


@step("writer")
def writer(retriever: Policy) -> Draft:
    return Draft(f"You can return it within {retriever.days} days.", retriever.days)


@writer.variant("cite-sources")
def writer_cited(retriever: Policy) -> Draft:
    return Draft(f"You can return it within {retriever.days} days.", retriever.days, cites=retriever.id)


@step("reviewer")
def reviewer(writer: Draft) -> Draft:
    return writer


@reviewer.variant("recheck-claims")
def reviewer_cited(writer: Draft) -> Draft:
    """Checks cited claims against the register of policies."""
    if not writer.cites:
        return writer
    for old in POLICIES:
        for new in POLICIES:
            if old.days == writer.days and new.id == old.superseded_by:
                return replace(writer, text=f"You can return it within {new.days} days.", days=new.days)
    return writer


STEPS = [planner, retriever, writer, reviewer]


def metric(reviewer: Draft, case: Case) -> bool:
    return reviewer.days == case.expected


# Declared as a graph: agentblame runs the steps along their needs.
pipeline = Pipeline(STEPS, metric=metric, name="refund")


# The same as a function of its own, which calls the steps.
@program(name="refund", metric=lambda draft, case: draft.days == case.expected)
def answer(question: str) -> Draft:
    plan = planner(question)
    policy = retriever(plan)
    draft = writer(policy)
    return reviewer(draft)


CASE = Case(
    "refund-q1",
    {"question": "How long do I have to return it?"},
    expected=30,
)

if __name__ == "__main__":
    serve(pipeline)
