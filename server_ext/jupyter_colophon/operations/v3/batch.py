"""`POST /metadata-internals/batch`: mutations in order, all or none."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cdap.names import WORDS, from_v3
from jupyter_colophon.core.entities.annotation import ASPECT_OF_SCOPE, Annotation, Change, Replacement
from jupyter_colophon.core.entities.mutation import Mutated, Mutation, State
from jupyter_colophon.core.errors import AccessDenied, InvalidInstance, InvalidName, NotFound, Problem
from jupyter_colophon.core.identity.names import PROGRAM_TYPES, Identity, Urn
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.operation import operation
from jupyter_colophon.operations.request import Document, Request
from jupyter_colophon.operations.services import Services

_SCOPE: Final = {"enum": list(ASPECT_OF_SCOPE)}
_KIND: Final = {"enum": ["PROPERTY", "TAG"]}
_METADATA: Final = {
    "type": "object",
    "properties": {
        "properties": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"scope": _SCOPE, "name": {"type": "string"}, "value": {"type": "string"}},
                "required": ["scope", "name", "value"],
            },
        },
        "tags": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"scope": _SCOPE, "name": {"type": "string"}},
                "required": ["scope", "name"],
            },
        },
    },
    "additionalProperties": False,
}
_MUTATION: Final = {
    "type": "object",
    "properties": {
        "type": {"enum": ["CREATE", "UPDATE", "REMOVE", "DROP"]},
        "entity": {
            "type": "object",
            "properties": {
                "details": {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1},
                "type": {"type": "string"},
            },
            "required": ["details"],
        },
        "updates": _METADATA,
        "metadata": _METADATA,
        "directives": {"type": "object", "additionalProperties": {"enum": ["KEEP", "PRESERVE"]}},
        "removals": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"scope": _SCOPE, "kind": _KIND, "name": {"type": "string"}},
                "required": ["scope", "kind", "name"],
            },
        },
        "scopes": {"type": "array", "items": _SCOPE},
        "kinds": {"type": "array", "items": _KIND},
    },
    "required": ["type", "entity"],
}
_BATCH: Final = {"type": "array", "items": _MUTATION, "maxItems": 1000}
#: Properties that a source keeps when it is read again (spec WRITE-18).
_KEPT: Final = frozenset({"description"})
#: Properties whose values it does not change.
_PRESERVED: Final = frozenset({"creation-time"})
#: The members of a mutation of each type, besides its type and its entity.
_MEMBERS: Final = {
    "CREATE": {"metadata", "directives"},
    "UPDATE": {"updates"},
    "REMOVE": {"removals", "scopes", "kinds"},
    "DROP": set[str](),
}
_NOTHING: Final[dict[str, Any]] = {"properties": [], "tags": []}


def _require_emit(services: Services, principal: Principal) -> None:
    """Raise AccessDenied for callers that may not emit metadata."""
    if not services.settings.authorizer().may(principal, "emit", ""):
        raise AccessDenied("emit", "batches of metadata")


@operation(
    "v3Batch",
    "POST /metadata-internals/batch",
    parameters=[IDEMPOTENCY_KEY],
    body={"application/json": _BATCH},
    answers={200: {"type": "array", "items": {"type": "object"}}},
    errors=[NotFound],
    access=_require_emit,
)
def apply_batch(services: Services, request: Request) -> list[Document]:
    """Apply mutations in order, all or none."""
    mutations = [_mutation(at, one, services.identity) for at, one in enumerate(request.body)]
    done = services.catalog().mutator.apply(mutations, request.principal, "", request.once)
    return [_answer(one, request.body[at]["entity"]) for at, one in enumerate(done)]


def _mutation(at: int, document: Mapping[str, Any], identity: Identity) -> Mutation:
    try:
        urn = _urn(document["entity"], identity)
    except InvalidName as error:
        raise InvalidInstance("the batch", (Problem(f"/{at}/entity", error.detail),)) from None
    unknown = sorted(document.keys() - _MEMBERS[document["type"]] - {"type", "entity"})
    if unknown:
        # A client would take what is ignored for done.
        why = f"is no member of {document['type']}"
        raise InvalidInstance("the batch", tuple(Problem(f"/{at}/{name}", why) for name in unknown))
    return Mutation(urn, _MAKERS[document["type"]](document), drops=document["type"] == "DROP")


def _urn(entity: Mapping[str, Any], identity: Identity) -> Urn:
    """Return the entity of `{"details", "type"}`, in which the type of a program is a detail of its own."""
    details: dict[str, str] = dict(entity["details"])
    if "program" in details:
        details.pop("version", None)
        type_ = details.pop("type", "").casefold()
        plural = next((one for one in PROGRAM_TYPES if one in (type_, f"{type_}s")), type_)
        details[plural] = details.pop("program")
    elif set(details) == {"namespace", "application", "version"}:
        details.pop("version")
    segments = [text for key, value in details.items() for text in (WORDS.get(key.casefold(), key), value)]
    kind = entity.get("type", "").casefold()
    return from_v3(segments, identity, None if kind in ("", "application", "program", *details) else kind)


def _by_scope(metadata: Mapping[str, Any]) -> dict[str, tuple[dict[str, str], list[str]]]:
    scopes: dict[str, tuple[dict[str, str], list[str]]] = defaultdict(lambda: ({}, []))
    for one in metadata.get("properties", ()):
        scopes[one["scope"]][0][one["name"]] = one["value"]
    for one in metadata.get("tags", ()):
        scopes[one["scope"]][1].append(one["name"])
    return scopes


def _update(document: Mapping[str, Any]) -> dict[str, Change]:
    updates = _by_scope(document.get("updates", _NOTHING))
    return {scope: Annotation(properties, tuple(tags)) for scope, (properties, tags) in updates.items()}


def _create(document: Mapping[str, Any]) -> dict[str, Change]:
    directives = document.get("directives", {})
    return {
        scope: Replacement(
            properties,
            tuple(tags),
            keep_properties=_directed(directives, "KEEP", f"PROPERTY:{scope}:")
            | (_KEPT if scope == "SYSTEM" else set()),
            preserve_properties=_directed(directives, "PRESERVE", f"PROPERTY:{scope}:")
            | (_PRESERVED if scope == "SYSTEM" else set()),
            keep_tags=_directed(directives, "KEEP", f"TAG:{scope}:")
            | _directed(directives, "PRESERVE", f"TAG:{scope}:"),
        )
        for scope, (properties, tags) in _by_scope(document.get("metadata", _NOTHING)).items()
    }


def _directed(directives: Mapping[str, str], directive: str, prefix: str) -> frozenset[str]:
    return frozenset(
        key.removeprefix(prefix) for key, value in directives.items() if value == directive and key.startswith(prefix)
    )


def _remove(document: Mapping[str, Any]) -> dict[str, Change]:
    if "removals" not in document:
        kinds = document.get("kinds", ["PROPERTY", "TAG"])
        return _cleared(document.get("scopes", ASPECT_OF_SCOPE), kinds)
    removed: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in document["removals"]:
        removed[one["scope"], one["kind"]].add(one["name"])
    return {
        scope: Annotation(
            without_properties=frozenset(removed[scope, "PROPERTY"]), without_tags=frozenset(removed[scope, "TAG"])
        )
        for scope in {one["scope"] for one in document["removals"]}
    }


def _drop(_: Mapping[str, Any]) -> dict[str, Change]:
    return _cleared(ASPECT_OF_SCOPE, ["PROPERTY", "TAG"])


def _cleared(scopes: Iterable[str], kinds: list[str]) -> dict[str, Change]:
    return {scope: Annotation(clear_properties="PROPERTY" in kinds, clear_tags="TAG" in kinds) for scope in scopes}


_MAKERS: Final = {"UPDATE": _update, "CREATE": _create, "REMOVE": _remove, "DROP": _drop}


def _answer(mutated: Mutated, entity: Mapping[str, Any]) -> dict[str, Any]:
    return {"entity": entity, "before": _metadata(mutated.before), "after": _metadata(mutated.after)}


def _metadata(state: State) -> dict[str, Any]:
    return {
        "properties": [
            {"scope": scope, "name": key, "value": value}
            for scope in ASPECT_OF_SCOPE
            for key, value in sorted(state[scope]["properties"].items())
        ],
        "tags": [{"scope": scope, "name": tag} for scope in ASPECT_OF_SCOPE for tag in sorted(state[scope]["tags"])],
    }
