"""The thread that writes recorded cases."""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

MOST = 64 << 20
"""How many characters may wait to be written; what comes on top is dropped."""
PAUSE = 0.05
"""How long, in seconds, the thread waits for more lines before it writes some."""


class Writer:
    """Appends lines to files, in a thread of its own."""

    def __init__(self) -> None:
        self.redact: Callable[[dict[str, Any]], dict[str, Any] | None] | None = None
        self._complained: set[str] = set()
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Condition()
        self._lines: list[tuple[str, str, str]] = []
        self._size = 0
        self._busy = self._hurry = False
        self._thread: threading.Thread | None = None

    def write(self, folder: str, name: str, line: str) -> None:
        """Has a line written to a file of this process."""
        with self._lock:
            if self._size + len(line) > MOST:
                self.complain("runs aren't recorded: the disk is too slow")
                return
            self._lines.append((folder, name, line))
            self._size += len(line)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="agentblame-record", daemon=True)
                self._thread.start()
                # A process of multiprocessing ends without what atexit knows.
                if (util := sys.modules.get("multiprocessing.util")) is not None:
                    util.Finalize(None, self.flush, exitpriority=0)
            if len(self._lines) == 1:
                self._lock.notify_all()

    def flush(self, timeout: float = 10) -> bool:
        """Waits until all is written."""
        with self._lock:
            self._hurry = True
            self._lock.notify_all()
            try:
                return self._lock.wait_for(lambda: not self._lines and not self._busy, timeout)
            finally:
                self._hurry = False

    def complain(self, text: str) -> None:
        """Says once on standard error what went wrong."""
        if text not in self._complained and len(self._complained) < 20:
            self._complained.add(text)
            try:
                print(f"agentblame: {text}", file=sys.stderr)
            except Exception:
                pass

    def _work(self) -> None:
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._lines)
                self._lock.wait_for(lambda: self._hurry, PAUSE)
                lines, self._lines, self._size, self._busy = self._lines, [], 0, True
            try:
                self._append(lines)
            except Exception as error:
                self.complain(f"can't record: {error}")
            finally:
                with self._lock:
                    self._busy = False
                    self._lock.notify_all()

    def _append(self, lines: list[tuple[str, str, str]]) -> None:
        files: dict[Path, list[str]] = {}
        for folder, name, line in lines:
            if self.redact is not None:
                line = self._redacted(line)
            files.setdefault(Path(folder, f"{name}.{os.getpid()}.jsonl"), []).append(line)
        for file, texts in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a", encoding="utf-8", errors="replace") as f:
                f.write("".join(texts))

    def _redacted(self, line: str) -> str:
        assert self.redact is not None
        try:
            case = self.redact(json.loads(line))
            return "" if case is None else json.dumps(case, ensure_ascii=False, allow_nan=False) + "\n"
        except Exception as error:
            self.complain(f"a run isn't recorded, since it can't be redacted: {type(error).__name__}: {error}")
            return ""


WRITER = Writer()
"""The process' writer."""

atexit.register(WRITER.flush)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=WRITER._reset)  # the thread isn't in the child
