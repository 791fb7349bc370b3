"""A real Jupyter server in a process of its own, and kernels behind it, driven as a browser drives them.

`make sample` and the tests use it. A server keeps everything it writes below one folder, so that many run side by side.
"""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import websocket
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.transport import Server, Transport

#: Seconds for a server to listen, and for a cell to end: Spark starts slowly on a busy machine.
START_S = 90.0
CELL_S = 300.0
#: How many kernels are started before one that does not come up is a failure.
KERNELS_TRIED = 3


class LiveFailure(Exception):
    """The server or a kernel did not do what a test or the sample stands on."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a cell: `outputs` are MIME bundles in their order; a stream is a bundle of plain text."""

    succeeded: bool
    execution_count: int
    outputs: tuple[Mapping[str, Any], ...]

    @property
    def text(self) -> str:
        """The plain text of all outputs."""
        return "".join(_ended(str(output.get("text/plain", ""))) for output in self.outputs)


class LiveServer:
    """A server that serves `root` and keeps its data, runtime and configuration below `home`.

    `python` is the interpreter of the environment that it runs in.
    """

    def __init__(self, root: Path, home: Path, data: Path | None = None, python: str = sys.executable) -> None:
        self.root, self._home, self._python = root, home, python
        self.data = data or home / "data"
        self.token = secrets.token_hex(24)
        self.log = home / "server.log"
        self.url = ""
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *options: str) -> None:
        """Starts the process and waits until it listens; started again, it listens where it did before.

        Raises:
            LiveFailure: it ended, or does not listen in time.
        """
        for folder in ("runtime", "config", "ipython"):
            (self._home / folder).mkdir(parents=True, exist_ok=True)
        self.data.mkdir(parents=True, exist_ok=True)
        command = [
            self._python,
            "-m",
            "jupyter_server",
            "--no-browser",
            f"--port={urlsplit(self.url).port if self.url else 0}",
            *options,
        ]
        if os.geteuid() == 0:
            command.append("--allow-root")
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, cwd=self.root, env=self._environment(), stdout=log, stderr=log)
        self.url = self._listening()

    def stop(self) -> None:
        """Ends the server and with it its kernels."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def kill(self) -> None:
        """Takes the server away in the middle of whatever it does."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def catalog(self) -> Operations:
        """The catalog as the person who owns the server sees it."""
        return Operations(Transport(Server(self.url, self.token)))

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """A call of Jupyter's own REST API; answers the parsed JSON."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, self.headers, method=method)  # noqa: S310  our own URL
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
            return dict(json.loads(response.read() or b"{}"))

    @property
    def headers(self) -> dict[str, str]:
        """What signs a request in."""
        return {"Authorization": f"token {self.token}", "Content-Type": "application/json"}

    def open(self, notebook: str) -> "LiveKernel":
        """A session for a notebook, with a kernel of its own that listens, as JupyterLab makes one for a notebook.

        Raises:
            LiveFailure: no kernel came up.
        """
        wanted = {"path": notebook, "name": Path(notebook).name, "type": "notebook", "kernel": {"name": "python3"}}
        for _ in range(KERNELS_TRIED - 1):
            # A kernel's ports are chosen before it binds them: on a busy machine somebody else may be quicker.
            with suppress(LiveFailure):
                return LiveKernel(self, self.call("POST", "api/sessions", wanted))
        return LiveKernel(self, self.call("POST", "api/sessions", wanted))

    def failure(self, what: str) -> LiveFailure:
        """A failure that shows what the server wrote last."""
        return LiveFailure(f"{what}; the server's log ends with\n{self.log.read_text()[-3000:]}")

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER_", "COLOPHON_"))}
        return kept | {
            "JUPYTER_TOKEN": self.token,
            "JUPYTER_DATA_DIR": str(self.data),
            "JUPYTER_RUNTIME_DIR": str(self._home / "runtime"),
            "JUPYTER_CONFIG_DIR": str(self._home / "config"),
            "IPYTHONDIR": str(self._home / "ipython"),
        }

    def _listening(self) -> str:
        assert self._process is not None  # noqa: S101
        information = self._home / "runtime" / f"jpserver-{self._process.pid}.json"
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            if information.exists() and (text := information.read_text()):
                url = str(json.loads(text)["url"]).replace("localhost", "127.0.0.1")
                # The server writes the file before it binds its port.
                if _accepts(url):
                    return url
            time.sleep(0.1)
        raise self.failure("the server does not listen")


def _accepts(url: str) -> bool:
    where = urlsplit(url)
    with socket.socket() as knock:
        return knock.connect_ex((where.hostname or "", where.port or 80)) == 0


class LiveKernel:
    """A kernel with the session that it belongs to, spoken to over the WebSocket that JupyterLab uses."""

    def __init__(self, server: LiveServer, session: Mapping[str, Any]) -> None:
        self._server, self._session_id = server, session["id"]
        self.id = session["kernel"]["id"]
        #: Messages that came while another request was waited for, by the request that they answer.
        self._early: dict[str, deque[dict[str, Any]]] = {}
        self._connect()

    def restart(self) -> None:
        """Gives the session a new process, as the menu does."""
        self._socket.close()
        self._server.call("POST", f"api/kernels/{quote(self.id)}/restart")
        self._connect()

    def run(self, code: str, cell_id: str) -> Outcome:
        """Runs a cell as JupyterLab does, its id in the metadata of the request, and waits for its end."""
        return self.finish(self.begin(code, cell_id))

    def begin(self, code: str, cell_id: str) -> str:
        """Asks for a cell to be run; answers the id of the request."""
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        return self._send("execute_request", content | {"stop_on_error": True}, {"cellId": cell_id})

    def finish(self, request: str) -> Outcome:
        """Waits for the end of a cell, whatever other cells say meanwhile."""
        outputs: list[Mapping[str, Any]] = []
        reply: Mapping[str, Any] | None = None
        is_idle = False
        while reply is None or not is_idle:
            message = self._receive(request)
            kind, content = message["header"]["msg_type"], message["content"]
            if kind == "execute_reply":
                reply = content
            elif kind == "status":
                is_idle = content["execution_state"] == "idle"
            else:
                outputs += _output(kind, content)
        self._early.pop(request)
        return Outcome(reply["status"] == "ok", reply.get("execution_count") or 0, tuple(outputs))

    def complete(self, line: str) -> list[str]:
        """The words that the kernel offers at the end of a line."""
        request = self._send("complete_request", {"code": line, "cursor_pos": len(line)}, {})
        return list(self._await("complete_reply", request)["content"]["matches"])

    def close(self) -> None:
        """Ends the session and its kernel; one that has died is over already."""
        self._socket.close()
        try:
            self._server.call("DELETE", f"api/sessions/{quote(self._session_id)}")
        except urllib.error.HTTPError as error:
            error.close()
            if error.code not in {404, 410}:
                raise

    def _send(self, kind: str, content: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
        message_id = uuid.uuid4().hex
        self._early[message_id] = deque()
        header = {"msg_id": message_id, "msg_type": kind, "session": self._client, "username": "", "version": "5.4"}
        message = {"channel": "shell", "header": header, "parent_header": {}, "metadata": metadata, "content": content}
        self._socket.send(json.dumps(message))
        return message_id

    def _connect(self) -> None:
        """Connects as a new client and waits until the kernel answers."""
        self._client = uuid.uuid4().hex
        path = f"api/kernels/{quote(self.id)}/channels?session_id={self._client}"
        try:
            self._socket = websocket.create_connection(
                self._server.url.replace("http", "ws", 1) + path, header=self._server.headers, timeout=CELL_S
            )
        except (OSError, websocket.WebSocketException) as error:
            raise self._server.failure(f"the kernel cannot be reached ({error})") from error
        self._await("kernel_info_reply", self._send("kernel_info_request", {}, {}))

    def _await(self, kind: str, request: str) -> Mapping[str, Any]:
        """The message of a kind that answers a request."""
        while True:
            message = self._receive(request)
            if message["header"]["msg_type"] == kind:
                self._early.pop(request)
                return message

    def _receive(self, request: str) -> Mapping[str, Any]:
        """The next message that answers a request; those that answer others are kept for who waits for them.

        A reply and the kernel's state take different ways, so a cell's reply may come behind the whole next cell.
        """
        deadline = time.monotonic() + CELL_S
        while not self._early[request]:
            if time.monotonic() > deadline:
                raise self._server.failure(f"no answer within {CELL_S:g} s")
            self._take()
        return self._early[request].popleft()

    def _take(self) -> None:
        """Takes what comes next, if only a ping: those come for ever where no answer does."""
        try:
            kind, data = self._socket.recv_data(control_frame=True)
        except (OSError, websocket.WebSocketException) as error:
            raise self._server.failure(f"the kernel's connection was lost ({error})") from error
        if kind == websocket.ABNF.OPCODE_CLOSE:
            raise self._server.failure("the kernel's connection was closed")
        if kind not in {websocket.ABNF.OPCODE_TEXT, websocket.ABNF.OPCODE_BINARY}:
            return
        message = dict(json.loads(data))
        answered = message.get("parent_header", {}).get("msg_id")
        if answered in self._early:
            self._early[answered].append(message)
        # The server tells it of its own accord; whatever was asked of the old process is never answered.
        elif message.get("content", {}).get("execution_state") in {"restarting", "dead"}:
            raise self._server.failure("the kernel died")


@contextmanager
def live_server(
    root: Path, home: Path, *options: str, data: Path | None = None, python: str = sys.executable
) -> Iterator[LiveServer]:
    """A server for as long as the block runs."""
    server = LiveServer(root, home, data, python)
    try:
        server.start(*options)
        yield server
    finally:
        server.stop()


@contextmanager
def live_kernel(server: LiveServer, notebook: str) -> Iterator[LiveKernel]:
    """A kernel for as long as the block runs."""
    kernel = server.open(notebook)
    try:
        yield kernel
    finally:
        kernel.close()


def _output(kind: str, content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if kind == "stream":
        return [{"text/plain": content["text"]}]
    if kind in {"display_data", "execute_result"}:
        return [content["data"]]
    if kind == "error":
        return [{"text/plain": f"{content['ename']}: {content['evalue']}"}]
    return []


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"
