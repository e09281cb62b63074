"""Support mail comes in, and the team that answers it comes out. Four steps, each with
a mistake that shows in some of the cases, and a variant that doesn't make it.

Replace the bodies with your own: a model call, a search, a service. A step that calls
a hosted model has randomness that can't be seen: @step("classify", deterministic=False).
"""

import re

from agentblame import Case, Pipeline, step

# The words by which a team is known, and those that can't wait.
TEAMS = {
    "billing": ["invoice", "charged", "refund", "paid"],
    "access": ["password", "login", "account", "locked"],
    "technical": ["error", "crash", "export", "down"],
}
URGENT = ["urgent", "now", "down"]


def words(text: str) -> list[str]:
    return re.findall("[a-z]+", text.lower())


@step("clean")
def clean(mail: str) -> str:
    return mail


@clean.variant("drop-quotes")
def clean_quotes(mail: str) -> str:
    """Without the lines that quote an older mail."""
    return "\n".join(line for line in mail.split("\n") if not line.startswith(">"))


@step("classify")
def classify(clean: str) -> str:
    """The first team that is spoken of."""
    said = words(clean)
    for team, known in TEAMS.items():
        if any(word in known for word in said):
            return team
    return "general"


@classify.variant("count-words")
def classify_counted(clean: str) -> str:
    """The team that is spoken of most."""
    best, most = "general", 0
    for team, known in TEAMS.items():
        count = sum(word in known for word in words(clean))
        if count > most:
            best, most = team, count
    return best


@step("priority")
def priority(clean: str) -> str:
    """Finds "now" in "know", too."""
    return "urgent" if any(word in clean.lower() for word in URGENT) else "normal"


@priority.variant("whole-words")
def priority_words(clean: str) -> str:
    return "urgent" if any(word in URGENT for word in words(clean)) else "normal"


@step("route")
def route(classify: str, priority: str) -> str:
    return "on-call" if priority == "urgent" else classify


@route.variant("wake-for-outages")
def route_outages(classify: str, priority: str) -> str:
    """Only what is technical wakes somebody up."""
    return "on-call" if priority == "urgent" and classify == "technical" else classify


def right_team(route: str, case: Case) -> bool:
    """The metric: a number from 0 to 1, or whether it is good."""
    return route == case.expected


pipeline = Pipeline([clean, classify, priority, route], metric=right_team, name="triage")
