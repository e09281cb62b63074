"""Results of analyses: the JSON of docs/formats.md with attributes.

Every field of docs/formats.md is an attribute; one that the result doesn't have is
None. ``to_dict()`` is the JSON itself.
"""

from __future__ import annotations

import html
import typing
from collections.abc import Iterable
from typing import Any, ClassVar


class View:
    """An object of the result's JSON, whose fields are attributes."""

    _parts: ClassVar[dict[str, type[View]]] = {}

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._data:
            value, part = self._data[name], self._parts.get(name)
            if part is None:
                return value
            return [part(v) for v in value] if isinstance(value, list) else part(value)
        if name in typing.get_type_hints(type(self)):
            return None
        raise AttributeError(f"a {type(self).__name__} has no field {name!r}; it has {', '.join(self._data)}")

    def to_dict(self) -> dict[str, Any]:
        """The JSON."""
        return self._data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._data == other._data

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = {k: v for k, v in self._data.items() if isinstance(v, (str, int, float))}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in shown.items())})"

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._data]


class Estimate(View):
    """A mean, with an interval where there is one."""

    mean: float
    low: float | None
    high: float | None
    others: list[dict[str, Any]] | None


class StepResult(View):
    """What an analysis says of a step that has a fix."""

    _parts: ClassVar[dict[str, type[View]]] = {"shapley": Estimate}

    name: str
    shapley: Estimate
    fix_alone: float
    resolves: float
    leave_one_out: float
    share: float | None
    last_touch: int
    breaks: dict[str, Any] | None
    net: float | None
    necessity: dict[str, Any] | None
    responsibility: float | None
    variants: list[dict[str, Any]] | None
    calls: int | None


class CaseResult(View):
    """What an analysis says of a case."""

    id: str
    undefined: str | None
    score: float | None
    passed: bool | None
    score_fixed: float | None
    score_as_run: float | None
    method: str | None
    worlds: int | None
    coalitions: int | None
    permutations: int | None
    reason: str | None
    unbiased: dict[str, float] | None
    stopped: str | None
    intervals: dict[str, Any] | None
    intervals_cover: str | None
    cost: float | None
    cost_factual: float | None
    cost_uncached: float | None
    shapley: dict[str, float] | None
    shapley_exact: dict[str, str] | None
    fix_alone: dict[str, float] | None
    leave_one_out: dict[str, float] | None
    last_touch: str | None
    minimal_repairs: list[list[str]] | None
    minimal_repairs_cut: bool | None
    minimal_repairs_frequency: list[float] | None
    minimal_repairs_count: str | None
    coverage: float | None
    bounds: dict[str, Any] | None
    certain_top: str | None
    cheapest_repair: dict[str, Any] | None
    responsibility: dict[str, float] | None
    interactions: list[dict[str, Any]] | None
    effects: dict[str, Any] | None
    owen: dict[str, float] | None
    groups: dict[str, Any] | None
    shapley_ordered: dict[str, float] | None
    merged_by_key: int | None
    key_check: dict[str, Any] | None
    calls_shift: list[str] | None
    errors: list[dict[str, Any]] | None
    tags: dict[str, str] | None
    story: dict[str, Any] | None

    def _repr_html_(self) -> str:
        head = f"case {self.id}: score {self.score}"
        return table_html(head, ["player", "Shapley", "fix alone", "leave-one-out"], case_rows(self))


class PipelineInfo(View):
    """The pipeline that was analysed."""

    name: str
    steps: list[dict[str, Any]]


class Summary(View):
    """The counts of a batch."""

    given: int
    cases: int
    passed: int
    failures: int
    analyzed: int
    repairable: int
    unfixable: int
    sampled: int | None
    undefined: int
    with_errors: int
    cost: float
    cost_factual: float
    cost_uncached: float
    stopped: str
    key_check: dict[str, Any] | None
    intervals: list[dict[str, Any]] | None
    separation: dict[str, Any] | None
    cases_kept: int | None
    stories: int | None
    stories_cut: int | None
    partial: bool | None
    asked_again: dict[str, int] | None


class Settings(View):
    """What was asked."""

    mode: str
    worlds: int | None
    estimand: str
    independent: bool | None
    method: str
    players: str
    seed: int
    delta: float
    budget: float | None
    stop: str | None
    rule: str | None
    claim: str | None


class BatchResult(View):
    """The result of an analysis of a batch of cases."""

    _parts: ClassVar[dict[str, type[View]]] = {
        "pipeline": PipelineInfo, "settings": Settings, "summary": Summary, "steps": StepResult, "cases": CaseResult,
    }  # fmt: skip

    schema: str
    pipeline: PipelineInfo
    settings: Settings
    summary: Summary
    steps: list[StepResult]
    repair_groups: list[dict[str, Any]] | None
    interactions: list[dict[str, Any]] | None
    groups: list[dict[str, Any]] | None
    plan: dict[str, Any] | None
    harm: dict[str, Any] | None
    cases: list[CaseResult]
    values: list[Any] | None

    @property
    def ranking(self) -> list[StepResult]:
        """The steps, those with the most blame first."""
        return sorted(self.steps, key=lambda s: -s.shapley.mean)

    def step(self, name: str) -> StepResult:
        """A step by its name."""
        for s in self.steps:
            if s.name == name:
                return s
        raise KeyError(name)

    def case(self, id: str) -> CaseResult:
        """A case by its id."""
        for c in self.cases:
            if c.id == id:
                return c
        raise KeyError(id)

    def _repr_html_(self) -> str:
        s = self.summary
        head = f"{self.pipeline.name}: {s.failures} of {s.cases} cases fail"
        return table_html(head, BATCH_COLUMNS, batch_rows(self))


BATCH_COLUMNS = ["step", "fix", "blame", "interval", "fix alone resolves", "leave-one-out", "share"]


def batch_rows(batch: BatchResult) -> list[list[str]]:
    """A row for each step, those with the most blame first."""
    fixes = {s["name"]: s.get("fix", "") for s in batch.pipeline.steps}
    rows = []
    for s in batch.ranking:
        e = s.shapley
        interval = "" if e.low is None or e.high is None else f"[{e.low:+.3f}, {e.high:+.3f}]"
        share = "" if s.share is None else percent(s.share)
        blame, left_out = f"{e.mean:+.3f}", f"{s.leave_one_out:+.3f}"
        rows.append([s.name, fixes.get(s.name, ""), blame, interval, percent(s.resolves), left_out, share])
    return rows


def case_rows(case: CaseResult) -> list[list[str]]:
    """A row for each player."""
    exact = case.shapley_exact or {}
    rows = []
    for player, blame in (case.shapley or {}).items():
        shown = f"{blame:+.3f}" + (f" (= {exact[player]})" if "/" in exact.get(player, "") else "")
        row = [player, shown]
        for values in (case.fix_alone, case.leave_one_out):
            row.append("" if not values or player not in values else f"{values[player]:+.3f}")
        rows.append(row)
    return rows


def percent(x: float) -> str:
    """A share for reading."""
    return f"{100 * x:.1f} %"


def table_html(head: str, columns: list[str], rows: list[list[str]]) -> str:
    """A table for notebooks."""

    def line(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<p>{html.escape(head)}</p><table><thead>{line(columns, 'th')}</thead><tbody>{body}</tbody></table>"
