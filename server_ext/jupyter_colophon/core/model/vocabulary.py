"""What each aspect contributes to the one vocabulary: tags, terms, owners, domains, descriptions, properties, fields.

`CONTRIBUTIONS` is the table. `describe` projects a value of an aspect to `Descriptor`s: each knows its aspect, its scope,
the URN of the entity that it refers to (if it is a reference), and the column that it describes (if it is not about the
entity itself). Search rows, facets, keys, `%metadata`, masks, crawls, the entity page and every API read descriptors,
and no aspect by its name:

* `describe(aspect, scope, value, annotated)` returns the descriptors of one value; `annotated` is `AspectSpec.contributes`,
  which is only filled for aspects of a registry overlay.
* `described_members(aspect, annotated)` names the members of a value that descriptors show wholly.
* `find_annotations(schema)` reads these from a schema: a subschema with the keyword `x-colophon` (docs/registry.md).
* `column_path(path)` is the plain path of a column, without the types in DataHub's paths of the second version.

`text` of a reference is the key of its URN: the name of what it refers to may change without a change here, so readers
look names up (storage/display_names.py) and search resolves them at query time (service/entities/reference_names.py).
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, get_args

from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.urn import PREFIX, Urn
from jupyter_colophon.core.instances.instance_texts import tags_of, texts_of
from jupyter_colophon.core.model.relationships import at
from jupyter_colophon.core.model.schema_fields import column_path as column_path
from jupyter_colophon.core.model.schema_fields import fields_of_avro, fields_of_columns

Scope = Literal["USER", "SYSTEM"]
Kind = Literal["tag", "term", "owner", "domain", "description", "property", "link", "name", "field"]

TAGS_KEY: Final = "tags"
TERMS_KEY: Final = "terms"
OWNER_KEY: Final = "owner"
DOMAIN_KEY: Final = "domain"
DESCRIPTION_KEY: Final = "description"
SCHEMA_KEY: Final = "schema"
#: The key under which search finds what is not a property by its own name.
KEY_OF: Final[Mapping[Kind, str]] = {
    "tag": TAGS_KEY,
    "term": TERMS_KEY,
    "owner": OWNER_KEY,
    "domain": DOMAIN_KEY,
    "description": DESCRIPTION_KEY,
    "link": "link",
    "name": "name",
    "field": SCHEMA_KEY,
}
#: Properties that are more than a property: what people write in `businessMetadata` under these keys.
_KIND_OF_PROPERTY: Final[Mapping[str, Kind]] = {OWNER_KEY: "owner", DESCRIPTION_KEY: "description"}
#: The keyword of a subschema that says what the values there contribute, and its values.
ANNOTATION: Final = "x-colophon"
ANNOTATED: Final[tuple[Kind, ...]] = tuple(kind for kind in get_args(Kind) if kind != "field")
_DEPTH_MAX: Final = 12
#: How many contributions of one schema are read, and descriptors of one value besides fields.
_CONTRIBUTIONS_MAX: Final = 100
_DESCRIPTORS_MAX: Final = 20_000


class Descriptor(NamedTuple):
    """One value of the vocabulary.

    `text` is what a person wrote, of a reference the key of `urn`. `column` is the plain path of the column that this
    describes, empty for the entity itself. `detail` says more: the type of an owner or a field, the text of a link.
    """

    kind: Kind
    key: str
    text: str
    aspect: str
    scope: Scope
    urn: str = ""
    column: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Contribution:
    """Where a value of an aspect says something of this kind: the texts at a path, `*` for any item or member.

    With `member`, items at the path are objects that hold the text there, and more of it under `detail`. A path that
    leads to an object gives one property for each of its texts; with `has_kinds` an `owner` and a `description` among
    them count as such. `columns` leads to the columns that it is about.
    """

    kind: Kind
    path: tuple[str, ...]
    key: str = ""
    member: str = ""
    detail: str = ""
    columns: tuple[str, ...] = field(default=())
    has_kinds: bool = False

    def may_give(self, kind: Kind) -> bool:
        """Return whether descriptors of this kind may come of it."""
        return self.kind == kind or (self.has_kinds and kind in _KIND_OF_PROPERTY.values())


def _at(kind: Kind, path: str, *, key: str = "", member: str = "", detail: str = "", columns: str = "") -> Contribution:
    above = tuple(columns.split("/")) if columns else ()
    return Contribution(kind, tuple(path.split("/")), key, member, detail, above)


def _of_columns(columns: str) -> tuple[Contribution, ...]:
    """What DataHub's shape of a column says."""
    return (
        _at("tag", "globalTags/tags/*/tag", columns=columns),
        _at("term", "glossaryTerms/terms/*/urn", columns=columns),
        _at("description", "description", columns=columns),
    )


