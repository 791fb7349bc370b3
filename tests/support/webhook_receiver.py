"""A server for webhooks that accepts, rejects, hangs or disconnects."""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HANG, REDIRECT = 0, 302


@dataclass
class WebhookReceiver:
    """A receiver: `got` has the accepted documents, `seen` every request with its headers. `judge` returns the status
    for a document.
    """

    port: int = 0
    got: list[Any] = field(default_factory=list)
    seen: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    plan: deque[int] = field(default_factory=deque)
    judge: Callable[[Any], int] = lambda document: 200
    released: threading.Event = field(default_factory=threading.Event)
    _news: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?token=unseen"

    @property
    def accepted_sequence_numbers(self) -> list[int]:
        """The numbers of the accepted changes, in order."""
        return [change["seq"] for document in self.got for change in document["changes"]]

    def record_and_choose_status(self, headers: dict[str, str], body: bytes) -> int:
        """Return the response to a request."""
        document = json.loads(body)
        with self._news:
            self.seen.append((headers, body))
            status = self.plan.popleft() if self.plan else self.judge(document)
            if 200 <= status < 300:
                self.got.append(document)
            self._news.notify_all()
        return status

    def wait_until(self, fits: Callable[["WebhookReceiver"], bool], seconds: float = 120) -> None:
        """Wait until a condition holds."""
        with self._news:
            assert self._news.wait_for(lambda: fits(self), seconds), (self.accepted_sequence_numbers, len(self.seen))


@contextmanager
def start_webhook_receiver(port: int = 0, receiver: WebhookReceiver | None = None) -> Iterator[WebhookReceiver]:
    """Start a receiver."""
    receiver = receiver or WebhookReceiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = receiver.record_and_choose_status(dict(self.headers), body)
            if status == HANG:
                receiver.released.wait(300)
                return
            self.send_response(status)
            if status == REDIRECT:
                self.send_header("Location", f"http://127.0.0.1:{receiver.port}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    receiver.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.released.set()
        server.shutdown()
        server.server_close()
