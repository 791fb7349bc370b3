"""How many processes run a service: what is requested, and what runs."""

from collections.abc import Mapping
from dataclasses import dataclass

from jupyter_colophon.apps.installed_apps import InstalledApps
from jupyter_colophon.apps.workers.service_workers import RequestedInstances, ServiceKey, ServiceWorkers
from jupyter_colophon.storage.spi import TableContext
from jupyter_colophon.storage.system_app_workers import count_running_workers
from jupyter_colophon.storage.system_apps import find_system_app, set_instances


@dataclass(frozen=True, slots=True)
class ServiceInstances:
    """How many processes run a service, as in CDAP: `instances` and `requested` are the same."""

    instances: int
    requested: int
    provisioned: int


def read_instances(apps: InstalledApps, workers: ServiceWorkers | None, name: str, service: str) -> ServiceInstances:
    """Return how many processes of a service are requested, and run, in all servers. Raises NotFound, SystemAppUnavailable."""
    app = apps.find_app(name)
    routes = app.wait_for_deployment().routes
    key = ServiceKey(app.registration.name, routes.find_service(service))

    def read(tx: TableContext) -> tuple[int | None, int]:
        record = find_system_app(tx, key.app)
        requested = None if record is None else record.instances.get(key.service)
        count = count_running_workers if workers is None else workers.count_running
        return requested, count(tx, *key)

    requested, running = apps.provider.tx_runner.run(read, read_only=True)
    if requested is None and routes.services[key.service] == "service":
        # It runs on threads of each server.
        return ServiceInstances(1, 1, 1)
    return ServiceInstances(requested or 1, requested or 1, running)


def request_instances(apps: InstalledApps, name: str, service: str, instances: int) -> None:
    """Request processes of a service, in all servers together; 0 withdraws the request. Raises NotFound, SystemAppUnavailable."""
    app = apps.find_app(name)
    found = app.wait_for_deployment().routes.find_service(service)
    apps.provider.tx_runner.run(lambda tx: set_instances(tx, app.registration.name, found, instances))


def list_requested_instances(apps: InstalledApps) -> Mapping[ServiceKey, RequestedInstances]:
    """Return the processes that are requested for the applications that this server serves."""
    records, requested = apps.read_records(), {}
    for app, deployment in apps.iterate_loaded(records):
        if not app.is_deployed:
            continue
        name, version = app.registration.name, app.registration.version
        instances = records[name].instances if name in records else {}
        for service, kind in deployment.routes.services.items():
            if service in instances or kind == "spark":
                requested[ServiceKey(name, service)] = RequestedInstances(
                    instances.get(service, 1), version, kind == "spark"
                )
    return requested
