"""Analyses from Python: the agentblame command, with the steps in this process."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from .case import Case
from .connection import Connection
from .context import current
from .errors import AnalysisError, UsageError
from .host import Host
from .pipeline import Served
from .result import BatchResult, CaseResult
from .serve import answering
from .values import encode

_RENAMED = {
    "n_worlds": "worlds", "max_permutations": "permutations", "stop_bound": "rule", "max_states": "nodes",
    "pass_mark": "pass", "stop_when_separated": "stop", "fixes": "fix",
}  # fmt: skip
"""Names of options that are not those of the flags."""


def analyze_case(served: Served, case: Case | Mapping[str, Any], **options: Any) -> CaseResult:
    """Analyses one case. Options are those of blame_batch."""
    options.setdefault("keep_cases", 1)
    return blame_batch(served, [case], **options).cases[0]


def blame_batch(
    served: Served,
    cases: Iterable[Case | Mapping[str, Any]],
    *,
    mode: str | None = None,
    n_worlds: int | None = None,
    method: str | None = None,
    players: str | None = None,
    fixes: Mapping[str, str] | None = None,
    delta: float | None = None,
    budget: float | None = None,
    stop: str | None = None,
    stop_when_separated: bool = False,
    stop_bound: str | None = None,
    max_permutations: int | None = None,
    seed: int | None = None,
    concurrency: int | None = None,
    command: str | None = None,
    on_log: Callable[[str], None] | None = None,
    **options: Any,
) -> BatchResult:
    """Analyses a batch of cases of a pipeline or program, whose steps run in this process.

    It needs the agentblame command: ``command``, the environment's AGENTBLAME_BIN, or
    agentblame on the PATH. All other options are flags of ``agentblame blame``
    (docs/cli.md), with underscores for hyphens.

    :param mode: which noise replays see: "recorded" (default), "posterior" or "prior"
    :param n_worlds: worlds of noise in posterior and prior mode; default 8
    :param method: "auto", "exact" or "permutation"
    :param players: what blame goes to: "steps" or "calls"
    :param fixes: the variant to try, by step, where it isn't the first
    :param delta: error probability of intervals and of stopping; default 0.05
    :param budget: the most that step runs may cost
    :param stop: stop when this is known: "top1", "topk", "ranking" or "width"
    :param stop_when_separated: stop when the top step is known: ``stop="top1"``
    :param stop_bound: the rule that decides about stopping, such as "bernstein" or "normal"
    :param max_permutations: the most orders sampled in one case
    :param concurrency: step runs at once; default 4
    :param on_log: takes the command's diagnostics, line by line
    :raises AnalysisError: with what the command said
    """
    options.update(
        mode=mode, n_worlds=n_worlds, method=method, players=players, fixes=fixes, delta=delta, budget=budget,
        stop=stop or ("top1" if stop_when_separated else None), stop_bound=stop_bound,
        max_permutations=max_permutations, seed=seed, concurrency=concurrency,
    )  # fmt: skip
    if not isinstance(served, Served):
        raise TypeError(f"{served!r} can't be analysed: it is neither a Pipeline nor a program")
    if isinstance(cases, (str, bytes, os.PathLike, Mapping, Case)):
        raise TypeError(
            f"cases are a list of Case or of dicts, not a {type(cases).__name__}; "
            "of a case file: [json.loads(line) for line in open(file)]"
        )
    lines = [encode(c.to_dict() if isinstance(c, Case) else dict(c), f"case {_id(c)}") for c in cases]
    if current.get() is not None:
        raise UsageError("an analysis can't be made inside a run of a pipeline")
    program = _command(command)
    with tempfile.TemporaryDirectory(prefix="agentblame-") as folder:
        file = Path(folder, "cases.jsonl")
        file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        out = Path(folder, "result.json")
        arguments = [program, "blame", "--cases", str(file), "-o", str(out), *flags(options)]
        try:
            _run(served, arguments, on_log)
        except AnalysisError as error:
            raise AnalysisError(_of_cases(str(error), file), error.exit_code) from None
        return BatchResult(json.loads(out.read_text(encoding="utf-8")))


def flags(options: Mapping[str, Any]) -> list[str]:
    """The command's flags for options."""
    out = []
    for name, value in options.items():
        flag = "--" + _RENAMED.get(name, name).replace("_", "-")
        if value is None or value is False:
            continue
        if isinstance(value, Mapping):
            out += [f"{flag}={k}={v}" for k, v in value.items()]
        elif isinstance(value, (list, tuple)):
            out += [f"{flag}={v}" for v in value]
        else:
            out.append(flag if value is True else f"{flag}={value}")
    return out


def _of_cases(text: str, file: Path) -> str:
    """What the command said of lines of its case file, said of the cases: nobody has seen that file."""
    return re.sub(re.escape(str(file)) + r":(\d+)", r"case \1", text).replace(str(file), "cases")


def _id(case: Any) -> str:
    return str(case.id if isinstance(case, Case) else dict(case).get("id", ""))


def _command(given: str | None) -> str:
    """The agentblame command."""
    name = given or os.environ.get("AGENTBLAME_BIN") or "agentblame"
    found = shutil.which(name)
    if found is None:
        raise AnalysisError(
            f"there is no command {name}: install agentblame "
            "(go install github.com/agentblame/agentblame/cmd/agentblame@latest), or name it in AGENTBLAME_BIN"
        )
    return found


def _run(served: Served, arguments: list[str], on_log: Callable[[str], None] | None) -> None:
    """Runs the command with a socket to this process, and waits for its end."""
    host = Host(served)
    ours, theirs = socket.socketpair()
    with ours, answering(served):
        with theirs:
            process = subprocess.Popen(
                [*arguments, "--host", f"fd:{theirs.fileno()}"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()], text=True, encoding="utf-8", errors="replace",
            )  # fmt: skip
        connection = Connection(host, lambda: ours.recv(1 << 18), ours.sendall)
        serving = threading.Thread(target=connection.serve, name="agentblame", daemon=True)
        serving.start()
        told: list[str] = []
        try:
            assert process.stderr is not None
            for line in process.stderr:
                told.append(line)
                if on_log is not None:
                    on_log(line.rstrip("\n"))
            code = process.wait()
        except BaseException:
            process.terminate()
            raise
        finally:
            try:
                ours.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            process.wait()
            serving.join(5)
    if code != 0:
        text = "".join(told)[-20_000:].strip().removeprefix("agentblame: ")
        raise AnalysisError(text or f"agentblame ended with exit code {code}", code)
