"""Any interleaving of what deletes a namespace, creates it again and uses it, compared with a model (spec S17, S18).

40 sequences of steps, and those that a missing check would fail; 10,000 with COLOPHON_TEST_SIZE=full (`make long-apps`).
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from io import BytesIO
from itertools import count
from types import ModuleType
from typing import Any, Final, Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jupyter_colophon.apps.context import ServiceContext
from jupyter_colophon.apps.events.event_transactions import EventSettlement
from jupyter_colophon.apps.files.app_files import AppFiles
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.apps.tables import OpenTransaction
from jupyter_colophon.apps.transactions import AppTransactions
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import MetadataError, NamespaceDeleting, NotFound
from jupyter_colophon.service import write_path
from jupyter_colophon.storage import dead_events
from jupyter_colophon.storage.app_files.folder import AppFileFolder
from jupyter_colophon.storage.app_files.rows import read_generation
from jupyter_colophon.storage.spi import Range
from support.catalog import ADA, write_metadata
from support.racing_app import RACING
from support.system_apps import open_apps, prepare_context
from support.urns import build_table_urn
from support.waiting import wait_for

STORES = ["sqlite"]
CASES = 10_000 if os.environ.get("COLOPHON_TEST_SIZE") == "full" else 40
WAIT_S = 120
#: Numbers for names, none of which is used twice in a run.
NUMBERS = count(1)

Step = Literal[
    "delete",
    "clear",
    "clear all",
    "clear late",
    "create",
    "write",
    "create dataset",
    "handle event",
    "handle event and fail",
    "begin file",
    "end file",
]
STEPS: Final[tuple[Step, ...]] = Step.__args__  # type: ignore[attr-defined]
#: Any steps before and after each of those that replace a namespace by a new one.
_ANY: Final = st.lists(st.sampled_from(STEPS), max_size=5)
_REPLACEMENT: Final = [st.just([step]) for step in ("delete", "clear all", "create")]
HISTORIES: Final = st.tuples(_ANY, *(part for step in _REPLACEMENT for part in (step, _ANY))).map(
    lambda parts: [step for part in parts for step in part]
)
#: Each begins in a namespace with a row, a file and a dataset, whose event the listener has received.
EVENT_OF_AN_EARLIER_NAMESPACE: Final[tuple[Step, ...]] = ("delete", "clear all", "create", "handle event", "write")
FILE_OF_AN_EARLIER_NAMESPACE: Final[tuple[Step, ...]] = ("begin file", "delete", "clear all", "create", "end file")
CREATED_WHILE_BEING_DELETED: Final[tuple[Step, ...]] = ("delete", "clear", "create", "write", "clear all")
FILES_REMOVED_LATE: Final[tuple[Step, ...]] = ("delete", "clear all", "create", "begin file", "end file", "clear late")
FAILED_AFTER_ITS_WRITES: Final[tuple[Step, ...]] = ("handle event and fail", "create dataset", "handle event")


class WaitingContent(BytesIO):
    """The content of a file, which ends when a test demands it."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.has_begun, self.may_end = threading.Event(), threading.Event()

    def read(self, size: int | None = -1) -> bytes:
        chunk = super().read(size)
        if not chunk:
            self.has_begun.set()
            assert self.may_end.wait(WAIT_S)
        return chunk


class FileWriter:
    """Stores a file on a thread, which waits in the middle."""

    def __init__(self, files: AppFiles, name: str, generation: int) -> None:
        self.name, self.generation = name, generation
        self.error: MetadataError | None = None
        self._files, self._content = files, WaitingContent(name.encode())
        self._thread = threading.Thread(target=self._put)
        self._thread.start()
        assert self._content.has_begun.wait(WAIT_S)

    @property
    def is_refused(self) -> bool:
        """Return whether the namespace did not exist."""
        return isinstance(self.error, NotFound)

    def finish(self) -> None:
        """Let the content end, and wait until the file is stored or refused."""
        self._content.may_end.set()
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()

    def _put(self) -> None:
        try:
            self._files.put("file", self._content)
        except MetadataError as error:
            self.error = error
            self._content.has_begun.set()


