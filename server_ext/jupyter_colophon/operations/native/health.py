"""Who asks, how the service is, and what the registry knows."""

from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from jupyter_colophon.core.documents.codec import to_documents
from jupyter_colophon.core.errors import NotFound, StorageError
from jupyter_colophon.operations.native import documents
from jupyter_colophon.operations.operation import Link, operation
from jupyter_colophon.operations.request import Answer, Document, Request
from jupyter_colophon.operations.services import Services

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog


@operation("readMe", "GET /me", answers="me")
def read_me(services: Services, request: Request) -> Document:
    """Read the authenticated user and the permissions of the token."""
    principal = request.principal
    return {
        "user": {"username": principal.user, "name": request.display_name or principal.user},
        "via": principal.via,
        "scopes": sorted(principal.scopes),
        "version": services.version,
    }


@operation("readHealth", "GET /health", answers={200: "health", 503: "health"})
def read_health(services: Services, request: Request) -> Answer:
    """Read the health of the service; the status is 503 if the store does not accept writes."""
    try:
        store, counts = _state(services)
    except StorageError as error:
        store, counts = {"status": "down", "detail": error.detail, "journalMode": ""}, _counts()
    document = {
        "status": store["status"],
        "version": services.version,
        "store": {"provider": services.store.provider, **store},
        "kernelTokens": services.counts()["kernelTokens"],
        "schemaspaces": {"problems": to_documents(services.spaces().problems())},
        "registry": {"problems": to_documents(services.registry_faults())},
        "lineageListeners": to_documents(services.lineage_listeners()),
        "instances": {"store": services.settings.metadata_store, "elyraApi": services.elyra_api},
        **counts,
    }
    return Answer(document, HTTPStatus.OK if store["status"] == "ok" else HTTPStatus.SERVICE_UNAVAILABLE)


@operation(
    "listEntityTypes",
    "GET /registry",
    answers="registry",
    links=[Link("readEntityType", {"type": "$response.body#/types/0/type"})],
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
        for kind in services.catalog().registry.types
    ]
    return {"types": types}


@operation("readEntityType", "GET /registry/{type}", answers="entity-type", errors=[NotFound])
def read_entity_type(services: Services, request: Request) -> Document:
    """Read an entity type with the schemas of its aspects, as a form needs them."""
    return documents.entity_type(services.catalog().registry.type(request.path["type"]))


def _state(services: Services) -> tuple[dict[str, str], Document]:
    catalog = services.catalog()
    waiting, dead = catalog.inbox.counts()
    counts = _counts(catalog.feed.head(), services.counts()["subscribers"], waiting, dead)
    return dict(catalog.provider.health()), counts | {"sinks": _sinks(catalog, services)}


def _sinks(catalog: "Catalog", services: Services) -> list[Document]:
    from jupyter_colophon.service.changes.sinks import states

    options, problems = services.settings.sinks, services.sink_problems()
    found = states(catalog.provider, options) if options else []
    found = [replace(one, problem=problems.get(one.name, one.problem)) for one in found]
    return [documents.sink(one, str(options[one.name].get("kind", ""))) for one in found]


def _counts(
    head: int | None = None, subscribers: int | None = None, waiting: int | None = None, dead: int | None = None
) -> Document:
    return {
        "changeLog": {"head": head},
        "subscribers": subscribers,
        "inbox": {"pending": waiting},
        "deadLetters": dead,
        "sinks": [],
    }