_PROPERTIES: Final = (Contribution("property", ("properties",), has_kinds=True), _at("tag", "tags/*"))
#: Members that DataHub's aspects about an entity itself have in common. Clients copy anything into `customProperties`,
#: such as dbt's `meta.owner`, which is in `ownership` too: an owner there is a property like others.
_ABOUT: Final = (_at("name", "name"), _at("description", "description"), _at("property", "customProperties"))
_SHOWN: Final = (_at("name", "displayName"), _at("description", "description"), _at("property", "customProperties"))
_TITLED: Final = (_at("name", "title"), _at("description", "description"), _at("property", "customProperties"))
_DEFINED: Final = (_at("name", "name"), _at("description", "definition"), _at("property", "customProperties"))
_EDITED: Final = (_at("name", "name"), _at("description", "description"))

#: The table: what each aspect contributes.
CONTRIBUTIONS: Final[Mapping[str, tuple[Contribution, ...]]] = {
    "businessMetadata": _PROPERTIES,
    "technicalMetadata": _PROPERTIES,
    "globalTags": (_at("tag", "tags/*/tag"),),
    "glossaryTerms": (_at("term", "terms/*/urn"),),
    "ownership": (_at("owner", "owners/*", member="owner", detail="type"),),
    "domains": (_at("domain", "domains/*"),),
    "institutionalMemory": (_at("link", "elements/*", member="url", detail="description"),),
    "documentation": (_at("description", "documentations/*/documentation"),),
    "schemaMetadata": _of_columns("fields/*"),
    "editableSchemaMetadata": _of_columns("editableSchemaFieldInfo/*"),
    "structuredProperties": (),
    "instance": (),
    "glossaryTermInfo": _DEFINED,
    "glossaryNodeInfo": _DEFINED,
    "corpUserInfo": (_at("name", "displayName"), _at("name", "fullName"), _at("property", "customProperties")),
    "corpUserEditableInfo": (_at("name", "displayName"), _at("description", "aboutMe")),
    **dict.fromkeys(("chartInfo", "dashboardInfo", "notebookInfo"), _TITLED),
    **dict.fromkeys(("corpGroupInfo", "dataPlatformInfo", "serviceProperties"), _SHOWN),
    **dict.fromkeys(
        (
            "datasetProperties",
            "dataFlowInfo",
            "dataJobInfo",
            "containerProperties",
            "tagProperties",
            "domainProperties",
            "dataProductProperties",
            "applicationProperties",
            "businessAttributeInfo",
            "dataPlatformInstanceProperties",
            "dataProcessInstanceProperties",
            "erModelRelationshipProperties",
            "mlFeatureProperties",
            "mlFeatureTableProperties",
            "mlModelDeploymentProperties",
            "mlModelGroupProperties",
            "mlModelProperties",
            "mlPrimaryKeyProperties",
            "ownershipTypeInfo",
            "queryProperties",
        ),
        _ABOUT,
    ),
    **dict.fromkeys(
        (
            "editableDatasetProperties",
            "editableChartProperties",
            "editableContainerProperties",
            "editableDashboardProperties",
            "editableDataFlowProperties",
            "editableDataJobProperties",
            "editableERModelRelationshipProperties",
            "editableMlFeatureProperties",
            "editableMlFeatureTableProperties",
            "editableMlModelGroupProperties",
            "editableMlModelProperties",
            "editableMlPrimaryKeyProperties",
            "editableNotebookProperties",
            "corpGroupEditableInfo",
        ),
        _EDITED,
    ),
}
#: Members that descriptors show wholly without a path of the table: they repeat other members, or are read by `_SPECIAL`.
_ALSO_DESCRIBED: Final[Mapping[str, tuple[str, ...]]] = {
    "ownership": ("ownerTypes",),
    "structuredProperties": ("properties",),
}
#: The aspects that give their entity a name that people read, the best first; others of the table only describe.
NAMING: Final[Mapping[str, tuple[str, ...]]] = {
    "tag": ("tagProperties",),
    "glossaryTerm": ("glossaryTermInfo",),
    "glossaryNode": ("glossaryNodeInfo",),
    "domain": ("domainProperties",),
    "corpuser": ("corpUserEditableInfo", "corpUserInfo"),
    "corpGroup": ("corpGroupInfo",),
    "dataProduct": ("dataProductProperties",),
}
#: The types of what the descriptors of each kind refer to.
REFERRED: Final[Mapping[Kind, tuple[str, ...]]] = {
    "tag": ("tag",),
    "term": ("glossaryTerm",),
    "owner": ("corpuser", "corpGroup"),
    "domain": ("domain",),
}