@dataclass(slots=True)
class Case:
    """One namespace in the catalog, and beside it what must be visible there."""

    catalog: Catalog
    apps: SystemApps
    racing: ModuleType
    name: str = field(default_factory=lambda: f"n{next(NUMBERS)}")
    state: Literal["present", "being deleted", "absent"] = "absent"
    #: How often the namespace was created.
    generation: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    #: The events that the listener has not handled: the name of the dataset, and the generation.
    events: list[tuple[str, int]] = field(default_factory=list)
    datasets: list[str] = field(default_factory=list)
    writer: FileWriter | None = None
    #: What a process that has begun to clear the namespace, and is late, takes for the ending generation of its files.
    ending: int = 0

    def run(self, steps: Sequence[Step]) -> None:
        """Do the steps, and compare what is visible after each."""
        acts: dict[Step, Callable[[], None]] = {
            "delete": self._delete,
            "clear": self._clear,
            "clear all": self._clear_all,
            "clear late": self._clear_late,
            "create": self._create,
            "write": self._write,
            "create dataset": self._create_dataset,
            "handle event": self._handle_event,
            "handle event and fail": lambda: self._handle_event(fails=True),
            "begin file": self._begin_file,
            "end file": self._end_file,
        }
        for step in ("create", "write", "begin file", "end file", "create dataset", *steps):
            acts[step]()
            self._compare()

    def finish(self) -> None:
        """End what is still running, and require that each event was handled once."""
        self._end_file()
        while self.events:
            self._handle_event()
        self._compare()
        expected = dict.fromkeys(self.datasets, 1)
        assert wait_for(lambda: self._read_counts(expected), lambda found: len(found) == len(expected)) == expected
        list_failed = lambda tx: dead_events.list_events_of_app(tx, "racing")  # noqa: E731
        assert self.catalog.provider.tx_runner.run(list_failed, read_only=True) == []

    def _prepare_context(self) -> ServiceContext:
        return prepare_context(self.apps, app="racing").in_namespace(self.name)

    def _delete(self) -> None:
        if self.state != "present":
            with pytest.raises(NotFound):
                self.catalog.write_path.start_namespace_deletion(self.name, ADA)
            return
        self.catalog.write_path.start_namespace_deletion(self.name, ADA)
        self.state, self.rows, self.files = "being deleted", {}, {}
        self.ending = self.catalog.provider.tx_runner.run(lambda tx: read_generation(tx, self.name), read_only=True)

    def _clear(self) -> None:
        if self.catalog.namespaces._delete_next_content_of_namespace(self.name) and self.state == "being deleted":
            self.state = "absent"

    def _clear_all(self) -> None:
        self.catalog.namespaces.delete_remaining_content_now(self.name)
        if self.state == "being deleted":
            self.state = "absent"

    def _clear_late(self) -> None:
        folder = self.catalog.namespaces.app_files
        assert folder is not None
        if self.ending:
            folder.remove_generations(self.name, self.ending)

    def _create(self) -> None:
        if self.state == "being deleted":
            with pytest.raises(NamespaceDeleting):
                self.catalog.deployer.create_or_update_namespace(self.name, {}, ADA)
            return
        self.catalog.deployer.create_or_update_namespace(self.name, {}, ADA)
        self._note_creation()

    def _note_creation(self) -> None:
        if self.state == "absent":
            self.state, self.generation = "present", self.generation + 1

    def _write(self) -> None:
        row = {"context": self.name, "name": f"r{next(NUMBERS)}", "count": 1}
        write = lambda tables: tables.get_table("rows").upsert(row)  # noqa: E731
        if self.state != "present":
            with pytest.raises(NotFound):
                self._prepare_context().execute(write)
            return
        self._prepare_context().execute(write)
        self.rows[str(row["name"])] = 1

    def _create_dataset(self) -> None:
        """Create a dataset as a recorder does, which creates a missing namespace."""
        dataset = f"e{next(NUMBERS)}"
        urn = build_table_urn(dataset, self.name)
        if self.state == "being deleted":
            with pytest.raises(NotFound):
                write_metadata(self.catalog, urn)
            return
        write_metadata(self.catalog, urn)
        self._note_creation()
        self.events.append((dataset, self.generation))
        self.datasets.append(dataset)

    def _handle_event(self, *, fails: bool = False) -> None:
        if not self.events:
            return
        (dataset, generation), *self.events = self.events
        if fails:
            self.racing.RAISING.add(dataset)
        assert self.racing.HELD.acquire(timeout=WAIT_S)
        self.racing.RELEASED.release()
        assert self.racing.RETURNED.acquire(timeout=WAIT_S)
        if self.state == "present" and generation == self.generation:
            self.rows[dataset] = 1
            self.files[dataset] = dataset

    def _begin_file(self) -> None:
        self._end_file()
        self.writer = FileWriter(self._prepare_context().files, f"f{next(NUMBERS)}", self.generation)
        assert self.writer.is_refused == (self.state != "present")

    def _end_file(self) -> None:
        if (writer := self.writer) is None:
            return
        self.writer, was_refused = None, writer.is_refused
        writer.finish()
        is_of_generation = self.state == "present" and writer.generation == self.generation
        assert writer.is_refused == (was_refused or not is_of_generation), writer.error
        if writer.error is None:
            self.files["file"] = writer.name

    def _compare(self) -> None:
        """Require that exactly the rows and files of the present generation are visible."""
        context = self._prepare_context()
        if self.state != "present":
            for read in (self._read_rows, self._read_files):
                with pytest.raises(NotFound):
                    read(context)
            return
        assert (self._read_rows(context), self._read_files(context)) == (self.rows, self.files)

    def _read_rows(self, context: ServiceContext) -> dict[str, int]:
        return context.execute(
            lambda tables: {
                row["name"]: row["count"] for row in tables.get_table("rows").scan(Range.prefix(self.name))
            },
            read_only=True,
        )

    def _read_files(self, context: ServiceContext) -> dict[str, str]:
        return {file.name: context.files.get_path(file.name).read_text() for file in context.files.list()}

    def _read_counts(self, names: dict[str, int]) -> dict[str, int]:
        keys = [(name,) for name in names]
        return prepare_context(self.apps, app="racing").execute(
            lambda tables: {row["name"]: row["count"] for row in tables.get_table("counts").read_many(keys)},
            read_only=True,
        )


