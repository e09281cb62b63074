"""Results as text. It shows what a result has and computes nothing."""

from __future__ import annotations

from .result import BATCH_COLUMNS, BatchResult, CaseResult, batch_rows, case_rows


def format_batch(batch: BatchResult) -> str:
    """The result of a batch as a table, the steps with the most blame first."""
    s = batch.summary
    head = [
        f"{batch.pipeline.name}: {s.failures} of {s.cases} cases fail; {s.analyzed} analysed, "
        f"{s.repairable} repairable, {s.unfixable} unfixable, {s.undefined} undefined",
        batch.settings.estimand,
        "",
    ]
    tail = ["", f"cost {s.cost:g} (uncached {s.cost_uncached:g}), stopped: {s.stopped}"]
    return "\n".join([*head, *_table([BATCH_COLUMNS, *batch_rows(batch)], 2), *tail])


def format_case(case: CaseResult) -> str:
    """The result of a case as a table."""
    if case.undefined is not None:
        return f"case {case.id}: not analysed: {case.undefined}"
    if case.passed:
        return f"case {case.id}: score {case.score:g}: it passes"
    lines = [f"case {case.id}: score {case.score:g} as run, {case.score_fixed:g} with every fix", ""]
    lines += _table([["player", "Shapley", "fix alone", "leave-one-out"], *case_rows(case)], 1)
    if case.minimal_repairs is not None:
        sets = ", ".join("{" + ", ".join(r) + "}" for r in case.minimal_repairs) or "none"
        lines += ["", f"minimal repairs: {sets}"]
    if case.last_touch is not None:
        lines.append(f"last touch: {case.last_touch}")
    for error in case.errors or []:
        lines.append(f"error of {error.get('step', 'the pipeline')}: {error['message']}")
    return "\n".join(lines)


def _table(rows: list[list[str]], left: int) -> list[str]:
    """Rows in columns, the first ones aligned to the left."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip()
        for row in rows
    ]