def describe(
    aspect: str, scope: Scope, value: object, annotated: tuple[Contribution, ...] = ()
) -> Iterator[Descriptor]:
    """Yield what a value of an aspect says; nothing for an aspect that contributes nothing, or for no value."""
    contributions = CONTRIBUTIONS.get(aspect, annotated)
    if not isinstance(value, Mapping):
        return
    count = 0
    for contribution in contributions:
        for found in _describe_at(contribution, aspect, scope, value):
            yield found
            count += 1
            if count >= _DESCRIPTORS_MAX:
                break
    if (special := _SPECIAL.get(aspect)) is not None:
        yield from special(aspect, scope, value)


def is_described(aspect: str, annotated: tuple[Contribution, ...] = ()) -> bool:
    """Whether an aspect of this name, with these annotations, contributes anything."""
    return aspect in CONTRIBUTIONS or bool(annotated)


def described_members(aspect: str, annotated: tuple[Contribution, ...] = ()) -> tuple[str, ...]:
    """Return the members of a value that are wholly shown by its descriptors of the entity itself, sorted.

    Of an annotated schema only what is annotated is known: a member counts if nothing stands beside the annotated value.
    """
    listed = CONTRIBUTIONS.get(aspect)
    if listed is not None:
        members = {one.path[0] for one in listed if not one.columns}
    else:
        members = {one.path[0] for one in annotated if set(one.path[1:]) <= {"*"}}
    return tuple(sorted(members.union(_ALSO_DESCRIBED.get(aspect, ()))))


def may_describe(kind: Kind, aspect: str, annotated: tuple[Contribution, ...] = ()) -> bool:
    """Return whether values of an aspect of this name, with these annotations, may contribute this kind."""
    return any(one.may_give(kind) for one in CONTRIBUTIONS.get(aspect, annotated))


def find_annotations(schema: Mapping[str, Any]) -> tuple[Contribution, ...]:
    """Return what a schema says by `x-colophon` that values of it contribute; an annotation that is unknown is ignored."""
    found: list[Contribution] = []
    _annotations(schema, schema, (), found, 0)
    return tuple(found[:_CONTRIBUTIONS_MAX])


def reference_text(urn: str) -> str:
    """Return what a URN is read as where no name of its entity is known: its key, or the last part of one."""
    if not urn.startswith(PREFIX):
        return urn
    return _key_of(urn)


@lru_cache(maxsize=4_096)
def _key_of(urn: str) -> str:
    try:
        return Urn.parse(urn).parts[-1]
    except InvalidName:
        # Schemas take texts that are not names to us: they are shown as they are.
        return urn


def _describe_at(one: Contribution, aspect: str, scope: Scope, value: Mapping[str, Any]) -> Iterator[Descriptor]:
    if not one.columns:
        yield from _of_place(one, aspect, scope, value, "")
        return
    for column in at(value, one.columns):
        path = column.get("fieldPath") if isinstance(column, Mapping) else None
        # Most columns have a name and a type, and nothing else.
        if isinstance(path, str) and path and one.path[0] in column:
            yield from _of_place(one, aspect, scope, column, column_path(path))


