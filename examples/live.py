"""Run a real Jupyter server in another process, and kernels on it, driven as by a browser.

Used by `make sample` and the tests. A server writes everything below one folder, so that many can run concurrently.
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
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import websocket
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.transport import ServerAddress, Transport

#: Seconds for the start and the stop of a server, and for a cell: Spark starts slowly on a busy machine.
START_S = 300.0
CELL_S = 300.0
#: Extensions that neither the catalog nor a kernel needs: loading them costs a server a quarter of its start.
UNUSED_EXTENSIONS = ("jupyterlab", "jupyter_lsp", "jupyter_server_terminals", "notebook_shim")
#: Number of attempts to start a kernel.
KERNELS_TRIED = 3
#: Messages with an output of a cell.
_OUTPUTS = {"stream", "display_data", "execute_result", "error"}


class LiveFailure(Exception):
    """A failure of the server or of a kernel."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a cell: `outputs` are MIME bundles in order; a stream is a bundle of plain text."""

    succeeded: bool
    execution_count: int
    outputs: tuple[Mapping[str, Any], ...]

    @property
    def text(self) -> str:
        """The plain text of all outputs."""
        return "".join(_end_line(str(output.get("text/plain", ""))) for output in self.outputs)


class LiveServer:
    """A server that serves `root` and keeps its data, runtime and configuration below `home`.

    `python` is the interpreter of its environment.
    """

    def __init__(self, root: Path, home: Path, data: Path | None = None, python: str = sys.executable) -> None:
        self.root, self._home, self._python = root, home, python
        self.data = data or home / "data"
        self.token = secrets.token_hex(24)
        self.log = home / "server.log"
        self.url = ""
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *options: str) -> None:
        """Start the process and wait until it answers; after a restart, it listens on the same port.

        Raises:
            LiveFailure: The process ended, or does not listen in time.
        """
        for folder in ("runtime", "config/jupyter_server_config.d", "ipython"):
            (self._home / folder).mkdir(parents=True, exist_ok=True)
        self.data.mkdir(parents=True, exist_ok=True)
        unused = {"ServerApp": {"jpserver_extensions": dict.fromkeys(UNUSED_EXTENSIONS, False)}}
        (self._home / "config" / "jupyter_server_config.d" / "unused.json").write_text(json.dumps(unused))
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
            self._process = subprocess.Popen(
                command, cwd=self.root, env=self._create_environment(), stdout=log, stderr=log
            )
        self.url = self._wait_until_listening()
        self._wait_until_loaded()

    def stop(self) -> None:
        """Stop the server and its kernels."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            # It ends its kernels and closes the store.
            process.wait(START_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def kill(self) -> None:
        """Kill the server."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def create_client(self) -> Operations:
        """Create a client of the catalog with the permissions of the owner of the server."""
        return Operations(self.create_transport())

    def create_transport(self, prefix: str = "/colophon/api") -> Transport:
        """Create a transport to paths below `prefix`, with the permissions of the owner of the server."""
        return Transport(ServerAddress(self.url, self.token), timeout_s=CELL_S, prefix=prefix)

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """Call Jupyter's REST API, and return the parsed JSON."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, self.headers, method=method)  # noqa: S310  our own URL
        with urllib.request.urlopen(request, timeout=CELL_S) as response:  # noqa: S310
            return dict(json.loads(response.read() or b"{}"))

    @property
    def headers(self) -> dict[str, str]:
        """The header fields for authentication."""
        return {"Authorization": f"token {self.token}", "Content-Type": "application/json"}

    def open(self, notebook: str) -> "LiveKernel":
        """Open a session for a notebook with its own kernel, as JupyterLab does, and wait until the kernel answers.

        Raises:
            LiveFailure: No kernel could be started.
        """
        request = {"path": notebook, "name": Path(notebook).name, "type": "notebook", "kernel": {"name": "python3"}}
        for _ in range(KERNELS_TRIED - 1):
            # A kernel's ports are chosen before it binds them: on a busy machine, another process may take them first.
            with suppress(LiveFailure):
                return LiveKernel(self, self.call("POST", "api/sessions", request))
        return LiveKernel(self, self.call("POST", "api/sessions", request))

    def create_failure(self, what: str) -> LiveFailure:
        """Create a failure with the end of the server's log."""
        return LiveFailure(f"{what}; end of the server's log:\n{self.log.read_text()[-3000:]}")

    def _create_environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER_", "COLOPHON_"))}
        return kept | {
            "JUPYTER_TOKEN": self.token,
            "JUPYTER_DATA_DIR": str(self.data),
            "JUPYTER_RUNTIME_DIR": str(self._home / "runtime"),
            "JUPYTER_CONFIG_DIR": str(self._home / "config"),
            "IPYTHONDIR": str(self._home / "ipython"),
        }

    def _wait_until_listening(self) -> str:
        assert self._process is not None  # noqa: S101
        information = self._home / "runtime" / f"jpserver-{self._process.pid}.json"
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            if information.exists() and (text := information.read_text()):
                url = str(json.loads(text)["url"]).replace("localhost", "127.0.0.1")
                # The server writes the file before it binds its port.
                if _is_listening(url):
                    return url
            time.sleep(0.1)
        raise self.create_failure("the server does not listen")

    def _wait_until_loaded(self) -> None:
        """Wait for the first answer of the catalog: importing it and opening the store take seconds on a busy machine."""
        request = urllib.request.Request(self.url + "colophon/api/health", headers=self.headers)  # noqa: S310  our own URL
        # The extension may be disabled, or the store unavailable.
        with suppress(OSError), urllib.request.urlopen(request, timeout=START_S):  # noqa: S310
            pass


