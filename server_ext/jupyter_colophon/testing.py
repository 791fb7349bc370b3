"""Fixtures for tests of system applications, a plugin of pytest (docs/how-to/write-an-application.md#test-it).

Pytest imports this module in every run, so it imports nothing else before a fixture is used.
"""

import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from jupyter_colophon.apps import Proposal, ServiceContext, ServiceResponse, SystemApp
    from jupyter_colophon.apps.handler_call import HandlerCall
    from jupyter_colophon.apps.system_apps import SystemApps
    from jupyter_colophon.composition import Catalog
    from jupyter_colophon.core.access import Principal
    from jupyter_colophon.core.lineage.run import RunStatus
    from jupyter_colophon.storage.spi import TableAdmin, TableContext, TransactionRunner

#: The namespace of the fixture, and the user of calls.
NAMESPACE: Final = "sales"
USER: Final = "ada"
_CALL_S: Final = 300.0
_FILE_BYTES: Final = 100_000_000
_POLL_S: Final = 0.02


@dataclass(slots=True)
class Clock:
    """The time of the catalog, which only passes when a test lets it."""

    now_ms: int

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now_ms += round(seconds * 1_000)


@dataclass(frozen=True, slots=True)
class RunningApp:
    """A deployed application."""

    name: str
    apps: "SystemApps"

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Sequence[str]] | None = None,
        service: str = "service",
        user: "str | Principal" = USER,
    ) -> "ServiceResponse":
        """Call a handler as the server does: with a JSON document or bytes, by a user who has all rights, or a principal.

        Raises what the server answers as an error, such as BadRequest and NotFound of `jupyter_colophon.apps`.
        """
        from jupyter_colophon.apps import ServiceResponse

        call = self._prepare_call(method, path, body, query or {}, service, user)
        response = self.apps.submit_call(call, lambda encoded: encoded).result(_CALL_S)
        return ServiceResponse(json.loads(response.body) if response.body else None, response.status)

    def get_context(self, method: str, path: str, *, service: str = "service", user: str = USER) -> "ServiceContext":
        """Return the context that the handler of a path gets, to look at tables and files, or to call functions."""
        return self._prepare_call(method, path, None, {}, service, user).context

    def _prepare_call(
        self,
        method: str,
        path: str,
        body: Any,
        query: Mapping[str, Sequence[str]],
        service: str,
        user: "str | Principal",
    ) -> "HandlerCall":
        from jupyter_colophon.apps.service import ServiceRequest
        from jupyter_colophon.apps.system_apps import ReceivedAppCall
        from jupyter_colophon.core.access import Principal

        content_type = "" if body is None else "application/octet-stream"
        if body is not None and not isinstance(body, bytes):
            body, content_type = json.dumps(body).encode(), "application/json"
        request = ServiceRequest(method, {}, query, content_type, body or b"")
        principal = Principal(user) if isinstance(user, str) else user
        segments = path.removeprefix("/").split("/")
        return self.apps.prepare_call(ReceivedAppCall(self.name, service, segments, request, principal))


@dataclass(slots=True)
class AppFactory:
    """Deploys applications on the catalog of a test."""

    catalog: "Catalog"
    _opened: ExitStack = field(default_factory=ExitStack)

    def __call__(self, app: "type[SystemApp]", name: str = "", version: str = "1.0") -> RunningApp:
        """Deploy an application class; by default under its name in lower case.

        Raises SystemAppUnavailable with the reason if it cannot be deployed. Deploying another class, or another version,
        under the same name tests an upgrade.
        """
        from jupyter_colophon.apps.system_apps import SystemApps
        from jupyter_colophon.core.errors import SystemAppUnavailable
        from jupyter_colophon.service.schemaspaces.registrations import PackageRegistration

        name = name or app.__name__.lower()
        value = f"{app.__module__}:{app.__qualname__}"
        registration = PackageRegistration(name, value, "tests", version, lambda: app)
        apps = SystemApps(
            self.catalog.reader,
            self.catalog.metadata,
            self.catalog.write_path,
            self.catalog.topics,
            file_folder=self.catalog.namespaces.app_files,
            secrets=self.catalog.secrets,
            find_registrations=lambda: [registration],
            feed=self.catalog.feed,
        )
        self._opened.callback(apps.close)
        (state,) = apps.list_states()
        if state.state != "running":
            raise SystemAppUnavailable(name, state.problem)
        return RunningApp(name, apps)

    def close(self) -> None:
        """Stop the applications."""
        self._opened.close()


