"""How many trivial step runs a second one host does, beside bare echoes of the same lines.

    python bench/host.py [requests]
"""

import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
IN_FLIGHT = 64


def requests(count, step):
    line = (
        '{"jsonrpc":"2.0","id":%d,"method":"step/run","params":{"step":"%s","iteration":"1","inputs":{"text":"how long may I return it? %d"},'
        '"noise":{"seed":"7","world":"0","step":"%s","iteration":"1"},"deadline_ms":60000}}\n'
    )
    return [(line % (i, step, i, step)).encode() for i in range(1, count + 1)]


def measure(program, lines):
    """Runs a program on the lines, 64 in flight, and returns how many it answers in a second."""
    env = {**os.environ, "PYTHONPATH": str(HERE.parent / "src")}
    child = subprocess.Popen([sys.executable, HERE / program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
    source, sink = child.stdout.fileno(), child.stdin.fileno()
    os.write(sink, lines[0])
    os.read(source, 1 << 16)  # it has started
    begun = time.perf_counter()
    sent, answered = 1, 1
    while answered < len(lines):
        more = min(IN_FLIGHT - (sent - answered), len(lines) - sent)
        if more:
            os.write(sink, b"".join(lines[sent : sent + more]))
            sent += more
        answered += os.read(source, 1 << 18).count(b"\n")
    took = time.perf_counter() - begun
    child.stdin.close()
    child.wait()
    return (len(lines) - 1) / took


def slow(processes=4, runs=8):
    """How long slow steps take that go on at once, in seconds."""
    env = {**os.environ, "PYTHONPATH": str(HERE.parent / "src")}
    command = [sys.executable, HERE / "trivial.py"]
    hosts = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) for _ in range(processes)]
    line, *lines = requests(runs + 1, "slow")
    for h in hosts:
        os.write(h.stdin.fileno(), line)
    for h in hosts:
        h.stdout.readline()  # it has started
    begun = time.perf_counter()
    for h in hosts:
        os.write(h.stdin.fileno(), b"".join(lines))
    for h in hosts:
        for _ in range(runs):
            h.stdout.readline()
    took = time.perf_counter() - begun
    for h in hosts:
        h.stdin.close()
        h.wait()
    return took


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    add, draw = requests(count, "trivial"), requests(count // 4, "draw")
    for round in range(1, 4):
        echo = measure("echo.py", add)
        chunks = measure("echochunks.py", add)
        host = measure("trivial.py", add)
        drawing = measure("trivial.py", draw)
        print(
            f"round {round}: host {host:,.0f}/s, with a draw {drawing:,.0f}/s; bare echo {echo:,.0f}/s "
            f"({100 * host / echo:.0f} %), in chunks {chunks:,.0f}/s ({100 * host / chunks:.0f} %)"
        )
    best = min(slow() for _ in range(5))
    print(f"32 runs of 100 ms at once in 4 processes: {1000 * best:.0f} ms, {best / 0.1:.2f} times the ideal")


main()
