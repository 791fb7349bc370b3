"""Who asks, how the service is, and what the registry knows."""

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.errors import NotFound, StorageError
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.native import documents
from jupyter_colophon.http.native.instance_documents import loading_problem
from jupyter_colophon.http.operation import Link, operation
from jupyter_colophon.http.state import ServerState

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog
    from jupyter_colophon.service.changes.lineage_listeners import ConsumerState


class MeHandler(ApiHandler):
    """`GET /me`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readMe", answers="me")
    def get(self) -> None:
        """The user and what the token used lets them do."""
        principal, user = self.principal, self.current_user
        # Where Jupyter invents names, its invention is no name of the account (docs/decisions, 3).
        name = (user.display_name or user.name) if user.username == principal.user else principal.user
        self.answer(
            {
                "user": {"username": principal.user, "name": name or principal.user},
                "via": principal.via,
                "scopes": sorted(principal.scopes),
                "version": self.state.version,
            }
        )


class HealthHandler(ApiHandler):
    """`GET /health`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readHealth", answers={200: "health", 503: "health"})
    async def get(self) -> None:
        """Whether the store takes reads and writes; 503 when it does not take writes, and what else is amiss."""
        try:
            store, known = await self.hop(lambda catalog: _state(catalog, self.state))
        except StorageError as error:
            store, known = {"status": "down", "detail": error.detail, "journalMode": ""}, _known()
        state = self.state
        problems = await self.aside(lambda: [loading_problem(one) for one in state.spaces().problems()])
        faults = [asdict(one) for one in await self.aside(state.registry_faults)]
        self.answer(
            {
                "status": store["status"],
                "version": state.version,
                "store": {"provider": state.store.provider, **store},
                "kernelTokens": len(state.tokens),
                "schemaspaces": {"problems": problems},
                "registry": {"problems": faults},
                "lineageListeners": [_listener(one) for one in state.lineage_listeners()],
                "instances": {"store": state.settings.metadata_store, "elyraApi": state.elyra_api},
                **known,
            },
            status=200 if store["status"] == "ok" else 503,
        )


class RegistryHandler(ApiHandler):
    """`GET /registry`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "listEntityTypes",
        answers="registry",
        links=[Link("readEntityType", {"type": "$response.body#/types/0/type"})],
    )
    async def get(self) -> None:
        """The entity types and the names of their aspects."""
        registry = await self.hop(lambda catalog: catalog.registry)
        types = [
            {
                "type": kind.type,
                "title": kind.title,
                "keyAspect": kind.key_aspect,
                "aspects": [spec.name for spec in kind.aspects],
            }
            for kind in registry.types
        ]
        self.answer({"types": types})


class EntityTypeHandler(ApiHandler):
    """`GET /registry/{type}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readEntityType", answers="entity-type", refuses=[NotFound])
    async def get(self, name: str) -> None:
        """One entity type: what a form needs."""
        kind = await self.hop(lambda catalog: catalog.registry.type(name))
        self.answer(documents.entity_type(kind))


def _state(catalog: "Catalog", state: ServerState) -> tuple[dict[str, str], documents.Document]:
    waiting, dead = catalog.inbox.counts()
    known = _known(catalog.feed.head(), state.board.count, waiting, dead)
    return dict(catalog.provider.health()), known | {"sinks": _sinks(catalog, state)}


def _listener(value: "ConsumerState") -> documents.Document:
    """Return one of the lineage listeners of `health.json`."""
    return {
        "name": value.name,
        "distribution": value.distribution,
        "version": value.version,
        "delivered": value.told,
        "failed": value.failed,
        "timedOut": value.hanging,
        "problem": value.problem,
        "cursor": value.at,
    }


def _sinks(catalog: "Catalog", state: ServerState) -> list[documents.Document]:
    from jupyter_colophon.service.changes.sinks import states

    told, wrong = state.settings.sinks, state.relay.problems if state.relay is not None else {}
    found = states(catalog.provider, told) if told else []
    found = [replace(one, problem=wrong.get(one.name, one.problem)) for one in found]
    return [documents.sink(one, str(told[one.name].get("kind", ""))) for one in found]


def _known(
    head: int | None = None, subscribers: int | None = None, waiting: int | None = None, dead: int | None = None
) -> documents.Document:
    return {
        "changeLog": {"head": head},
        "subscribers": subscribers,
        "inbox": {"pending": waiting},
        "deadLetters": dead,
        "sinks": [],
    }


ROUTES = [
    ("/me", MeHandler),
    ("/health", HealthHandler),
    ("/registry", RegistryHandler),
    ("/registry/{type}", EntityTypeHandler),
]
