"""A LlamaIndex workflow that looks a question up in several places at once and chooses
among what it finds. It falls for a long post in a forum. It would help not to look
there, or else to note what has been reviewed and to prefer that: either alone does not.

    agentblame blame --host "python llama_index_help.py" --cases llama_index_help.jsonl
    agentblame blame --host "python llama_index_help.py" --cases llama_index_help.jsonl --players calls
"""

from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent

from agentblame import serve
from agentblame.adapters.llama_index import workflow_program

PLACES = {
    "forum": "I wrote to them about my password, and two days later it worked again, so do that.",
    "handbook": "Reset your password under Settings.",
}


class Asked(StartEvent):
    question: str


class Lookup(Event):
    place: str


class Found(Event):
    text: str
    reviewed: bool = False


class Help(Workflow):
    """The workflow, as it is without agentblame."""

    @step
    async def ask(self, ctx: Context, ev: Asked) -> Lookup | None:
        await ctx.store.set("asked", len(PLACES))
        for place in PLACES:
            ctx.send_event(Lookup(place=place))

    @step
    async def look(self, ev: Lookup) -> Found:
        return Found(text=PLACES[ev.place])

    @step
    async def choose(self, ctx: Context, ev: Found) -> StopEvent | None:
        found = ctx.collect_events(ev, [Found] * await ctx.store.get("asked"))
        if found is not None:
            return StopEvent(result=max(found, key=lambda f: len(f.text)).text)


class Better(Help):
    """What could be done better, step by step."""

    @step
    async def ask(self, ctx: Context, ev: Asked) -> Lookup | None:
        await ctx.store.set("asked", 1)
        ctx.send_event(Lookup(place="handbook"))

    @step
    async def look(self, ev: Lookup) -> Found:
        return Found(text=PLACES[ev.place], reviewed=ev.place == "handbook")

    @step
    async def choose(self, ctx: Context, ev: Found) -> StopEvent | None:
        found = ctx.collect_events(ev, [Found] * await ctx.store.get("asked"))
        if found is not None:
            return StopEvent(result=max(found, key=lambda f: (f.reviewed, len(f.text))).text)


answer = workflow_program(
    Help(),
    name="help",
    inputs=["question"],
    variants={
        "ask": {"handbook-only": Better.ask},
        "look": {"notes-reviews": Better.look},
        "choose": {"reviewed-first": Better.choose},
    },
    metric=lambda answer, case: case.expected in answer,
)

if __name__ == "__main__":
    serve(answer)
