"""`POST /metadata-internals/batch`: mutations in order, all or none."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cdap.names import WORDS, parse_v3_path
from jupyter_colophon.core.entities.annotation import (
    ASPECT_OF_SCOPE,
    MetadataAnnotation,
    MetadataEdit,
    MetadataReplacement,
)
from jupyter_colophon.core.entities.mutation import Mutation, MutationResult, State
from jupyter_colophon.core.errors import AccessDenied, HeldForReview, InvalidInstance, InvalidName, NotFound, Problem
from jupyter_colophon.core.identity.names import PROGRAM_TYPES, IdentityRules, Urn
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

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
_KEPT_PROPERTIES: Final = frozenset({"description"})
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


def _require_may_emit(services: ProcessServices, principal: Principal) -> None:
    """Raise AccessDenied for callers that may not emit metadata."""
    access_control = services.get_access_control()
    # Policies decide on each entity.
    authorizer = access_control if access_control.find_rights(principal) is None else access_control.site
    if not authorizer.may(principal, "emit", ""):
        raise AccessDenied("emit", "batches of metadata")


@declare_operation(
    "v3Batch",
    "POST /metadata-internals/batch",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    body={"application/json": _BATCH},
    answers={200: {"type": "array", "items": {"type": "object"}}},
    errors=[HeldForReview, NotFound],
    access=_require_may_emit,
)
def apply_batch(services: ProcessServices, request: OperationRequest) -> list[Document]:
    """Apply mutations in order, all or none."""
    mutations = [_parse_mutation(at, document, services.identity) for at, document in enumerate(request.body)]
    done = services.get_or_open_catalog().mutator.apply_mutations(
        mutations, request.principal, "", request.idempotency_key
    )
    return [_render_mutation_result(result, request.body[at]["entity"]) for at, result in enumerate(done)]


def _parse_mutation(index: int, document: Mapping[str, Any], identity: IdentityRules) -> Mutation:
    try:
        urn = _parse_urn_of_entity(document["entity"], identity)
    except InvalidName as error:
        raise InvalidInstance("the batch", (Problem(f"/{index}/entity", error.detail),)) from None
    unknown = sorted(document.keys() - _MEMBERS[document["type"]] - {"type", "entity"})
    if unknown:
        # An ignored member would look as if it had been applied.
        why = f"is not a member of {document['type']}"
        raise InvalidInstance("the batch", tuple(Problem(f"/{index}/{name}", why) for name in unknown))
    return Mutation(urn, _PARSERS[document["type"]](document), drops=document["type"] == "DROP")


def _parse_urn_of_entity(entity: Mapping[str, Any], identity: IdentityRules) -> Urn:
    """Return the entity of `{"details", "type"}`, in which the type of a program is a detail of its own."""
    details: dict[str, str] = dict(entity["details"])
    if "program" in details:
        details.pop("version", None)
        type_ = details.pop("type", "").casefold()
        plural = next((item for item in PROGRAM_TYPES if item in (type_, f"{type_}s")), type_)
        details[plural] = details.pop("program")
    elif set(details) == {"namespace", "application", "version"}:
        details.pop("version")
    segments = [text for key, value in details.items() for text in (WORDS.get(key.casefold(), key), value)]
    kind = entity.get("type", "").casefold()
    return parse_v3_path(segments, identity, None if kind in ("", "application", "program", *details) else kind)


def _group_by_scope(metadata: Mapping[str, Any]) -> dict[str, tuple[dict[str, str], list[str]]]:
    scopes: dict[str, tuple[dict[str, str], list[str]]] = defaultdict(lambda: ({}, []))
    for property_document in metadata.get("properties", ()):
        scopes[property_document["scope"]][0][property_document["name"]] = property_document["value"]
    for tag_document in metadata.get("tags", ()):
        scopes[tag_document["scope"]][1].append(tag_document["name"])
    return scopes


def _parse_update_mutation(document: Mapping[str, Any]) -> dict[str, MetadataEdit]:
    updates = _group_by_scope(document.get("updates", _NOTHING))
    return {scope: MetadataAnnotation(properties, tuple(tags)) for scope, (properties, tags) in updates.items()}


def _parse_create_mutation(document: Mapping[str, Any]) -> dict[str, MetadataEdit]:
    directives = document.get("directives", {})
    return {
        scope: MetadataReplacement(
            properties,
            tuple(tags),
            keep_properties=_select_keys_of_directive(directives, "KEEP", f"PROPERTY:{scope}:")
            | (_KEPT_PROPERTIES if scope == "SYSTEM" else set()),
            preserve_properties=_select_keys_of_directive(directives, "PRESERVE", f"PROPERTY:{scope}:")
            | (_PRESERVED if scope == "SYSTEM" else set()),
            keep_tags=_select_keys_of_directive(directives, "KEEP", f"TAG:{scope}:")
            | _select_keys_of_directive(directives, "PRESERVE", f"TAG:{scope}:"),
        )
        for scope, (properties, tags) in _group_by_scope(document.get("metadata", _NOTHING)).items()
    }


def _select_keys_of_directive(directives: Mapping[str, str], directive: str, prefix: str) -> frozenset[str]:
    return frozenset(
        key.removeprefix(prefix) for key, value in directives.items() if value == directive and key.startswith(prefix)
    )


def _parse_remove_mutation(document: Mapping[str, Any]) -> dict[str, MetadataEdit]:
    if "removals" not in document:
        kinds = document.get("kinds", ["PROPERTY", "TAG"])
        return _create_edits_clearing_scopes(document.get("scopes", ASPECT_OF_SCOPE), kinds)
    removed: dict[tuple[str, str], set[str]] = defaultdict(set)
    for item in document["removals"]:
        removed[item["scope"], item["kind"]].add(item["name"])
    return {
        scope: MetadataAnnotation(
            without_properties=frozenset(removed[scope, "PROPERTY"]), without_tags=frozenset(removed[scope, "TAG"])
        )
        for scope in {removal["scope"] for removal in document["removals"]}
    }


def _parse_drop_mutation(_: Mapping[str, Any]) -> dict[str, MetadataEdit]:
    return _create_edits_clearing_scopes(ASPECT_OF_SCOPE, ["PROPERTY", "TAG"])


def _create_edits_clearing_scopes(scopes: Iterable[str], kinds: list[str]) -> dict[str, MetadataEdit]:
    return {
        scope: MetadataAnnotation(clear_properties="PROPERTY" in kinds, clear_tags="TAG" in kinds) for scope in scopes
    }


_PARSERS: Final = {
    "UPDATE": _parse_update_mutation,
    "CREATE": _parse_create_mutation,
    "REMOVE": _parse_remove_mutation,
    "DROP": _parse_drop_mutation,
}


def _render_mutation_result(mutated: MutationResult, entity: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "entity": entity,
        "before": _render_metadata_state(mutated.before),
        "after": _render_metadata_state(mutated.after),
    }


def _render_metadata_state(state: State) -> dict[str, Any]:
    return {
        "properties": [
            {"scope": scope, "name": key, "value": value}
            for scope in ASPECT_OF_SCOPE
            for key, value in sorted(state[scope]["properties"].items())
        ],
        "tags": [{"scope": scope, "name": tag} for scope in ASPECT_OF_SCOPE for tag in sorted(state[scope]["tags"])],
    }
