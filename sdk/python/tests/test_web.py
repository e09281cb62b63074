"""Hosts by HTTP: the same analyses, programs included."""

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from agentblame import Program, asgi

import refund
from conftest import PYTHON


@contextmanager
def service(served):
    env = {**os.environ, "PYTHONPATH": f"{PYTHON}/src:{PYTHON}/examples:{PYTHON}/tests"}
    command = [sys.executable, "-m", "agentblame", served, "--http", "127.0.0.1:0"]
    process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stderr.readline()
        yield re.search(r"http://\S+", line)[0]
    finally:
        process.kill()
        process.wait()


def post(url, message):
    data = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", "id": 1, **message}).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=10) as reply:
        return json.loads(reply.read())


@pytest.mark.parametrize("served", ["refund:pipeline", "refund:answer"])
def test_refund(agentblame, tmp_path, served):
    (tmp_path / "cases.jsonl").write_text(json.dumps(refund.CASE.to_dict()))
    with service(served) as url:
        out = agentblame("blame", "--host", url, "--cases", "cases.jsonl").stdout
    assert "planner       +1.000         +0.000  +0.417 (= 5/12)" in out


@pytest.mark.parametrize("name", ["loop", "pool", "threads", "tasks", "mixed"])
def test_control_flow(agentblame, tmp_path, name):
    (tmp_path / "cases.jsonl").write_text('{"id": "c", "inputs": {"n": 3}}')
    with service(f"test_program:{name}") as url:
        agentblame("blame", "--host", url, "--cases", "cases.jsonl", "-o", "result.json")
    case = json.loads((tmp_path / "result.json").read_text())["cases"][0]
    assert sum(case["shapley"].values()) == pytest.approx(1)


def test_protocol():
    with service("refund:answer") as url:
        assert post(url, {"method": "initialize"})["result"]["name"] == "refund"
        assert post(url, {"method": "nope"})["error"]["code"] == -32601
        assert post(url, b"{")["error"]["code"] == -32700
        assert post(url, {"method": "run/start", "params": {"inputs": {}}})["error"]["code"] == -32602
        start = {"run": "1", "inputs": {"question": "q"}, "answers": []}
        call = {"step": "planner", "inputs": {"question": "q"}}
        assert post(url, {"method": "run/start", "params": start})["result"] == {"calls": [call]}
        start["answers"] = [{**call, "iteration": "1", "error": {"code": 1, "message": "no"}}]
        assert post(url, {"method": "run/start", "params": start})["error"]["message"] == "no"
        start["answers"] = [
            {**call, "inputs": {"question": "other"}, "iteration": "1", "output": {"query": "q", "since": 0}}
        ]
        error = post(url, {"method": "run/start", "params": start})["error"]
        assert error["code"] == 4 and "is not deterministic" in error["message"]
        with pytest.raises(urllib.error.HTTPError, match="405"):
            urllib.request.urlopen(url, timeout=10)


def test_asgi(agentblame, tmp_path):
    """An ASGI application, behind a server that is made of the standard library."""
    application = asgi(refund.answer)
    assert isinstance(refund.answer, Program)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            sent = []

            async def receive():
                return {"type": "http.request", "body": body}

            async def send(message):
                sent.append(message)

            asyncio.run(application({"type": "http", "method": "POST"}, receive, send))
            self.send_response(sent[0]["status"])
            self.end_headers()
            self.wfile.write(sent[1]["body"])

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    (tmp_path / "cases.jsonl").write_text(json.dumps(refund.CASE.to_dict()))
    out = agentblame("blame", "--host", f"http://127.0.0.1:{server.server_port}/", "--cases", "cases.jsonl").stdout
    server.shutdown()
    assert "+0.417 (= 5/12)" in out
