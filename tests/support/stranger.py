"""A server that behaves as servers do on a bad day."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Asked(ThreadingHTTPServer):
    """A server with what it was asked: method, path, headers, body and the other side's address."""

    daemon_threads = True
    answer: "Callable[[Stranger], None]"
    asked: list[tuple[str, str, dict[str, str], bytes, object]]
    url: str


class Stranger(BaseHTTPRequestHandler):
    """Answers as its server's `answer` says, and notes what it was asked."""

    protocol_version = "HTTP/1.1"
    server: "Asked"

    def do_GET(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.server.asked.append(
            (self.command, self.path, dict(self.headers), self.rfile.read(length), self.client_address)
        )
        self.server.answer(self)

    do_POST = do_PUT = do_GET

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def cut(self) -> None:
        """Ends the connection without a word."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_):
        """Nothing on standard error."""


@contextmanager
def serving(answer: Callable[[Stranger], None]) -> Iterator[Asked]:
    """A server on this machine for as long as the block runs."""
    server = Asked(("127.0.0.1", 0), Stranger)
    server.answer, server.asked = answer, []
    server.url = f"http://127.0.0.1:{server.server_port}/base/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
