"""Serving by HTTP: the standard library's server, and an ASGI application."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NoReturn

from .errors import INVALID, NO_METHOD, ProtocolError, UsageError, wire_error
from .host import Host, Params
from .pipeline import Served
from .pool import Loop
from .runs import AnsweredRun, run_program
from .serve import answering
from .values import encode

LARGEST = 64 << 20
"""The largest request, in bytes."""


class Service:
    """Answers single requests. Programs are run from their start on the answers known so far."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._loop = Loop("agentblame-steps")

    def answer(self, body: bytes) -> bytes:
        """The reply to a request."""
        id: Any = None
        try:
            try:
                message = json.loads(body)
                id = message.get("id")
                method, params = message.get("method"), message.get("params") or {}
            except (ValueError, AttributeError):
                raise ProtocolError(-32700, "the request is no JSON-RPC message") from None
            text = f'"result":{self._result(method, params)}'
        except BaseException as error:
            text = f'"error":{encode(wire_error(error), "an error")}'
        return f'{{"jsonrpc":"2.0","id":{json.dumps(id)},{text}}}'.encode()

    def _result(self, method: Any, params: Params) -> str:
        host = self.host
        if method == "step/run":
            runner = host.runner(params)
            return self._wait(host.run_step(runner, params, host.context(runner.step, params)))
        if method == "score":
            return self._wait(host.score(params, host.context("score", params)))
        if method == "step/key":
            return self._wait(host.key(params))
        if method == "run/start":
            return self._program(params)
        if method == "initialize":
            return host.manifest
        raise ProtocolError(NO_METHOD, f"no such method: {method}")

    def _program(self, params: Params) -> str:
        if not isinstance(params.get("answers"), list):
            raise ProtocolError(INVALID, "run/start lacks the answers known so far, which it has over HTTP")
        run = AnsweredRun(self.host, params["answers"])
        try:
            text = run_program(self.host, run, params)
        except BaseException as error:
            # What the program makes of the end of its run doesn't matter.
            if run.missing and not isinstance(run.why, UsageError):
                return f'{{"calls":[{",".join(run.missing)}]}}'
            raise run.why or error from None
        if isinstance(run.why, UsageError):
            raise run.why
        if run.missing:
            return f'{{"calls":[{",".join(run.missing)}]}}'
        return text

    def _wait(self, out: str | Awaitable[str]) -> str:
        """The result, once it is there."""
        if isinstance(out, str):
            return out
        done: Future[str] = Future()

        async def watched() -> None:
            try:
                done.set_result(await out)
            except BaseException as error:
                done.set_exception(error)

        work: Coroutine[Any, Any, None] = watched()
        self._loop.run(work, lambda _: None)
        return done.result()


def serve_http(host: Host, address: str) -> NoReturn:
    """Serves by HTTP, for ever."""
    where, _, port = address.rpartition(":")
    if not port.isdigit():
        raise UsageError(f"{address!r} is no address: it is HOST:PORT, such as 127.0.0.1:8000")
    service = Service(host)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet

        def setup(self) -> None:
            super().setup()
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)

        def do_POST(self) -> None:  # noqa: N802
            try:
                length = int(self.headers.get("Content-Length", ""))
            except ValueError:
                self._reply(411, b"the length of the body is missing\n", "text/plain")
                return
            if length > LARGEST:
                self.close_connection = True
                self._reply(413, b"the body is too large\n", "text/plain")
                return
            self._reply(200, service.answer(self.rfile.read(length)), "application/json")

        def do_GET(self) -> None:  # noqa: N802
            text = f"{host.served.name}: an agentblame host; POST it requests of the step protocol\n"
            self._reply(405, text.encode(), "text/plain")

        def _reply(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    with answering(host.served), Server((where.strip("[]"), int(port)), Handler) as server:
        print(f"agentblame: {host.served.name} is at http://{where}:{server.server_port}/", file=sys.stderr, flush=True)
        server.serve_forever()
    sys.exit(0)


def asgi(served: Served) -> Callable[..., Awaitable[None]]:
    """An ASGI application that serves a pipeline or a program, to be mounted anywhere.

    It answers POST requests. Runs go on in threads, so that the server's loop stays free.
    """
    service = Service(Host(served))

    async def application(scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Any) -> None:
        if scope["type"] == "lifespan":
            while True:
                message = await receive()
                await send({"type": message["type"] + ".complete"})
                if message["type"] == "lifespan.shutdown":
                    return
        if scope["type"] != "http":
            return
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        if scope["method"] != "POST":
            status, reply, kind = 405, b"POST requests of the step protocol\n", b"text/plain"
        else:
            status, kind = 200, b"application/json"
            loop = asyncio.get_running_loop()
            reply = await loop.run_in_executor(None, service.answer, body)
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", kind)]})
        await send({"type": "http.response.body", "body": reply})

    return application
