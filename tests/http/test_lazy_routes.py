"""Requests wait for the routes; while these cannot be loaded, clients are asked to try again."""

import asyncio
from collections.abc import Iterable

from jupyter_colophon.http.lazy_routes import LazyRouter, Route
from tornado.httpclient import AsyncHTTPClient, HTTPResponse
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler


class Ping(RequestHandler):
    """Answers."""

    def get(self) -> None:
        self.finish("pong")


async def test_requests_are_refused_for_now_if_the_routes_cannot_be_loaded() -> None:
    attempts: list[int] = []

    def load() -> Iterable[Route]:
        attempts.append(1)
        if len(attempts) == 1:
            raise ImportError("half of a package is installed")
        return [("/colophon/ping", Ping)]

    application = Application(xsrf_cookies=True)
    LazyRouter(application, "/", load, retry_s=2).install_for_prefixes(["colophon"])
    server, sockets = HTTPServer(application), bind_sockets(0, "127.0.0.1")
    server.add_sockets(sockets)
    url = f"http://127.0.0.1:{sockets[0].getsockname()[1]}/colophon/ping"

    async def send(method: str = "GET") -> HTTPResponse:
        body = None if method == "GET" else b"{}"
        return await AsyncHTTPClient().fetch(url, method=method, body=body, raise_error=False)

    try:
        for answer in await asyncio.gather(send(), send("POST"), send("PUT")):
            assert (answer.code, answer.headers["Retry-After"]) == (503, "2")
            assert b"could not be loaded" in answer.body
        assert len(attempts) == 1
        while (answer := await send()).code == 503:
            await asyncio.sleep(0.1)
        assert (answer.code, answer.body, len(attempts)) == (200, b"pong", 2)
    finally:
        server.stop()