@dataclass(frozen=True, slots=True)
class CatalogEvents:
    """Causes events in the catalog of a test, and waits until the listeners of its applications have handled them."""

    catalog: "Catalog"

    def apply_proposals(self, *proposals: "Proposal") -> None:
        """Create, change and delete metadata, as any user of the catalog does."""
        from jupyter_colophon.core.access import Principal

        self.catalog.write_path.apply_proposals_atomically(proposals, Principal(USER))

    def record_run(
        self, program: str, status: "RunStatus" = "succeeded", *, namespace: str = NAMESPACE, duration_s: float = 1.0
    ) -> str:
        """Record a run of a notebook that starts now, and unless it is `running` ends; return the URN of the run."""
        from jupyter_colophon.core.access import Principal
        from jupyter_colophon.core.identity.names import make_notebook_program_urn
        from jupyter_colophon.core.lineage.run import RunChange, RunStart

        start = time.time_ns() // 1_000_000
        urn = make_notebook_program_urn(namespace, program)
        run = self.catalog.write_path.start_run(RunStart(urn, str(uuid.uuid4()), start), Principal(USER)).urn
        if status != "running":
            change = RunChange(status, start + round(duration_s * 1_000))
            self.catalog.write_path.update_run(run, change, Principal(USER))
        return run

    def wait_until_handled(self, seconds: float = 60.0) -> None:
        """Wait until the listeners have handled all that happened so far.

        Raises RuntimeError with its reason if a listener fails at an event, TimeoutError if they are not ready in time.
        """
        runner = self.catalog.provider.tx_runner
        end: int = runner.run(lambda tx: tx.log.get_newest_number(), read_only=True)
        deadline = time.monotonic() + seconds
        while runner.run(lambda tx: self._has_waiting_listener(tx, end), read_only=True):
            if time.monotonic() > deadline:
                raise TimeoutError(f"the listeners have not handled all events within {seconds:g} seconds")
            time.sleep(_POLL_S)

    def _has_waiting_listener(self, tx: "TableContext", end: int) -> bool:
        from jupyter_colophon.apps.events.listener_worker import LEASE_PREFIX
        from jupyter_colophon.storage import dead_events
        from jupyter_colophon.storage.changes import cursors

        stored = dead_events.list_all_events(tx)
        for event in stored:
            if event.attempts:
                raise RuntimeError(f"the listener {event.listener} failed at the event {event.seq}: {event.problem}")
        return bool(stored) or any(
            position < end for position in cursors.list_positions_with_prefix(tx, LEASE_PREFIX).values()
        )


@dataclass(frozen=True, slots=True)
class RecipeResult:
    """What a recipe makes of rows: those that remain, and why others are rejected."""

    rows: list[dict[str, Any]]
    rejected: list[str]


@dataclass(frozen=True, slots=True)
class RecipeRunner:
    """Applies recipes with directives of an artifact, in a workspace of the application `dataprep`."""

    catalog: "Catalog"
    app: RunningApp

    def __call__(
        self, artifact: str | Path, recipe: str, rows: Sequence[Mapping[str, Any]], version: str = "1.0"
    ) -> RecipeResult:
        """Upload a module or a wheel, unless it was, and apply a recipe; dates are shown as texts.

        Raises InvalidInstance for an invalid artifact, BadRequest for an invalid recipe, or if a directive fails.
        """
        from jupyter_colophon.core.access import Principal
        from jupyter_colophon.core.artifacts.artifact import ArtifactKey

        path = Path(artifact)
        name = path.stem
        if path.suffix == ".whl":
            name, version = path.name.split("-")[:2]
        self.catalog.artifacts.upload(ArtifactKey(NAMESPACE, name, version), path.read_bytes(), Principal(USER))
        workspaces = f"/v2/contexts/{NAMESPACE}/workspaces"
        created = self.app.call("POST", workspaces, {"name": "Test", "rows": [*rows]}).document
        page = self.app.call(
            "PUT", f"{workspaces}/{created['id']}/directives", {"directives": recipe.splitlines()}
        ).document["page"]
        names = [column["name"] for column in page["columns"]]
        return RecipeResult(
            [dict(zip(names, values, strict=True)) for values in page["rows"]],
            [rejected["reason"] for rejected in page["rejected"]],
        )


