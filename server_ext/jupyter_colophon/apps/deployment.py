"""Deploy an application: load and configure it, and create its tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jupyter_colophon.apps.configurer import SystemAppConfigurer, require_valid_app_name
from jupyter_colophon.apps.events.event_listener import ListenerDeclaration
from jupyter_colophon.apps.panel import Panel
from jupyter_colophon.apps.routes import RouteTable
from jupyter_colophon.apps.schedules.schedule import ScheduleDeclaration
from jupyter_colophon.apps.system_app import SystemApp
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.service.schemaspaces.registrations import PackageRegistration
from jupyter_colophon.storage.spi import StorageProvider, TableSpec
from jupyter_colophon.storage.system_apps import record_deployment


@dataclass(frozen=True, slots=True)
class Deployment:
    """The tables of an application by their ids, its routes, its panels by their ids, its other names, listeners and schedules."""

    specs: Mapping[str, TableSpec]
    routes: RouteTable
    panels: Mapping[str, Panel]
    aliases: tuple[str, ...] = ()
    listeners: Sequence[ListenerDeclaration] = ()
    schedules: Sequence[ScheduleDeclaration] = ()


def load_and_configure_app(registration: PackageRegistration) -> Deployment:
    """Import an application, and let it declare what it has. Raises what its code raises, TypeError, ValueError."""
    require_valid_app_name(registration.name)
    app = registration.load()()
    if not isinstance(app, SystemApp):
        raise TypeError(f"{registration.value} is not a SystemApp")
    configurer = SystemAppConfigurer(registration.name)
    app.configure(configurer)
    return Deployment(*configurer.finish())


def create_tables_of_app(
    provider: StorageProvider, registration: PackageRegistration, deployment: Deployment, now: int
) -> bool:
    """Create or extend the tables of an application, all or none, and record it; return whether any has changed.

    Processes with an earlier version continue: they know the tables without the new fields. Raises TableSchemaIncompatible
    if a table has a shape that cannot be extended, and other StorageErrors.
    """
    specs, admin = tuple(deployment.specs.values()), provider.table_admin
    existing = {*admin.list()}
    is_changed = any(spec.id not in existing or admin.get_spec(spec.id) != spec for spec in specs)
    if is_changed:
        admin.create_or_update(*specs)
    provider.tx_runner.run(lambda tx: record_deployment(tx, registration.name, registration.version, specs, now))
    return is_changed


def format_deployment_error(error: BaseException) -> str:
    """Return the error of a deployment as one line of text."""
    if isinstance(error, MetadataError):
        return error.detail
    first = str(error).partition("\n")[0][:300]
    return f"{type(error).__name__}: {first}".removesuffix(": ")
