"""Runs of a program in this process, as agentblame would run it as it is."""

import asyncio
import copy
import inspect
import json
import threading

from agentblame.context import Context
from agentblame.errors import wire_error
from agentblame.host import Host
from agentblame.runs import ProgramRun, run_program


class Replay(ProgramRun):
    """A run that answers its own calls: it has them, with what they gave, by label."""

    def __init__(self, program, variants=None):
        super().__init__(Host(program))
        self.variants, self.counts, self.calls = variants or {}, {}, {}

    def _begun(self, step, name, request):
        params = json.loads(f"{{{request}}}")
        with self.lock:
            if not name:
                self.counts[step.name] = self.counts.get(step.name, 0) + 1
            iteration = name or str(self.counts[step.name])
            label = f"{step.name}#{iteration}"
            assert label not in self.calls, f"{label} is called twice"
            call = self.calls[label] = {"inputs": copy.deepcopy(params["inputs"])}
        if step.name in self.variants:
            params["variant"] = self.variants[step.name]
        noise = {"seed": "1", "world": "0", "step": step.name, "iteration": iteration}
        return call, params, Context(step.name, iteration, noise, declared=self.host.declared)

    def ask(self, step, name, request):
        """Runs the step in a thread, where nothing of the program's is known."""
        call, params, context = self._begun(step, name, request)
        out = {}

        def work():
            try:
                text = self.host.run_step(self.host.runner(params), params, context)
                out.update(json.loads(text if isinstance(text, str) else asyncio.run(text)))
            except Exception as error:
                out["error"] = wire_error(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        call.update(out)
        return out

    async def ask_async(self, step, name, request):
        return await asyncio.to_thread(self.ask, step, name, request)


def replay(program, variants=None, **inputs):
    """Runs a program: the calls that it made, and the JSON of its output."""
    run = Replay(program, variants)
    text = run_program(run.host, run, {"inputs": inputs})
    assert not inspect.isawaitable(text)
    return run.calls, json.loads(text)["output"]
