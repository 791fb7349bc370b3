"""A server that misbehaves."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class RecordingServer(ThreadingHTTPServer):
    """A server that records requests: method, path, headers, body and the client's address."""

    daemon_threads = True
    answer: "Callable[[RecordingHandler], None]"
    requested: list[tuple[str, str, dict[str, str], bytes, object]]
    url: str


class RecordingHandler(BaseHTTPRequestHandler):
    """Respond by the server's `answer`, and record the request."""

    protocol_version = "HTTP/1.1"
    server: "RecordingServer"

    def do_GET(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.server.requested.append(
            (self.command, self.path, dict(self.headers), self.rfile.read(length), self.client_address)
        )
        self.server.answer(self)

    do_POST = do_PUT = do_GET

    def send_reply(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def close_without_reply(self) -> None:
        """Close the connection without a response."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *_):
        """Log nothing."""


@contextmanager
def start_recording_server(answer: Callable[[RecordingHandler], None]) -> Iterator[RecordingServer]:
    """Run a server on this machine."""
    server = RecordingServer(("127.0.0.1", 0), RecordingHandler)
    server.answer, server.requested = answer, []
    server.url = f"http://127.0.0.1:{server.server_port}/base/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