def _of_place(one: Contribution, aspect: str, scope: Scope, value: Any, column: str) -> Iterator[Descriptor]:
    for item in at(value, one.path):
        detail: object = ""
        if one.member:
            if not isinstance(item, Mapping):
                continue
            detail, item = item.get(one.detail), item.get(one.member)
        if one.kind == "property" and isinstance(item, Mapping):
            yield from _properties(item, aspect, scope, column, _KIND_OF_PROPERTY if one.has_kinds else {})
        elif (text := _text(item)) is not None:
            key = one.key or KEY_OF.get(one.kind, one.path[-1])
            yield _described(one.kind, key, text, aspect, scope, column, detail if isinstance(detail, str) else "")


def _properties(
    properties: Mapping[str, Any], aspect: str, scope: Scope, column: str, kinds: Mapping[str, Kind]
) -> Iterator[Descriptor]:
    for key, text in properties.items():
        if isinstance(text, str):
            yield _described(kinds.get(key, "property"), key, text, aspect, scope, column)


def _described(
    kind: Kind, key: str, text: str, aspect: str, scope: Scope, column: str = "", detail: str = ""
) -> Descriptor:
    if kind in REFERRED and text.startswith(PREFIX):
        return Descriptor(kind, key, _key_of(text), aspect, scope, text, column, detail)
    return Descriptor(kind, key, text, aspect, scope, "", column, detail)


def _text(item: object) -> str | None:
    if isinstance(item, str):
        return item or None
    if isinstance(item, bool | int | float):
        return json.dumps(item)
    return None


def _own_fields(aspect: str, scope: Scope, value: Mapping[str, Any]) -> Iterator[Descriptor]:
    """A property `schema` of machines with an Avro schema gives its fields too (spec SEARCH-8)."""
    properties = value.get("properties")
    if scope == "SYSTEM" and isinstance(properties, Mapping):
        yield from _fields(fields_of_avro(properties.get(SCHEMA_KEY)), aspect, scope)


def _schema_fields(aspect: str, scope: Scope, value: Mapping[str, Any]) -> Iterator[Descriptor]:
    yield from _fields(fields_of_columns(value.get("fields")), aspect, scope)


def _fields(fields: Iterable[tuple[str, str]], aspect: str, scope: Scope) -> Iterator[Descriptor]:
    for path, type_ in fields:
        yield Descriptor("field", SCHEMA_KEY, path, aspect, scope, detail=type_)


def _structured(aspect: str, scope: Scope, value: Mapping[str, Any]) -> Iterator[Descriptor]:
    """DataHub's structured properties: each value is a property under the key of its definition."""
    for one in at(value, ("properties", "*")):
        urn = one.get("propertyUrn") if isinstance(one, Mapping) else None
        if isinstance(urn, str):
            for item in at(one, ("values", "*", "*")):
                if (text := _text(item)) is not None:
                    yield Descriptor("property", reference_text(urn), text, aspect, scope)


def _instance(aspect: str, scope: Scope, value: Mapping[str, Any]) -> Iterator[Descriptor]:
    for tag in tags_of(value):
        yield Descriptor("tag", TAGS_KEY, tag, aspect, scope)
    for key, text in texts_of(value):
        yield Descriptor(_KIND_OF_PROPERTY.get(key, "property"), key, text, aspect, scope)


_SPECIAL: Final = {
    "technicalMetadata": _own_fields,
    "schemaMetadata": _schema_fields,
    "structuredProperties": _structured,
    "instance": _instance,
}


def _annotations(
    root: Mapping[str, Any], schema: object, path: tuple[str, ...], found: list[Contribution], depth: int
) -> None:
    if not isinstance(schema, Mapping) or depth > _DEPTH_MAX or len(found) >= _CONTRIBUTIONS_MAX:
        return
    kind = next((one for one in ANNOTATED if one == schema.get(ANNOTATION)), None)
    if kind is not None and path:
        key = next((step for step in reversed(path) if step != "*"), "")
        found.append(Contribution(kind, path, KEY_OF.get(kind, key)))
        return
    if isinstance(reference := schema.get("$ref"), str) and reference.startswith("#/"):
        (target,) = list(at(root, tuple(reference[2:].split("/"))))[:1] or [None]
        _annotations(root, target, path, found, depth + 1)
    properties = schema.get("properties")
    for name, below in properties.items() if isinstance(properties, Mapping) else ():
        _annotations(root, below, (*path, name), found, depth + 1)
    for keyword in ("items", "additionalProperties"):
        _annotations(root, schema.get(keyword), (*path, "*"), found, depth + 1)
