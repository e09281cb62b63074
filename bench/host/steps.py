"""Steps for the benchmark, without an SDK; with "echo" a bare echo of JSON lines."""

import json
import sys
import threading
import time

MANIFEST = {
    "protocol": 1,
    "host": {"name": "raw", "version": "0"},
    "name": "bench",
    "kind": "steps",
    "inputs": ["text"],
    "steps": [{"name": "trivial", "needs": ["text"]}, {"name": "slow", "needs": ["text"]}],
    "in_flight": 64,
}
lock = threading.Lock()


def send(message):
    line = json.dumps(message) + "\n"
    with lock:
        sys.stdout.write(line)
        sys.stdout.flush()


def slow(m):
    time.sleep(0.1)
    send({"jsonrpc": "2.0", "id": m["id"], "result": {"output": m["params"]["inputs"]["text"], "draws": []}})


def main():
    for line in sys.stdin:
        m = json.loads(line)
        if sys.argv[1:] == ["echo"]:
            send(m)
        elif m["method"] == "initialize":
            send({"jsonrpc": "2.0", "id": m["id"], "result": MANIFEST})
        elif m["params"]["step"] == "slow":
            threading.Thread(target=slow, args=(m,)).start()
        else:
            send({"jsonrpc": "2.0", "id": m["id"], "result": {"output": m["params"]["inputs"]["text"], "draws": []}})


main()
