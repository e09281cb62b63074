"""A LlamaIndex workflow that looks in three places at once and puts together what it found.
One of the places holds an old page, and the writer takes the first thing that it reads.

    agentblame blame --host "python llamaindex_review.py" --cases llamaindex_review.jsonl
    agentblame blame --host "python llamaindex_review.py" --cases llamaindex_review.jsonl --players calls
"""

from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent

from agentblame import serve
from agentblame.adapters.llamaindex import workflow_program

SHELVES = {
    "archive": {"year": 2021, "days": 90},
    "handbook": {"year": 2025, "days": 30},
    "wiki": {"year": 2024, "days": 30},
}


class Look(Event):
    shelf: str


class Found(Event):
    year: int
    days: int


class Review(Workflow):
    @step
    async def plan(self, ctx: Context, ev: StartEvent) -> Look | None:
        """Looks everywhere."""
        await ctx.store.set("question", ev.question)
        for shelf in SHELVES:
            ctx.send_event(Look(shelf=shelf))

    @step
    async def look(self, ev: Look) -> Found:
        return Found(**SHELVES[ev.shelf])

    @step
    async def write(self, ctx: Context, ev: Found) -> StopEvent | None:
        pages = ctx.collect_events(ev, [Found] * len(SHELVES))
        if pages is None:
            return None
        return StopEvent(result=f"{pages[0].days} days")


async def look_current(self, ev: Look) -> Found:
    """An old page is no answer: the newest is."""
    newest = max(SHELVES.values(), key=lambda page: page["year"])
    return Found(**(newest if SHELVES[ev.shelf]["year"] < 2024 else SHELVES[ev.shelf]))


async def write_newest(self, ctx: Context, ev: Found) -> StopEvent | None:
    pages = ctx.collect_events(ev, [Found] * len(SHELVES))
    if pages is None:
        return None
    return StopEvent(result=f"{max(pages, key=lambda page: page.year).days} days")


review = workflow_program(
    Review(),
    name="review",
    inputs=["question"],
    variants={"look": {"current": look_current}, "write": {"newest": write_newest}},
    metric=lambda result, case: result == case.expected,
)

if __name__ == "__main__":
    serve(review)
