"""Child processes for code or input that is not trusted: limited in memory, CPU time and output, without credentials.

The parent and the child exchange messages over pipes. The module that the child runs calls `open_channel` first, which
sets the limits and takes the pipes from the code that it runs then.
"""

import json
import os
import selectors
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Self

#: Variables that the child gets, where they are set: none of them is a credential.
_ENVIRONMENT: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT")
_HEADER: Final = struct.Struct(">Q")
_BLOCK_BYTES: Final = 64 * 1024


class LimitedProcessError(Exception):
    """A process that broke a limit, or ended without an answer."""


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """The limits of a child process."""

    memory_bytes: int = 1024 * 1024 * 1024
    #: CPU time of its whole life.
    cpu_s: int = 60
    #: The size of each file that it writes.
    file_bytes: int = 64 * 1024 * 1024
    #: The size of each of its answers.
    answer_bytes: int = 4 * 1024 * 1024


@dataclass(slots=True)
class LimitedProcess:
    """A child that runs a module, in a new folder that is removed with it. Use it in one thread at a time."""

    folder: Path
    limits: ProcessLimits
    _process: "subprocess.Popen[bytes]"
    _folder: "tempfile.TemporaryDirectory[str]"
    _is_closed: bool = False

    @classmethod
    def start(cls, module: str, limits: ProcessLimits) -> Self:
        """Start a child. Raises OSError."""
        folder = tempfile.TemporaryDirectory(prefix="colophon-process-", ignore_cleanup_errors=True)
        try:
            process = subprocess.Popen(  # noqa: S603  our own module
                [sys.executable, "-P", "-m", module, json.dumps(asdict(limits))],
                cwd=folder.name,
                env=_build_environment(folder.name),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                # A group of its own, so that it is killed with its children.
                start_new_session=True,
            )
        except OSError:
            folder.cleanup()
            raise
        for pipe in (process.stdin, process.stdout):
            os.set_blocking(pipe.fileno(), False)  # type: ignore[union-attr]
        return cls(Path(folder.name), limits, process, folder)

    def exchange(self, message: bytes, deadline: float) -> bytes:
        """Send a message and return the answer, until a time of `time.monotonic`; an error ends the process.

        Raises LimitedProcessError.
        """
        try:
            self._send(_HEADER.pack(len(message)) + message, deadline)
            (size,) = _HEADER.unpack(self._receive(_HEADER.size, deadline))
            if size > self.limits.answer_bytes:
                raise LimitedProcessError(f"its answer has more than {self.limits.answer_bytes:,} bytes")
            return self._receive(size, deadline)
        except LimitedProcessError:
            self.close()
            raise

    def stop(self) -> None:
        """Kill the process with its children, and wait for its end. May be called in any thread."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Kill the process, and remove its folder."""
        if self._is_closed:
            return
        self._is_closed = True
        self.stop()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        self._folder.cleanup()

    def _send(self, content: bytes, deadline: float) -> None:
        rest = memoryview(content)
        assert self._process.stdin is not None  # noqa: S101  it is a pipe
        descriptor = self._process.stdin.fileno()
        while rest:
            self._wait_until_ready(descriptor, selectors.EVENT_WRITE, deadline)
            try:
                rest = rest[os.write(descriptor, rest[:_BLOCK_BYTES]) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._create_end_error() from None

    def _receive(self, size: int, deadline: float) -> bytes:
        blocks, missing = [], size
        assert self._process.stdout is not None  # noqa: S101  it is a pipe
        descriptor = self._process.stdout.fileno()
        while missing:
            self._wait_until_ready(descriptor, selectors.EVENT_READ, deadline)
            try:
                block = os.read(descriptor, min(missing, _BLOCK_BYTES))
            except BlockingIOError:
                continue
            if not block:
                raise self._create_end_error()
            blocks.append(block)
            missing -= len(block)
        return b"".join(blocks)

    def _wait_until_ready(self, descriptor: int, event: int, deadline: float) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, event)
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise LimitedProcessError("it did not answer within the time limit, and was stopped")

    def _create_end_error(self) -> LimitedProcessError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        code = self._process.poll()
        if code in (-getattr(signal, "SIGXCPU", 0), -signal.SIGKILL) and code:
            return LimitedProcessError(
                f"its process was killed, as after {self.limits.cpu_s} s of CPU time, or if memory is short"
            )
        return LimitedProcessError("its process ended without an answer")


@dataclass(frozen=True, slots=True)
class Channel:
    """The child's end of the pipes."""

    limits: ProcessLimits
    _input: int
    _output: int

    def receive(self) -> bytes | None:
        """Return the next message; None at the end, when the parent has ended."""
        header = self._read(_HEADER.size)
        return None if header is None else self._read(_HEADER.unpack(header)[0])

    def send(self, answer: bytes) -> None:
        """Send an answer."""
        rest = memoryview(_HEADER.pack(len(answer)) + answer)
        while rest:
            rest = rest[os.write(self._output, rest) :]

    def _read(self, size: int) -> bytes | None:
        blocks, missing = [], size
        while missing:
            block = os.read(self._input, min(missing, _BLOCK_BYTES))
            if not block:
                return None
            blocks.append(block)
            missing -= len(block)
        return b"".join(blocks)


def open_channel() -> Channel:
    """Set the limits of this child process, and return its channel; its standard input and output are empty then."""
    limits = ProcessLimits(**json.loads(sys.argv[1]))
    _set_limits(limits)
    channel = Channel(limits, os.dup(0), os.dup(1))
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    return channel


def _set_limits(limits: ProcessLimits) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits.
        return
    for kind, value in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CPU, limits.cpu_s),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        # A lower limit of the account stays.
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (value, value))


def _build_environment(folder: str) -> Mapping[str, str]:
    import site

    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    # The home folder has files with credentials; packages in it are still found.
    return environment | {"HOME": folder, "TMPDIR": folder, "PYTHONUSERBASE": site.getuserbase()}
