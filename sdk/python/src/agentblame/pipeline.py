"""Pipelines that are declared as graphs: steps wired by the names of their parameters."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .errors import UsageError
from .score import Score
from .step import Input, Step, Unit
from .wiring import identifier, listed


class Served:
    """What can be served and analysed: a graph or a program.

    ``kind`` is "graph", "program" or "steps"; ``inputs`` and ``steps`` are in the order
    of reports; ``needs`` are a graph's, by step: parameter → name.
    """

    kind: str
    name: str
    inputs: list[str | Input]
    steps: list[Step[Any, Any]]
    score: Score | None
    needs: dict[str, dict[str, str]]
    fn: Callable[..., Any] | None = None

    @property
    def units(self) -> dict[str, Unit]:
        """All that has variants, by name: steps and inputs."""
        found: dict[str, Unit] = {s.name: s for s in self.steps}
        found.update({i.name: i for i in self.inputs if isinstance(i, Input)})
        return found

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs."""
        return [i if isinstance(i, str) else i.name for i in self.inputs]

    def _check(self) -> None:
        names = [*self.input_names, *(s.name for s in self.steps)]
        twice = {n for n in names if names.count(n) > 1}
        if twice:
            raise UsageError(f"{self.name}: two steps or inputs are called {sorted(twice)[0]}")


class Pipeline(Served):
    """A pipeline declared as a graph: agentblame runs the steps along their needs.

    :param steps: in the order of reports; a step reads the steps and inputs that its parameters are named after
    :param metric: how good the outcome is; see Score
    :param inputs: names of the inputs, or Inputs; default: the parameters that are no steps
    :param name: the pipeline's name
    """

    kind = "graph"

    def __init__(
        self,
        steps: Iterable[Step[Any, Any]],
        *,
        metric: Callable[..., Any] | Score | None = None,
        inputs: Iterable[str | Input] | None = None,
        name: str = "pipeline",
    ) -> None:
        self.name, self.steps = name, list(steps)
        for s in self.steps:
            if not isinstance(s, Step):
                raise UsageError(f"{name}: {s!r} is no step; decorate it with @step")
        given = None if inputs is None else list(inputs)
        self.inputs = []
        self._wire(given)
        self._check()
        self.score = None if metric is None else Score.of(metric)
        self.score_needs = self.score.needs(self._names()) if self.score else None

    def _names(self) -> list[str]:
        return [*self.input_names, *(s.name for s in self.steps)]

    def _wire(self, given: list[str | Input] | None) -> None:
        """Finds what each step reads, and the inputs where they aren't given."""
        known = {identifier(s.name): s.name for s in self.steps}
        declared = given if given is not None else []
        for i in declared:
            name = i if isinstance(i, str) else i.name
            known[identifier(name)] = name
        self.inputs = list(declared)
        self.needs = {}
        for s in self.steps:
            self.needs[s.name] = wires = {}
            for parameter, name, required in _reads(s):
                known_as = known.get(identifier(name)) if name not in known.values() else name
                if known_as is None:
                    if not required:
                        continue  # an option with a default
                    if given is not None:
                        raise UsageError(
                            f"step {s.name} takes {name!r}, which is neither a step nor an input "
                            f"(there are: {listed(known.values())})"
                        )
                    known_as = known[identifier(name)] = name
                    self.inputs.append(name)
                if known_as == s.name:
                    raise UsageError(f"step {s.name} takes its own output")
                wires[parameter] = known_as

    def order(self) -> list[Step[Any, Any]]:
        """The steps, each after those that it needs."""
        done, out, todo = set(self.input_names), [], list(self.steps)
        while todo:
            ready = [s for s in todo if all(n in done for n in self.needs[s.name].values())]
            if not ready:
                raise UsageError(f"{self.name}: the steps {listed(s.name for s in todo)} need each other")
            out.append(ready[0])
            done.add(ready[0].name)
            todo.remove(ready[0])
        return out

    def __call__(self, **inputs: Any) -> dict[str, Any]:
        """Runs the pipeline as it is, and returns all outputs by step. Recorded with AGENTBLAME_RECORD."""
        if any(s.asynchronous for s in self.steps):
            return asyncio.run(self.run(**inputs))
        from .record import recorded

        return recorded(self.name, inputs, lambda: self._run(self._values(inputs)))

    async def run(self, **inputs: Any) -> dict[str, Any]:
        """The same for pipelines with async steps."""
        from .record import recorded_async

        return await recorded_async(self.name, inputs, lambda: self._arun(self._values(inputs)))

    def _values(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        missing = [n for n in self.input_names if n not in inputs]
        unknown = [n for n in inputs if n not in self.input_names]
        if missing or unknown:
            raise TypeError(f"{self.name} takes the inputs {listed(self.input_names)}; it is given {listed(inputs)}")
        return dict(inputs)

    def _run(self, values: dict[str, Any]) -> dict[str, Any]:
        for s in self.order():
            values[s.name] = s(**self._arguments(s, values))
        return {s.name: values[s.name] for s in self.steps}

    async def _arun(self, values: dict[str, Any]) -> dict[str, Any]:
        for s in self.order():
            out = s(**self._arguments(s, values))
            values[s.name] = await out if inspect.isawaitable(out) else out
        return {s.name: values[s.name] for s in self.steps}

    def _arguments(self, s: Step[Any, Any], values: Mapping[str, Any]) -> dict[str, Any]:
        own = s.signature
        return {p: values[n] for p, n in self.needs[s.name].items() if own.rest or p in own.names}


def _reads(s: Step[Any, Any]) -> list[tuple[str, str, bool]]:
    """What a step reads: parameter, name, and whether it can't do without."""
    if isinstance(s.needs, dict):
        return [(p, n, True) for p, n in s.needs.items()]
    if s.needs is not None:
        return [(identifier(n), n, True) for n in s.needs]
    found: dict[str, bool] = {}
    for impl in s.impls.values():
        if impl.signature.rest and impl.name == "":
            raise UsageError(f"step {s.name} takes inputs by any name: give needs=[…]")
        for p in impl.signature.names:
            found[p] = found.get(p, False) or p in impl.signature.required
    return [(p, p, required) for p, required in found.items()]


class Steps(Served):
    """Steps without a pipeline, for agentblame.yaml to wire up.

    :param steps: the steps; what they need is what their parameters are named
    :param metric: a metric for ``score: {host: …}``
    """

    kind = "steps"

    def __init__(
        self, steps: Iterable[Step[Any, Any]], *, metric: Callable[..., Any] | Score | None = None, name: str = "steps"
    ) -> None:
        graph = Pipeline(steps, name=name)
        self.name, self.steps, self.needs = name, graph.steps, graph.needs
        self.inputs = []
        self.score = None if metric is None else Score.of(metric)
        self.score_needs = self.score.needs(graph._names()) if self.score else None
