"""The applications of installed packages, and what the store and the settings know of them."""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from jupyter_colophon.apps.app_log import AppLog
from jupyter_colophon.apps.deployment import Deployment
from jupyter_colophon.apps.installed_app import AppState, InstalledApp
from jupyter_colophon.apps.system_app import GROUP
from jupyter_colophon.core.errors import NotFound, SystemAppEnabled, SystemAppStopped
from jupyter_colophon.service.schemaspaces.registrations import (
    PackageRegistration,
    find_entry_points,
    list_registrations,
)
from jupyter_colophon.storage.spi import StorageProvider, TableContext
from jupyter_colophon.storage.system_apps import SystemAppRecord, find_system_app, list_system_apps

Records = Mapping[str, SystemAppRecord]
#: Why an application is unavailable whose tables were deleted after they were created.
TABLES_DELETED: Final = "its tables were deleted: restart the server"


def find_registered_apps() -> Iterable[PackageRegistration]:
    """Return the applications of installed packages."""
    return list_registrations(find_entry_points(GROUP), ())


@dataclass(slots=True)
class InstalledApps:
    """Finds the applications of installed packages when they are first needed.

    A process that `serves` them deploys them, and calls `on_deployed` with the name of each; others only list them.
    """

    provider: StorageProvider
    #: The applications that the settings disable.
    disabled_names: Collection[str]
    #: The applications of this package that are loaded.
    shipped_names: Collection[str]
    serves: bool
    on_tables_changed: Callable[[], None]
    on_deployed: Callable[[str, Deployment], None]
    find_registrations: Callable[[], Iterable[PackageRegistration]] = find_registered_apps
    #: Applications with the name of another one.
    conflicts: list[AppState] = field(default_factory=list)
    _apps: Mapping[str, InstalledApp] | None = None
    _logs: list[AppLog] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def list_apps(self) -> Collection[InstalledApp]:
        """Return all applications."""
        return self._get_apps().values()

    def list_enabled(self, records: Records) -> list[InstalledApp]:
        """Return the applications that are not disabled, given their records."""
        return [app for app in self.list_apps() if not self.is_disabled(app, records)]

    def start_used(self, records: Records) -> None:
        """Load and deploy the enabled applications in the background, without lazy ones that were never used."""
        for app in self.list_enabled(records):
            if not app.is_lazy or self._was_used(app, records):
                app.start()

    def load_unused(self, records: Records) -> None:
        """Load the enabled lazy applications that were never used in the background: their tables are not created."""
        for app in self.list_enabled(records):
            if app.is_lazy:
                app.start(deploys=self._was_used(app, records))

    def iterate_loaded(self, records: Records) -> Iterator[tuple[InstalledApp, Deployment]]:
        """Yield the applications that are enabled and loaded, after those that are starting have loaded or failed."""
        for app in self.list_enabled(records):
            app.wait_until_loaded()
            deployment = app.find_deployment()
            if deployment is not None:
                yield app, deployment

    def find_app(self, name: str) -> InstalledApp:
        """Return the application with this name or alias. Raises NotFound."""
        app = self._get_apps().get(name.casefold()) or self._find_app_by_alias(name)
        if app is None:
            raise NotFound("system application", name)
        return app

    def find_enabled_app(self, name: str) -> tuple[InstalledApp, SystemAppRecord]:
        """Return the application with this name or alias, and its record. Raises NotFound, SystemAppStopped."""
        app = self.find_app(name)
        # Before the record is read: the first use may deploy the application at the same time.
        is_deployed = app.is_deployed
        records = self.read_records(app.registration.name)
        if self.is_disabled(app, records):
            raise SystemAppStopped(app.registration.name, self._explain_disabled(app))
        record = records.get(app.registration.name, SystemAppRecord(app.registration.name))
        if is_deployed and record.deployed is None:
            raise SystemAppStopped(app.registration.name, TABLES_DELETED)
        return app, record

    def _explain_disabled(self, app: InstalledApp) -> str:
        if self.is_disabled_by_settings(app):
            return "it is disabled by the setting c.Colophon.disabled_system_apps"
        command = f"jupyter colophon apps enable {app.registration.name}"
        return f"it is disabled; an administrator can enable it on the page Applications, or by {command}"

    def has_lost_tables(self, app: InstalledApp) -> bool:
        """Return whether the tables of an application were deleted after this process created them."""
        return app.is_deployed and not self._was_used(app, self.read_records(app.registration.name))

    def is_installed(self, name: str) -> bool:
        """Return whether a package has an application with this name."""
        return name.casefold() in self._get_apps()

    def list_left_records(self, records: Records) -> list[SystemAppRecord]:
        """Return the records of applications that left tables, and are not installed."""
        return [record for record in records.values() if record.tables and not self.is_installed(record.name)]

    def find_record_of_unused_app(self, name: str) -> SystemAppRecord:
        """Return the record of an application that is disabled or not installed. Raises NotFound, SystemAppEnabled."""
        left = next((record for record in self.list_left_records(self.read_records(name))), None)
        if left is not None:
            return left
        app = self.find_app(name)
        records = self.read_records(app.registration.name)
        if not self.is_disabled(app, records):
            raise SystemAppEnabled(app.registration.name)
        return records.get(app.registration.name, SystemAppRecord(app.registration.name))

    def is_enabled(self, name: str) -> bool:
        """Return whether the application with this name is not disabled, and has its tables. Raises NotFound."""
        app = self.find_app(name)
        return not self.is_disabled(app, self.read_records(name)) and not self.has_lost_tables(app)

    def is_disabled(self, app: InstalledApp, records: Records) -> bool:
        """Return whether an application is disabled, by the settings or in the store."""
        record = records.get(app.registration.name)
        return self.is_disabled_by_settings(app) or (record is not None and record.disabled)

    def is_disabled_by_settings(self, app: InstalledApp) -> bool:
        """Return whether the settings disable an application."""
        return app.registration.name.casefold() in {name.casefold() for name in self.disabled_names}

    def read_records(self, name: str | None = None) -> Records:
        """Return what the store knows of all applications, or of one, by name."""

        def read(tx: TableContext) -> list[SystemAppRecord]:
            if name is None:
                return list_system_apps(tx)
            record = find_system_app(tx, name)
            return [] if record is None else [record]

        return {record.name: record for record in self.provider.tx_runner.run(read, read_only=True)}

    def open_log(self, name: str) -> None:
        """Store the log records of an application in this process."""
        self._logs.append(AppLog(name, self.provider))

    def close(self) -> None:
        """Start no further calls."""
        for app in (self._apps or {}).values():
            app.threads.cancel_waiting()

    def close_logs(self) -> None:
        """Store what was logged, and nothing more."""
        for log in self._logs:
            log.close()

    def _find_app_by_alias(self, name: str) -> InstalledApp | None:
        """Return the first application with this other name; applications that are starting may declare it."""
        for app in self.list_apps():
            if app.is_lazy:
                app.start(deploys=False)
            app.wait_until_loaded()
            deployment = app.find_deployment()
            if deployment is not None and name.casefold() in {alias.casefold() for alias in deployment.aliases}:
                return app
        return None

    def _was_used(self, app: InstalledApp, records: Records) -> bool:
        record = records.get(app.registration.name)
        return record is not None and record.deployed is not None

    def _get_apps(self) -> Mapping[str, InstalledApp]:
        """Return the applications by their names in lower case, which are those of entry points."""
        with self._lock:
            if self._apps is None:
                self._apps = self._find_installed_apps()
            return self._apps

    def _find_installed_apps(self) -> Mapping[str, InstalledApp]:
        apps: dict[str, InstalledApp] = {}
        # An application of a package replaces a shipped one of its name.
        for registration in sorted(self.find_registrations(), key=lambda registration: registration.is_builtin):
            if registration.is_builtin and (registration.name not in self.shipped_names or registration.name in apps):
                continue
            app = InstalledApp(
                registration,
                self.provider,
                self.serves,
                self.on_tables_changed,
                partial(self.on_deployed, registration.name),
                is_lazy=registration.is_builtin,
            )
            first = apps.setdefault(registration.name.casefold(), app)
            if first is app and self.serves:
                self.open_log(registration.name)
            if first is not app:
                problem = f"the package {first.registration.distribution} has an application of this name"
                self.conflicts.append(
                    AppState(registration.name, registration.distribution, registration.version, "failed", (), problem)
                )
        return apps
