"""The manifest: what a host says about itself (docs/protocol.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .pipeline import Served
from .step import Impl, Input, Step

VERSION = "0.1.0"
IN_FLIGHT = 64


def manifest(served: Served, in_flight: int = IN_FLIGHT) -> dict[str, Any]:
    """What is served, as the protocol's manifest."""
    out: dict[str, Any] = {
        "protocol": 1,
        "host": {"name": "agentblame-python", "version": VERSION},
        "name": served.name,
        "kind": served.kind,
        "inputs": [i if isinstance(i, str) else _input(i) for i in served.inputs],
        "steps": [_step(s, served) for s in served.steps],
        "in_flight": in_flight,
    }
    score = served.score
    if score is not None:
        described: dict[str, Any] = {"version": score.version}
        out["score"] = described
        _set(described, cost=score.cost, deterministic=score.deterministic)
        needs = getattr(served, "score_needs", None)
        if needs is not None:
            described["needs"] = _unique(needs)
    return out


def _step(s: Step[Any, Any], served: Served) -> dict[str, Any]:
    out: dict[str, Any] = {"name": s.name, **_impl(s.impls[""])}
    if s.name in served.needs:
        out["needs"] = _unique(served.needs[s.name])
    if s.key is not None:
        out["key"] = True
    _set(out, concurrency=s.concurrency)
    out["variants"] = _variants(s)
    return out


def _input(i: Input) -> dict[str, Any]:
    return {"name": i.name, "variants": _variants(i)}


def _variants(unit: Step[Any, Any] | Input) -> list[dict[str, Any]]:
    return [{"name": impl.name, **_impl(impl)} for impl in unit.impls.values() if impl.name]


def _impl(impl: Impl) -> dict[str, Any]:
    o = impl.options
    out: dict[str, Any] = {"version": impl.version}
    timeout = o.get("timeout")
    _set(
        out,
        cost=o.get("cost"),
        deterministic=o.get("deterministic"),
        timeout_ms=None if timeout is None else 1000 * timeout,
        retries=o.get("retries"),
        case=o.get("case"),
    )
    return out


def _set(out: dict[str, Any], **members: Any) -> None:
    out.update({name: value for name, value in members.items() if value is not None})


def _unique(wires: Mapping[str, str]) -> list[str]:
    return list(dict.fromkeys(wires.values()))
