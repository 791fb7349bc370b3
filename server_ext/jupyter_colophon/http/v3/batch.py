"""`POST /metadata-internals/batch`: mutations in order, all or none."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.cdap.names import WORDS, from_v3
from jupyter_colophon.core.entities.annotation import ASPECT_OF_SCOPE, Annotation, Change, Replacement
from jupyter_colophon.core.entities.mutation import Mutated, Mutation, State
from jupyter_colophon.core.errors import AccessDenied, InvalidInstance, InvalidName, Problem
from jupyter_colophon.core.identity.names import PROGRAM_TYPES, Identity, Urn
from jupyter_colophon.http.operation import operation
from jupyter_colophon.http.v3.base import V3Handler
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY

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
#: What a source that is read again does not take away (spec WRITE-18).
_KEPT: Final = frozenset({"description"})
#: And what it does not change.
_PRESERVED: Final = frozenset({"creation-time"})
#: What a mutation of each type may say besides its type and its entity.
_MEMBERS: Final = {
    "CREATE": {"metadata", "directives"},
    "UPDATE": {"updates"},
    "REMOVE": {"removals", "scopes", "kinds"},
    "DROP": set[str](),
}
_NOTHING: Final[dict[str, Any]] = {"properties": [], "tags": []}


class BatchHandler(V3Handler):
    """`POST /metadata-internals/batch`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3Batch", takes=[IDEMPOTENCY_KEY], body={"application/json": _BATCH}, answers={200: {"type": "array"}})
    async def post(self) -> None:
        """Apply an ordered batch of mutations, wholly or not at all."""
        principal, identity = self.principal, self.state.identity
        if not self.state.settings.authorizer().may(principal, "emit", ""):
            raise AccessDenied("emit", "batches of metadata")
        told = await self.body()
        mutations = [_mutation(at, one, identity) for at, one in enumerate(told)]

        def work(catalog: Any, once: Any) -> list[Mutated]:
            done: list[Mutated] = catalog.mutator.apply(mutations, principal, "", once)
            return done

        done = await self.writing(work)
        self.answer([_answer(one, told[at]["entity"]) for at, one in enumerate(done)])


def _mutation(at: int, told: Mapping[str, Any], identity: Identity) -> Mutation:
    try:
        urn = _urn(told["entity"], identity)
    except InvalidName as error:
        raise InvalidInstance("the batch", (Problem(f"/{at}/entity", error.detail),)) from None
    strange = sorted(told.keys() - _MEMBERS[told["type"]] - {"type", "entity"})
    if strange:
        # What is left out silently would be taken for done.
        why = f"is no member of {told['type']}"
        raise InvalidInstance("the batch", tuple(Problem(f"/{at}/{name}", why) for name in strange))
    return Mutation(urn, _MAKERS[told["type"]](told), drops=told["type"] == "DROP")


def _urn(entity: Mapping[str, Any], identity: Identity) -> Urn:
    """The entity of `{"details", "type"}`, where a program says its type as a detail of its own."""
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
    found: dict[str, tuple[dict[str, str], list[str]]] = defaultdict(lambda: ({}, []))
    for one in metadata.get("properties", ()):
        found[one["scope"]][0][one["name"]] = one["value"]
    for one in metadata.get("tags", ()):
        found[one["scope"]][1].append(one["name"])
    return found


def _update(told: Mapping[str, Any]) -> dict[str, Change]:
    said = _by_scope(told.get("updates", _NOTHING))
    return {scope: Annotation(properties, tuple(tags)) for scope, (properties, tags) in said.items()}


def _create(told: Mapping[str, Any]) -> dict[str, Change]:
    directives = told.get("directives", {})
    return {
        scope: Replacement(
            properties,
            tuple(tags),
            keep_properties=_named(directives, "KEEP", f"PROPERTY:{scope}:") | (_KEPT if scope == "SYSTEM" else set()),
            preserve_properties=_named(directives, "PRESERVE", f"PROPERTY:{scope}:")
            | (_PRESERVED if scope == "SYSTEM" else set()),
            keep_tags=_named(directives, "KEEP", f"TAG:{scope}:") | _named(directives, "PRESERVE", f"TAG:{scope}:"),
        )
        for scope, (properties, tags) in _by_scope(told.get("metadata", _NOTHING)).items()
    }


def _named(directives: Mapping[str, str], directive: str, prefix: str) -> frozenset[str]:
    return frozenset(
        key.removeprefix(prefix) for key, told in directives.items() if told == directive and key.startswith(prefix)
    )


def _remove(told: Mapping[str, Any]) -> dict[str, Change]:
    if "removals" not in told:
        kinds = told.get("kinds", ["PROPERTY", "TAG"])
        return _cleared(told.get("scopes", ASPECT_OF_SCOPE), kinds)
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in told["removals"]:
        names[one["scope"], one["kind"]].add(one["name"])
    return {
        scope: Annotation(
            without_properties=frozenset(names[scope, "PROPERTY"]), without_tags=frozenset(names[scope, "TAG"])
        )
        for scope in {one["scope"] for one in told["removals"]}
    }


def _drop(_: Mapping[str, Any]) -> dict[str, Change]:
    return _cleared(ASPECT_OF_SCOPE, ["PROPERTY", "TAG"])


def _cleared(scopes: Iterable[str], kinds: list[str]) -> dict[str, Change]:
    return {scope: Annotation(clear_properties="PROPERTY" in kinds, clear_tags="TAG" in kinds) for scope in scopes}


_MAKERS: Final = {"UPDATE": _update, "CREATE": _create, "REMOVE": _remove, "DROP": _drop}


def _answer(one: Mutated, entity: Mapping[str, Any]) -> dict[str, Any]:
    return {"entity": entity, "before": _told(one.before), "after": _told(one.after)}


def _told(state: State) -> dict[str, Any]:
    return {
        "properties": [
            {"scope": scope, "name": key, "value": value}
            for scope in ASPECT_OF_SCOPE
            for key, value in sorted(state[scope]["properties"].items())
        ],
        "tags": [{"scope": scope, "name": tag} for scope in ASPECT_OF_SCOPE for tag in sorted(state[scope]["tags"])],
    }


#: Below the prefix.
ROUTES: list[tuple[str, type]] = [("metadata-internals/batch", BatchHandler)]
