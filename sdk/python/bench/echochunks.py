"""The bare echo at its best: large chunks, replies written together."""

import json
import os

dumps = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
rest = b""
while chunk := os.read(0, 1 << 18):
    *lines, rest = (rest + chunk).split(b"\n")
    out = []
    for line in lines:
        message = json.loads(line)
        out.append(dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"output": message["params"]["inputs"]["text"]}}))
    os.write(1, ("\n".join(out) + "\n").encode())
