"""A host of a program with a loop and calls at once, without an SDK.

The program plans, looks things up until it has enough, summarises two shards at
once, by name, and reports."""

import itertools
import json
import os
import random
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ODD = sys.argv[1] if len(sys.argv) > 1 else ""
MANIFEST = {
    "protocol": 1,
    "host": {"name": "raw", "version": "0"},
    "name": "agent",
    "kind": "program",
    "inputs": ["goal"],
    "steps": [
        {"name": "look", "variants": [{"name": "wide"}]},
        {"name": "shard", "variants": [{"name": "careful", "cost": 3}]},
        {"name": "report"},
    ],
    "score": {},
    "in_flight": 4,
}
if ODD == "input":
    MANIFEST["inputs"] = [{"name": "goal", "variants": [{"name": "two"}]}]
lock = threading.Lock()
waiting = {}
called = set()
last = 0


def send(message):
    line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
    with lock:
        sys.stdout.write(line)
        sys.stdout.flush()


class Over(BaseException):
    pass


class Failed(Exception):
    pass


def call(run, step, inputs, **more):
    """Asks the engine for a call of a step."""
    global last
    if isinstance(run, Known):
        return run.call(step, inputs, **more)
    done = threading.Event()
    with lock:
        last += 1
        mine = str(last)
        waiting[mine] = slot = {"done": done}
    send({"id": mine, "method": "step/call", "params": {"run": run, "step": step, "inputs": inputs, **more}})
    called.add(run)
    done.wait()
    reply = slot["reply"]
    if "error" in reply:
        if reply["error"]["code"] == 1:
            raise Failed(reply["error"]["message"])
        raise Over()
    return reply["result"]["output"]


def odd(run):
    """Does what a program must not do."""
    if ODD == "unknown step":
        call(run, "lok", {})
    if ODD == "fails":
        raise Failed("no way")
    if ODD == "random":
        call(run, "look", {"n": 0, "have": [random.random()]})
    if ODD == "left open":
        threading.Thread(target=attempt, args=(run, "shard", {"items": []}), kwargs={"name": "x"}).start()
        while run not in called:
            time.sleep(0.01)
        return True
    names = {"at once": [{}, {}], "name twice": [{"name": "s"}, {"name": "s"}], "number": [{"name": "7"}]}
    step = "look" if ODD == "at once" else "shard"
    threads = [
        threading.Thread(target=attempt, args=(run, step, {"n": 0, "have": [], "items": []}), kwargs=more)
        for more in names.get(ODD, [])
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def attempt(*args, **more):
    try:
        call(*args, **more)
    except Over:
        pass


def program(run, inputs):
    if odd(run):
        return None
    found, n = [], 0
    while len(found) < inputs["goal"] and n < 5:
        try:
            found += call(run, "look", {"n": n, "have": found})
        except Failed:
            pass
        n += 1
    with ThreadPoolExecutor(2) as pool:
        shards = [
            pool.submit(call, run, "shard", {"items": found[i::2]}, name=f"s{i}", aside=True) for i in range(2)
        ]
        wait(shards)
        sums = [s.result() for s in shards]
    return call(run, "report", {"sums": sums, "rounds": n})


def step(p):
    inputs, fixed = p["inputs"], "variant" in p
    if ODD in ("left open", "at once"):
        time.sleep(1)
    if p["step"] == "goal":
        return 2
    if p["step"] == "look":
        if inputs["n"] == 1 and not fixed:
            raise Failed("nothing there")
        return [inputs["n"]] * (2 if fixed else 1)
    if p["step"] == "shard":
        return sum(inputs["items"]) + (0 if fixed else 100)
    return {"total": sum(inputs["sums"]), "rounds": inputs["rounds"]}


def handle(m, send=send):
    p = m["params"]
    try:
        if m["method"] == "initialize":
            result = MANIFEST
        elif m["method"] == "step/run":
            result = {"output": step(p)}
        elif m["method"] == "score":
            result = {"score": float(p["output"] == p["case"]["expected"])}
        elif m["method"] == "run/start":
            result = {"output": program(p["run"], p["inputs"])}
        send({"id": m["id"], "result": result})
    except Over:
        send({"id": m["id"], "error": {"code": -32800, "message": "over"}})
    except Failed as e:
        send({"id": m["id"], "error": {"code": 1, "message": str(e), "data": {"type": "Failed"}}})


class Needs(Exception):
    """The program can't go on without a call."""


class Known:
    """The calls of a run over HTTP: from the answers known so far, or else noted."""

    def __init__(self, answers):
        self.answers = {(a["step"], a["iteration"]): a for a in answers}
        self.counts, self.needs = {}, []

    def call(self, step, inputs, name="", aside=False):
        if not name:
            self.counts[step] = self.counts.get(step, 0) + 1
        answer = self.answers.get((step, name or str(self.counts[step])))
        if answer is None:
            self.needs.append({"step": step, "inputs": inputs, "name": name, "aside": aside})
            raise Needs()
        if answer["inputs"] != inputs:
            raise AssertionError(answer)
        if "error" in answer:
            raise Failed(answer["error"]["message"])
        return answer["output"]


class Web(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: the second would wait for the first

    def log_message(self, *_):
        pass

    def do_POST(self):
        m = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = {"jsonrpc": "2.0", "id": m["id"]}
        p = m["params"]
        if m["method"] == "run/start":
            known = Known(p["answers"])
            try:
                reply["result"] = {"output": program(known, p["inputs"])}
            except Needs:
                reply["result"] = {"calls": known.needs}
        else:
            handle(m, lambda r: reply.update(r))
        text = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
        self.wfile.flush()


def killed(requests=itertools.count(1)):
    """Kills this process at the n-th request, if it is the first one to come so far."""
    if next(requests) == int(sys.argv[2]):
        try:
            os.mkdir(sys.argv[3])
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)


def main():
    if ODD == "http":
        server = ThreadingHTTPServer(("127.0.0.1", 0), Web)
        print(f"http://127.0.0.1:{server.server_port}/")
        server.serve_forever()
    for line in sys.stdin:
        m = json.loads(line)
        if "method" not in m:
            with lock:
                slot = waiting.pop(m["id"])
            slot["reply"] = m
            slot["done"].set()
        elif "id" in m:
            if ODD == "killed":
                killed()
            threading.Thread(target=handle, args=(m,), daemon=True).start()


main()
