"""agentblame's side of the protocol, for tests of a host in a process of its own."""

import json
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

SRC = str(Path(__file__).parents[1] / "src")
NOISE = {"seed": "7", "world": "0", "step": "s", "iteration": "1"}


class Peer:
    """A host that runs the given program, and messages to and from it."""

    def __init__(self, program, *arguments, cwd):
        if program is not None:
            (cwd / "app.py").write_text(textwrap.dedent(program))
        command = [sys.executable, *(arguments or ("app.py",))]
        env = {**os.environ, "PYTHONPATH": SRC, "PYTHONDONTWRITEBYTECODE": "1", "AGENTBLAME_HOST": "1"}
        self.process = subprocess.Popen(
            command, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.last = 0
        self.others = []
        self.log = b""
        self.reader = threading.Thread(target=self._read_log, daemon=True)
        self.reader.start()

    def _read_log(self):
        for line in self.process.stderr:
            self.log += line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, method, params=None, **more):
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params or {}, **more}
        self.write(json.dumps(message).encode() + b"\n")
        return self.last

    def run(self, step, variant=None, noise=None, **inputs):
        params = {"step": step, "iteration": "1", "inputs": inputs, "noise": noise or {**NOISE, "step": step}}
        if variant:
            params["variant"] = variant
        return self.send("step/run", params)

    def answer(self, id, **outcome):
        self.write(json.dumps({"jsonrpc": "2.0", "id": id, **outcome}).encode() + b"\n")

    def receive(self):
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), f"the host has ended: {self.log.decode()}"
        return json.loads(line)

    def reply(self, id):
        """The reply to a request; what comes before is kept."""
        for i, message in enumerate(self.others):
            if message.get("id") == id:
                return self.others.pop(i)
        while True:
            message = self.receive()
            if message.get("id") == id and "method" not in message:
                return message
            self.others.append(message)

    def ask(self, method, params=None):
        return self.reply(self.send(method, params))

    def end(self, within=30):
        """Ends the host's input; returns how it ended, which may take so many seconds."""
        self.process.stdin.close()
        code = self.process.wait(within)
        self.reader.join(30)
        return code