def _is_listening(url: str) -> bool:
    where = urlsplit(url)
    with socket.socket() as knock:
        return knock.connect_ex((where.hostname or "", where.port or 80)) == 0


class LiveKernel:
    """A kernel with its session, connected over the WebSocket that JupyterLab uses."""

    def __init__(self, server: LiveServer, session: Mapping[str, Any]) -> None:
        self._server, self._session_id = server, session["id"]
        self.id = session["kernel"]["id"]
        #: Messages received while waiting for another request, by the request that they answer.
        self._early: dict[str, deque[dict[str, Any]]] = {}
        self._connect()

    def restart(self) -> None:
        """Restart the kernel of the session."""
        self._socket.close()
        self._server.call("POST", f"api/kernels/{quote(self.id)}/restart")
        self._connect()

    def run(self, code: str, cell_id: str) -> Outcome:
        """Run a cell as JupyterLab does, with its id in the metadata of the request, and wait for its end."""
        return self.finish(self.begin(code, cell_id))

    def begin(self, code: str, cell_id: str) -> str:
        """Request the execution of a cell, and return the id of the request."""
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        return self._send("execute_request", content | {"stop_on_error": True}, {"cellId": cell_id})

    def finish(self, request: str) -> Outcome:
        """Wait for the end of a cell, ignoring messages of other cells."""
        messages: list[tuple[str, Mapping[str, Any]]] = []
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
                messages.append((kind, content))
        self._early.pop(request)
        return Outcome(reply["status"] == "ok", reply.get("execution_count") or 0, tuple(_to_outputs(messages)))

    def complete(self, line: str) -> list[str]:
        """Return the completions at the end of a line."""
        request = self._send("complete_request", {"code": line, "cursor_pos": len(line)}, {})
        return list(self._await("complete_reply", request)["content"]["matches"])

    def close(self) -> None:
        """Close the session with its kernel, which may already be dead."""
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
        """Connect as a new client and wait until the kernel answers."""
        self._client = uuid.uuid4().hex
        path = f"api/kernels/{quote(self.id)}/channels?session_id={self._client}"
        try:
            self._socket = websocket.create_connection(
                self._server.url.replace("http", "ws", 1) + path, header=self._server.headers, timeout=CELL_S
            )
        except (OSError, websocket.WebSocketException) as error:
            raise self._server.create_failure(f"the kernel is unavailable ({error})") from error
        self._await("kernel_info_reply", self._send("kernel_info_request", {}, {}))

    def _await(self, kind: str, request: str) -> Mapping[str, Any]:
        """Return the message of a kind that answers a request."""
        while True:
            message = self._receive(request)
            if message["header"]["msg_type"] == kind:
                self._early.pop(request)
                return message

    def _receive(self, request: str) -> Mapping[str, Any]:
        """Return the next message that answers a request; keep those that answer other requests.

        Replies and kernel states have different channels, so the reply of a cell may arrive after the whole next cell.
        """
        deadline = time.monotonic() + CELL_S
        while not self._early[request]:
            if time.monotonic() > deadline:
                raise self._server.create_failure(f"no answer within {CELL_S:g} s")
            self._take()
        return self._early[request].popleft()

    def _take(self) -> None:
        """Receive the next frame, which may be a ping: those arrive even if there is no answer."""
        try:
            kind, data = self._socket.recv_data(control_frame=True)
        except (OSError, websocket.WebSocketException) as error:
            raise self._server.create_failure(f"the kernel's connection was lost ({error})") from error
        if kind == websocket.ABNF.OPCODE_CLOSE:
            raise self._server.create_failure("the kernel's connection was closed")
        if kind not in {websocket.ABNF.OPCODE_TEXT, websocket.ABNF.OPCODE_BINARY}:
            return
        message = dict(json.loads(data))
        answered = message.get("parent_header", {}).get("msg_id")
        if answered in self._early:
            self._early[answered].append(message)
        # Sent without a request; requests to the old process are never answered.
        elif message.get("content", {}).get("execution_state") in {"restarting", "dead"}:
            raise self._server.create_failure("the kernel died")


@contextmanager
def run_live_server(
    root: Path, home: Path, *options: str, data: Path | None = None, python: str = sys.executable
) -> Iterator[LiveServer]:
    """Run a server for the duration of the block."""
    server = LiveServer(root, home, data, python)
    try:
        server.start(*options)
        yield server
    finally:
        server.stop()


@contextmanager
def run_live_kernel(server: LiveServer, notebook: str) -> Iterator[LiveKernel]:
    """Run a kernel for the duration of the block."""
    kernel = server.open(notebook)
    try:
        yield kernel
    finally:
        kernel.close()


def _to_outputs(messages: list[tuple[str, Mapping[str, Any]]]) -> Iterator[Mapping[str, Any]]:
    """Return the outputs of messages. A kernel may send a line of a stream in several: text that follows belongs to it."""
    shown = [message for message in messages if message[0] in _OUTPUTS]
    for (kind, _), parts in groupby(shown, lambda message: (message[0], message[1].get("name"))):
        contents = [content for _, content in parts]
        if kind == "stream":
            yield {"text/plain": "".join(content["text"] for content in contents)}
        elif kind == "error":
            yield from ({"text/plain": f"{content['ename']}: {content['evalue']}"} for content in contents)
        else:
            yield from (content["data"] for content in contents)


def _end_line(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"