@pytest.fixture(name="colophon_catalog")
def open_catalog(tmp_path: Path) -> "Iterator[Catalog]":
    """Open a catalog of its own for the test, in a SQLite file."""
    from jupyter_colophon.composition import open_or_create_catalog
    from jupyter_colophon.core.identity.names import IdentityRules
    from jupyter_colophon.core.store import choose_sqlite_store
    from jupyter_colophon.service.instances.secrets.file_store import FileSecretStore
    from jupyter_colophon.service.instances.secrets.stores import SecretStores
    from jupyter_colophon.storage.app_files.folder import AppFileFolder

    secret_stores = SecretStores(FileSecretStore(tmp_path / "secrets"))
    catalog = open_or_create_catalog(
        choose_sqlite_store(tmp_path / "colophon.db"),
        IdentityRules(),
        app_files=AppFileFolder(tmp_path / "app-files", _FILE_BYTES),
        secret_stores=lambda: secret_stores,
    )
    yield catalog
    catalog.close()


@pytest.fixture(name="tx_runner")
def get_tx_runner(colophon_catalog: "Catalog") -> "TransactionRunner":
    """Return the runner of transactions over all tables: `tx_runner.run(lambda tx: tx.get_table("app_…").read(key))`."""
    return colophon_catalog.provider.tx_runner


@pytest.fixture(name="table_admin")
def get_table_admin(colophon_catalog: "Catalog") -> "TableAdmin":
    """Return what creates and lists the tables of the store."""
    return colophon_catalog.provider.table_admin


@pytest.fixture(name="namespace")
def create_namespace(colophon_catalog: "Catalog") -> str:
    """Create a namespace and return its name."""
    from jupyter_colophon.core.access import Principal

    colophon_catalog.deployer.create_or_update_namespace(NAMESPACE, {}, Principal(USER))
    return NAMESPACE


@pytest.fixture(name="delete_namespace")
def get_namespace_deleter(colophon_catalog: "Catalog") -> Callable[[str], None]:
    """Return a function that deletes a namespace with everything in it, and waits until nothing of it is left."""
    from jupyter_colophon.core.access import Principal

    def delete(name: str) -> None:
        colophon_catalog.namespaces.delete_namespace_and_content_in_background(name, Principal(USER))
        colophon_catalog.namespaces.delete_remaining_content_now(name)

    return delete


@pytest.fixture(name="system_app")
def create_app_factory(colophon_catalog: "Catalog") -> Iterator[AppFactory]:
    """Return the factory of running applications: `app = system_app(Bookmarks)`."""
    factory = AppFactory(colophon_catalog)
    yield factory
    factory.close()


@pytest.fixture(name="apply_recipe")
def create_recipe_runner(colophon_catalog: "Catalog", namespace: str, system_app: AppFactory) -> RecipeRunner:
    """Return what applies a recipe with directives of an artifact: `apply_recipe("shop.py", "hide :phone", rows)`."""
    from jupyter_colophon.apps.dataprep.app import Dataprep

    return RecipeRunner(colophon_catalog, system_app(Dataprep))


@pytest.fixture(name="events")
def create_catalog_events(colophon_catalog: "Catalog") -> CatalogEvents:
    """Return what causes events, and waits for listeners: `events.record_run("daily.ipynb", "failed")`."""
    return CatalogEvents(colophon_catalog)


@pytest.fixture(name="clock")
def stop_clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Stop the clock (`time.time`): `clock.advance(60)` lets a minute pass."""
    stopped = Clock(time.time_ns() // 1_000_000)
    monkeypatch.setattr(time, "time_ns", lambda: stopped.now_ms * 1_000_000)
    monkeypatch.setattr(time, "time", lambda: stopped.now_ms / 1_000)
    return stopped