def run_case(case: Case, steps: Sequence[Step]) -> None:
    try:
        case.run(steps)
    finally:
        # Also after a failure: the next case needs a listener that has handled all events.
        case.finish()


@pytest.fixture
def racing(install: Any) -> Iterator[ModuleType]:
    module = import_module(install(RACING, "racing", "Racing"))
    yield module
    module.RELEASED.release(1_000)


@pytest.fixture
def apps(racing: ModuleType, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> Iterator[SystemApps]:
    """The applications of a server, on a catalog that deletes one row of a namespace in a step."""
    monkeypatch.setattr(write_path, "_CLEAR_BATCH", 1)
    opened = open_apps(catalog)
    assert [state.state for state in opened.list_states()] == ["running"]
    yield opened
    racing.RELEASED.release(1_000)
    opened.close()


def test_any_interleaving_shows_no_old_and_loses_no_new_content(
    apps: SystemApps, catalog: Catalog, racing: ModuleType
) -> None:
    @settings(max_examples=CASES)
    @given(HISTORIES)
    @example(EVENT_OF_AN_EARLIER_NAMESPACE)
    @example(FILE_OF_AN_EARLIER_NAMESPACE)
    @example(CREATED_WHILE_BEING_DELETED)
    @example(FILES_REMOVED_LATE)
    @example(FAILED_AFTER_ITS_WRITES)
    def run_new_case(steps: Sequence[Step]) -> None:
        run_case(Case(catalog, apps, racing), steps)

    run_new_case()


HOLES: dict[str, tuple[Any, str, Any, tuple[Step, ...]]] = {
    "events of earlier namespaces": (
        OpenTransaction,
        "require_generation",
        lambda transaction, name: None,
        EVENT_OF_AN_EARLIER_NAMESPACE,
    ),
    "files of earlier namespaces": (
        AppTransactions,
        "require_first_generation",
        lambda transactions, tx: None,
        FILE_OF_AN_EARLIER_NAMESPACE,
    ),
    "folders of files without generations": (
        AppFileFolder,
        "_list_generations",
        lambda folder, namespace: [(0, path) for path in (folder.root / namespace).glob("*")],
        FILES_REMOVED_LATE,
    ),
    "events handled twice": (EventSettlement, "record_handled", lambda settlement, tx: None, FAILED_AFTER_ITS_WRITES),
}


@pytest.mark.parametrize("hole", HOLES)
def test_comparison_detects_a_missing_check(
    hole: str, apps: SystemApps, catalog: Catalog, racing: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, attribute, replacement, steps = HOLES[hole]
    monkeypatch.setattr(target, attribute, replacement)
    with pytest.raises((AssertionError, FileNotFoundError)):
        run_case(Case(catalog, apps, racing), steps)
