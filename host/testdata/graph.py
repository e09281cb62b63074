"""A host of three steps, without an SDK. Its argument says what is odd about it."""

import json
import sys
import time

ODD = sys.argv[1] if len(sys.argv) > 1 else ""
MANIFEST = {
    "protocol": 1,
    "host": {"name": "raw", "version": "0"},
    "name": "three",
    "kind": "graph",
    "inputs": ["question"],
    "steps": [
        {"name": "plan", "needs": ["question"], "variants": [{"name": "dated", "cost": 2}]},
        {"name": "find", "needs": ["plan"], "variants": [{"name": "newest"}]},
        {"name": "write", "needs": ["find"], "deterministic": True, "variants": []},
    ],
    "score": {"needs": ["write"]},
    "in_flight": 8,
}
if ODD == "steps":
    MANIFEST["kind"] = "steps"
if ODD == "noscore":
    del MANIFEST["score"]


def step(p):
    inputs, fixed = p["inputs"], "variant" in p
    if p["step"] == "plan":
        return {"query": inputs["question"], "dated": fixed}
    if p["step"] == "find":
        return "new" if fixed and inputs["plan"]["dated"] else "old"
    return "it is " + inputs["find"]


def answer(m):
    p = m["params"]
    if m["method"] == "initialize":
        return MANIFEST
    if m["method"] == "step/run":
        return {"output": step(p), "draws": [], "usage": {"tokens": 3}}
    if m["method"] == "score":
        return {"score": float(p["values"]["write"] == p["case"]["expected"])}
    raise KeyError(m["method"])


def main():
    for line in sys.stdin:
        m = json.loads(line)
        if "id" not in m:
            continue
        if ODD == "slow" and m["method"] == "step/run":
            print("running", file=sys.stderr, flush=True)
            time.sleep(600)
        if ODD == "garbage" and m["method"] == "step/run" or ODD == "late" and '"bad"' in line:
            print("hello")
        if ODD == "chatty":
            print("\x1b[31mred", file=sys.stderr, flush=True)
        reply = {"jsonrpc": "2.0", "id": m["id"], "result": answer(m)}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


main()
