"""The steps of a refund pipeline. Each run reads {"inputs": {...}} as JSON from
standard input and prints its output as JSON. Replace the bodies with your own."""

import json
import sys

POLICIES = [  # the index, best match first
    {"id": "refunds-2023", "year": 2023, "days": 90, "superseded_by": "refunds-2026"},
    {"id": "refunds-2026", "year": 2026, "days": 30, "superseded_by": None},
]


def planner(question, dated=False):
    return {"query": question, "since": 2026 if dated else 0}


def retriever(planner, current=False):
    for policy in POLICIES:
        if policy["year"] >= planner["since"] and not (current and policy["superseded_by"]):
            return policy
    raise LookupError("no policy matches")


def writer(retriever, cited=False):
    return {
        "text": f"You can return it within {retriever['days']} days.",
        "days": retriever["days"],
        "cites": retriever["id"] if cited else None,
    }


def reviewer(writer, recheck=False):
    if recheck and writer["cites"]:  # only cited claims can be checked
        by_id = {p["id"]: p for p in POLICIES}
        policy = by_id[writer["cites"]]
        if policy["superseded_by"]:
            days = by_id[policy["superseded_by"]]["days"]
            return {**writer, "text": f"You can return it within {days} days.", "days": days}
    return writer


if __name__ == "__main__":
    step, flags = sys.argv[1], sys.argv[2:]
    inputs = json.load(sys.stdin)["inputs"]
    output = globals()[step](**inputs, **{flag.lstrip("-"): True for flag in flags})
    json.dump(output, sys.stdout)
