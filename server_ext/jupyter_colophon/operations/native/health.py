"""The current user, the health of the service, and the entity registry."""

from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from jupyter_colophon.core.documents.codec import to_documents
from jupyter_colophon.core.errors import NotFound, StorageError
from jupyter_colophon.operations.native import documents
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.request import Answer, Document, Request
from jupyter_colophon.operations.services import Services

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog


@declare_operation("readMe", "GET /me", answers="me")
def read_me(services: Services, request: Request) -> Document:
    """Read the authenticated user and the permissions of the token."""
    principal = request.principal
    return {
        "user": {"username": principal.user, "name": request.display_name or principal.user},
        "via": principal.via,
        "scopes": sorted(principal.scopes),
        "version": services.version,
    }


@declare_operation("readHealth", "GET /health", answers={200: "health", 503: "health"})
def read_health(services: Services, request: Request) -> Answer:
    """Read the health of the service; the status is 503 if the store does not accept writes."""
    try:
        store, counts = _read_status(services)
    except StorageError as error:
        store, counts = {"status": "down", "detail": error.detail, "journalMode": ""}, _render_counts()
    document = {
        "status": store["status"],
        "version": services.version,
        "store": {"provider": services.store.provider, **store},
        "kernelTokens": services.count_clients()["kernelTokens"],
        "schemaspaces": {"problems": to_documents(services.get_schemaspaces().list_problems())},
        "registry": {"problems": to_documents(services.find_registry_problems())},
        "lineageListeners": to_documents(services.list_lineage_listeners()),
        "instances": {"store": services.settings.metadata_store, "elyraApi": services.elyra_api},
        **counts,
    }
    return Answer(document, HTTPStatus.OK if store["status"] == "ok" else HTTPStatus.SERVICE_UNAVAILABLE)


@declare_operation(
    "listEntityTypes",
    "GET /registry",
    answers="registry",
    links=[OperationLink("readEntityType", {"type": "$response.body#/types/0/type"})],
)
def list_entity_types(services: Services, request: Request) -> Document:
    """List the entity types with the names of their aspects."""
    types = [
        {
            "type": kind.type,
            "title": kind.title,
            "keyAspect": kind.key_aspect,
            "aspects": [spec.name for spec in kind.aspects],
        }
        for kind in services.get_catalog().registry.types
    ]
    return {"types": types}


@declare_operation("readEntityType", "GET /registry/{type}", answers="entity-type", errors=[NotFound])
def read_entity_type(services: Services, request: Request) -> Document:
    """Read an entity type with the schemas of its aspects, as a form needs them."""
    return documents.render_entity_type(services.get_catalog().registry.get_type(request.path["type"]))


def _read_status(services: Services) -> tuple[dict[str, str], Document]:
    catalog = services.get_catalog()
    waiting, dead = catalog.inbox.count_entries()
    counts = _render_counts(catalog.feed.read_head(), services.count_clients()["subscribers"], waiting, dead)
    return dict(catalog.provider.check_health()), counts | {"sinks": _render_sinks(catalog, services)}


def _render_sinks(catalog: "Catalog", services: Services) -> list[Document]:
    from jupyter_colophon.service.changes.sinks import read_states

    options, problems = services.settings.sinks, services.list_sink_problems()
    states = read_states(catalog.provider, options) if options else []
    states = [replace(item, problem=problems.get(item.name, item.problem)) for item in states]
    return [documents.render_sink(item, str(options[item.name].get("kind", ""))) for item in states]


def _render_counts(
    head: int | None = None, subscribers: int | None = None, waiting: int | None = None, dead: int | None = None
) -> Document:
    return {
        "changeLog": {"head": head},
        "subscribers": subscribers,
        "inbox": {"pending": waiting},
        "deadLetters": dead,
        "sinks": [],
    }
