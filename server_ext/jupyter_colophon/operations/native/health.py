"""The current user, the health of the service, and the entity registry."""

from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.codec import to_api_document, to_api_documents
from jupyter_colophon.core.errors import NotFound, StorageError
from jupyter_colophon.core.server_load import ServerLoad
from jupyter_colophon.operations.native import documents
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.request import Document, OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.service.access_control import ReadableExtent

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog


@declare_operation("readMe", "GET /me", decided_by="sender", answers="me")
def read_caller(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the authenticated user, the permissions of the token, and how much of the catalog the user may read."""
    principal = request.principal
    return {
        "user": {"username": principal.user, "name": request.display_name or principal.user},
        "via": principal.via,
        "scopes": sorted(principal.scopes),
        "namespaces": None if principal.namespaces is None else sorted(principal.namespaces),
        "readable": _find_readable_extent(services, principal),
        "stewards": list(services.settings.stewards),
        "version": services.version,
    }


@declare_operation("readHealth", "GET /health", decided_by="public", answers={200: "health", 503: "health"})
def read_health(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Read the health of the service; the status is 503 if the store does not accept writes, or while it is overloaded."""
    try:
        store, counts = _read_store_health(services)
    except StorageError as error:
        store, counts = {"status": "down", "detail": error.detail, "journalMode": ""}, _render_health_counts()
    load = services.measure_load()
    is_overloaded = load is not None and not load.is_ready
    status = "overloaded" if is_overloaded and store["status"] == "ok" else store["status"]
    document = {
        "status": status,
        "version": services.version,
        "store": {"provider": services.store.provider, **store},
        "kernelTokens": services.count_clients()["kernelTokens"],
        "schemaspaces": {"problems": to_api_documents(services.get_or_load_schemaspaces().list_loading_problems())},
        "registry": {"problems": to_api_documents(services.find_registry_problems())},
        "lineageListeners": to_api_documents(services.list_lineage_listeners()),
        "instances": {"store": services.settings.metadata_store, "elyraApi": services.elyra_api},
        "access": _render_access_policies(services, request.principal),
        "systemAppWorkers": services.count_app_workers()._asdict(),
        "load": None if load is None else _render_load(load),
        **counts,
    }
    return OperationAnswer(document, HTTPStatus.OK if status == "ok" else HTTPStatus.SERVICE_UNAVAILABLE)


@declare_operation(
    "listEntityTypes",
    "GET /registry",
    decided_by="public",
    answers="registry",
    links=[OperationLink("readEntityType", {"type": "$response.body#/types/0/type"})],
)
def list_entity_types(services: ProcessServices, request: OperationRequest) -> Document:
    """List the entity types with the names of their aspects."""
    types = [
        {
            "type": kind.type,
            "title": kind.title,
            "keyAspect": kind.key_aspect,
            "aspects": [spec.name for spec in kind.aspects],
        }
        for kind in services.get_or_open_catalog().registry.types
    ]
    return {"types": types}


@declare_operation(
    "readEntityType", "GET /registry/{type}", decided_by="public", answers="entity-type", errors=[NotFound]
)
def read_entity_type(services: ProcessServices, request: OperationRequest) -> Document:
    """Read an entity type with the schemas of its aspects, as a form needs them."""
    return documents.render_entity_type(services.get_or_open_catalog().registry.get_type(request.path["type"]))


def _read_store_health(services: ProcessServices) -> tuple[dict[str, str], Document]:
    from jupyter_colophon.apps.background_warnings import count_background_problems

    catalog = services.get_or_open_catalog()
    waiting, dead = catalog.inbox.count_pending_and_dead()
    counts = _render_health_counts(
        catalog.feed.read_newest_change_number(), services.count_clients()["subscribers"], waiting, dead
    )
    work = [documents.render_work_progress(item, catalog.inbox.now()) for item in catalog.read_work_progress()]
    states = {
        "backgroundWork": work,
        "sinks": _render_sink_states(catalog, services),
        "systemApps": to_api_document(count_background_problems(catalog.provider))
        | {"hangingCalls": services.count_hanging_app_calls()},
    }
    return dict(catalog.provider.check_health()), counts | states


def _render_load(load: ServerLoad) -> Document:
    return {
        "refused": list(load.refused),
        "overloadedSeconds": round(load.overloaded_s),
        "delayMs": round(1000 * load.delay_s),
        "delayLimitMs": None if load.delay_limit_s is None else round(1000 * load.delay_limit_s),
        "memoryBytes": load.memory_bytes,
        "memoryLimitBytes": load.memory_limit_bytes,
    }


def _find_readable_extent(services: ProcessServices, principal: Principal) -> ReadableExtent:
    try:
        return services.get_access_control().find_readable_extent(principal)
    except StorageError:
        # The policies have never been read: everything is denied.
        return "nothing"


def _render_access_policies(services: ProcessServices, principal: Principal) -> Document:
    access = services.get_access_control()
    try:
        version = None if access.policies is None else access.policies.get_version()
        is_admin = access.may(principal, "admin", "")
    except StorageError:
        # They have never been read: everything is denied.
        return {"inForce": True, "problems": []}
    problems = version.problems if version is not None and is_admin else {}
    return {
        "inForce": version is not None and version.in_force,
        "problems": [{"policy": policy, "problem": problem} for policy, problem in problems.items()],
    }


def _render_sink_states(catalog: "Catalog", services: ProcessServices) -> list[Document]:
    from jupyter_colophon.service.changes.sinks import read_sink_states

    options, problems = services.settings.sinks, services.list_sink_problems()
    states = read_sink_states(catalog.provider, options) if options else []
    states = [replace(item, problem=problems.get(item.name, item.problem)) for item in states]
    return [documents.render_sink_state(item, str(options[item.name].get("kind", ""))) for item in states]


def _render_health_counts(
    head: int | None = None, subscribers: int | None = None, waiting: int | None = None, dead: int | None = None
) -> Document:
    return {
        "changeLog": {"head": head},
        "subscribers": subscribers,
        "inbox": {"pending": waiting},
        "deadLetters": dead,
        "backgroundWork": [],
        "sinks": [],
        "systemApps": {"parkedEvents": None, "failingSchedules": None, "hangingCalls": None},
    }
