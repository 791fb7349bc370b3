"""Project values of aspects to one vocabulary: tags, terms, owners, domains, descriptions, properties, fields.

`CONTRIBUTIONS` is the table. `describe` projects a value of an aspect to `Descriptor`s: each has its aspect, its scope,
the URN of the entity that it refers to (if it is a reference), and the column that it describes (if it does not
describe the entity itself). Search rows, facets, keys, `%metadata`, masks, crawls, the entity page and every API read
descriptors instead of aspects:

* `describe(aspect, scope, value, annotated)` returns the descriptors of one value; `annotated` is
  `AspectSpec.contributes`, which is only filled for aspects of a registry extension.
* `list_members_shown_by_descriptors(aspect, annotated)` names the members of a value that descriptors show completely.
* `find_contributions_of_schema(schema)` reads these from a schema: a subschema with the keyword `x-colophon` (docs/registry.md).
* `simplify_column_path(path)` is the plain path of a column, without the types in DataHub's paths of the second
  version.

`text` of a reference is the key of its URN: the name of the referenced entity may change without a change here, so
readers look names up (service/entities/display_names.py) and search resolves them at query time
(service/entities/reference_names.py).
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, get_args

from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.urn import PREFIX, Urn
from jupyter_colophon.core.instances.instance_texts import list_instance_tags, list_instance_texts
from jupyter_colophon.core.model.relationships import ANY, list_values_at_path
from jupyter_colophon.core.model.schema_fields import list_fields_of_avro, list_fields_of_columns
from jupyter_colophon.core.model.schema_fields import simplify_column_path as simplify_column_path

Scope = Literal["USER", "SYSTEM"]
Kind = Literal[
    "tag",
    "term",
    "owner",
    "domain",
    "description",
    "property",
    "link",
    "name",
    "field",
    "certification",
    "quality",
    "state",
    "assignee",
]

TAGS_KEY: Final = "tags"
TERMS_KEY: Final = "terms"
OWNER_KEY: Final = "owner"
DOMAIN_KEY: Final = "domain"
DESCRIPTION_KEY: Final = "description"
SCHEMA_KEY: Final = "schema"
#: The text of a certification that does not expire.
NEVER: Final = "never"
#: The keys under which search finds descriptors that are not properties.
KEY_OF: Final[Mapping[Kind, str]] = {
    "tag": TAGS_KEY,
    "term": TERMS_KEY,
    "owner": OWNER_KEY,
    "domain": DOMAIN_KEY,
    "description": DESCRIPTION_KEY,
    "link": "link",
    "name": "name",
    "field": SCHEMA_KEY,
    "certification": "certified",
    "quality": "quality",
    "state": "state",
    "assignee": "assignee",
}
#: Properties with a meaning of their own: what users write in `businessMetadata` under these keys.
_KIND_OF_PROPERTY: Final[Mapping[str, Kind]] = {OWNER_KEY: "owner", DESCRIPTION_KEY: "description"}
#: The keyword of a subschema that declares what its values contribute, and the values of the keyword.
ANNOTATION: Final = "x-colophon"
ANNOTATED: Final[tuple[Kind, ...]] = tuple(
    kind for kind in get_args(Kind) if kind not in ("field", "certification", "quality", "state", "assignee")
)
_DEPTH_MAX: Final = 12
#: The most contributions of a schema, and descriptors of a value besides fields.
_CONTRIBUTIONS_MAX: Final = 100
_DESCRIPTORS_MAX: Final = 20_000


class Descriptor(NamedTuple):
    """A value of the vocabulary.

    `text` is the original text, of a reference the key of `urn`. `column` is the plain path of the described column,
    empty for the entity itself. `detail` is the type of an owner or a field, or the text of a link.
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
    """A path in the values of an aspect whose texts become descriptors of a kind; `*` is any item or member.

    With `member`, items at the path are objects with the text in that member, and more of it under `detail`. A path to
    an object gives one property for each of its texts; with `has_kinds`, the members `owner` and `description` are of
    these kinds. `columns` is the path to the columns that are described.
    """

    kind: Kind
    path: tuple[str, ...]
    key: str = ""
    member: str = ""
    detail: str = ""
    columns: tuple[str, ...] = field(default=())
    has_kinds: bool = False

    @property
    def first_step(self) -> str:
        """The member of a value with what is described."""
        return (self.columns or self.path)[0]

    def may_contribute_kind(self, kind: Kind) -> bool:
        """Return whether it may contribute descriptors of this kind."""
        return self.kind == kind or (self.has_kinds and kind in _KIND_OF_PROPERTY.values())


def _make_contribution(
    kind: Kind, path: str, *, key: str = "", member: str = "", detail: str = "", columns: str = ""
) -> Contribution:
    above = tuple(columns.split("/")) if columns else ()
    return Contribution(kind, tuple(path.split("/")), key, member, detail, above)


def _make_column_contributions(columns: str) -> tuple[Contribution, ...]:
    """Return the contributions of columns in DataHub's format."""
    return (
        _make_contribution("tag", "globalTags/tags/*/tag", columns=columns),
        _make_contribution("term", "glossaryTerms/terms/*/urn", columns=columns),
        _make_contribution("description", "description", columns=columns),
    )


_PROPERTIES: Final = (Contribution("property", ("properties",), has_kinds=True), _make_contribution("tag", "tags/*"))
#: Members that DataHub's aspects about an entity have in common. Clients copy anything into `customProperties`, such as
#: dbt's `meta.owner`, which is in `ownership` too: an owner there is an ordinary property.
_ABOUT: Final = (
    _make_contribution("name", "name"),
    _make_contribution("description", "description"),
    _make_contribution("property", "customProperties"),
)
_SHOWN: Final = (
    _make_contribution("name", "displayName"),
    _make_contribution("description", "description"),
    _make_contribution("property", "customProperties"),
)
_TITLED: Final = (
    _make_contribution("name", "title"),
    _make_contribution("description", "description"),
    _make_contribution("property", "customProperties"),
)
_DEFINED: Final = (
    _make_contribution("name", "name"),
    _make_contribution("description", "definition"),
    _make_contribution("property", "customProperties"),
)
_EDITED: Final = (_make_contribution("name", "name"), _make_contribution("description", "description"))

#: What each aspect contributes.
CONTRIBUTIONS: Final[Mapping[str, tuple[Contribution, ...]]] = {
    "businessMetadata": _PROPERTIES,
    "technicalMetadata": _PROPERTIES,
    "globalTags": (_make_contribution("tag", "tags/*/tag"),),
    "glossaryTerms": (_make_contribution("term", "terms/*/urn"),),
    "ownership": (_make_contribution("owner", "owners/*", member="owner", detail="type"),),
    "domains": (_make_contribution("domain", "domains/*"),),
    "institutionalMemory": (_make_contribution("link", "elements/*", member="url", detail="description"),),
    "documentation": (_make_contribution("description", "documentations/*/documentation"),),
    "schemaMetadata": _make_column_contributions("fields/*"),
    "editableSchemaMetadata": _make_column_contributions("editableSchemaFieldInfo/*"),
    "structuredProperties": (),
    "instance": (),
    "certification": (),
    "quality": (_make_contribution("quality", "status"),),
    "request": (
        _make_contribution("name", "text"),
        _make_contribution("assignee", "assignees/*"),
        _make_contribution("state", "state"),
        _make_contribution("property", "about", key="about"),
        _make_contribution("property", "kind", key="kind"),
        _make_contribution("description", "comments/*/text"),
    ),
    "glossaryTermInfo": _DEFINED,
    "glossaryNodeInfo": _DEFINED,
    "corpUserInfo": (
        _make_contribution("name", "displayName"),
        _make_contribution("name", "fullName"),
        _make_contribution("property", "customProperties"),
    ),
    "corpUserEditableInfo": (_make_contribution("name", "displayName"), _make_contribution("description", "aboutMe")),
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
#: Members without a path in the table that descriptors show completely: they repeat other members, or are read by
#: `_SPECIAL`.
_ALSO_DESCRIBED: Final[Mapping[str, tuple[str, ...]]] = {
    "ownership": ("ownerTypes",),
    "structuredProperties": ("properties",),
    "certification": ("certifiedBy", "until", "note"),
}
#: The aspects that name their entity, in order of preference; others in the table only describe it.
NAMING: Final[Mapping[str, tuple[str, ...]]] = {
    "tag": ("tagProperties",),
    "glossaryTerm": ("glossaryTermInfo",),
    "glossaryNode": ("glossaryNodeInfo",),
    "domain": ("domainProperties",),
    "corpuser": ("corpUserEditableInfo", "corpUserInfo"),
    "corpGroup": ("corpGroupInfo",),
    "dataProduct": ("dataProductProperties",),
    "dataFlow": ("dataFlowInfo",),
    "dataJob": ("dataJobInfo",),
    "request": ("request",),
}
#: The entity types that descriptors of each kind refer to.
REFERRED: Final[Mapping[Kind, tuple[str, ...]]] = {
    "tag": ("tag",),
    "term": ("glossaryTerm",),
    "owner": ("corpuser", "corpGroup"),
    "domain": ("domain",),
}


def list_descriptors_of_value(
    aspect: str, scope: Scope, value: object, annotated: tuple[Contribution, ...] = ()
) -> Iterator[Descriptor]:
    """Yield the descriptors of an aspect's value; none for an aspect that contributes nothing, or without a value."""
    contributions = CONTRIBUTIONS.get(aspect, annotated)
    if not isinstance(value, Mapping):
        return
    count = 0
    for contribution in contributions:
        # Most values have few of the members that contribute.
        if contribution.first_step not in value and contribution.first_step != ANY:
            continue
        for descriptor in _list_descriptors_of_contribution(contribution, aspect, scope, value):
            yield descriptor
            count += 1
            if count >= _DESCRIPTORS_MAX:
                break
    if (special := _SPECIAL.get(aspect)) is not None:
        yield from special(aspect, scope, value)


def has_contributions(aspect: str, annotated: tuple[Contribution, ...] = ()) -> bool:
    """Return whether an aspect with this name and these annotations contributes anything."""
    return aspect in CONTRIBUTIONS or bool(annotated)


def may_have_descriptors(aspect: str, annotated: tuple[Contribution, ...] = ()) -> bool:
    """Return whether values of an aspect with this name and these annotations may have descriptors."""
    return has_contributions(aspect, annotated) or aspect in _SPECIAL


def list_members_shown_by_descriptors(aspect: str, annotated: tuple[Contribution, ...] = ()) -> tuple[str, ...]:
    """Return the members of a value that the descriptors of the entity itself show completely, sorted.

    Of an annotated schema only the annotations are known: a member counts if the annotated value has no siblings.
    """
    listed = CONTRIBUTIONS.get(aspect)
    if listed is not None:
        members = {contribution.path[0] for contribution in listed if not contribution.columns}
    else:
        members = {contribution.path[0] for contribution in annotated if set(contribution.path[1:]) <= {"*"}}
    return tuple(sorted(members.union(_ALSO_DESCRIBED.get(aspect, ()))))


def may_contribute_kind(kind: Kind, aspect: str, annotated: tuple[Contribution, ...] = ()) -> bool:
    """Return whether values of an aspect with this name and these annotations may contribute this kind."""
    return any(contribution.may_contribute_kind(kind) for contribution in CONTRIBUTIONS.get(aspect, annotated))


def find_contributions_of_schema(schema: Mapping[str, Any]) -> tuple[Contribution, ...]:
    """Return the contributions that a schema declares by `x-colophon`; unknown annotations are ignored."""
    contributions: list[Contribution] = []
    _collect_contributions_of_schema(schema, schema, (), contributions, 0)
    return tuple(contributions[:_CONTRIBUTIONS_MAX])


def format_reference_text(urn: str) -> str:
    """Return the text of a reference to an entity without a known name: the key of its URN, or the key's last part."""
    if not urn.startswith(PREFIX):
        return urn
    return _get_urn_key(urn)


def get_unresolved_name(descriptor: Descriptor) -> str:
    """Return the name of what a descriptor refers to if the entity has none, or the text if it is not a reference."""
    return format_reference_text(descriptor.urn) if descriptor.urn else descriptor.text


@lru_cache(maxsize=4_096)
def _get_urn_key(urn: str) -> str:
    try:
        return Urn.parse(urn).parts[-1]
    except InvalidName:
        # Texts in schemas that are not valid names are shown unchanged.
        return urn


def _list_descriptors_of_contribution(
    contribution: Contribution, aspect: str, scope: Scope, value: Mapping[str, Any]
) -> Iterator[Descriptor]:
    if contribution.columns:
        return _list_descriptors_of_columns(contribution, aspect, scope, value)
    return _list_descriptors_at_path(contribution, aspect, scope, value, "")


def _list_descriptors_of_columns(
    contribution: Contribution, aspect: str, scope: Scope, value: Mapping[str, Any]
) -> Iterator[Descriptor]:
    for column in list_values_at_path(value, contribution.columns):
        path = column.get("fieldPath") if isinstance(column, Mapping) else None
        # Most columns have a name and a type, and nothing else.
        if isinstance(path, str) and path and contribution.path[0] in column:
            yield from _list_descriptors_at_path(contribution, aspect, scope, column, simplify_column_path(path))


def _list_descriptors_at_path(
    contribution: Contribution, aspect: str, scope: Scope, value: Any, column: str
) -> Iterator[Descriptor]:
    for item in list_values_at_path(value, contribution.path):
        detail: object = ""
        if contribution.member:
            if not isinstance(item, Mapping):
                continue
            detail, item = item.get(contribution.detail), item.get(contribution.member)
        if contribution.kind == "property" and isinstance(item, Mapping):
            yield from _list_property_descriptors(
                item, aspect, scope, column, _KIND_OF_PROPERTY if contribution.has_kinds else {}
            )
        elif (text := _convert_item_to_text(item)) is not None:
            key = contribution.key or KEY_OF.get(contribution.kind, contribution.path[-1])
            yield _make_descriptor(
                contribution.kind, key, text, aspect, scope, column, detail if isinstance(detail, str) else ""
            )


def _list_property_descriptors(
    properties: Mapping[str, Any], aspect: str, scope: Scope, column: str, kinds: Mapping[str, Kind]
) -> Iterator[Descriptor]:
    for key, text in properties.items():
        if isinstance(text, str):
            yield _make_descriptor(kinds.get(key, "property"), key, text, aspect, scope, column)


def _make_descriptor(
    kind: Kind, key: str, text: str, aspect: str, scope: Scope, column: str = "", detail: str = ""
) -> Descriptor:
    if (kind in REFERRED or kind == "assignee") and text.startswith(PREFIX):
        return Descriptor(kind, key, _get_urn_key(text), aspect, scope, text, column, detail)
    return Descriptor(kind, key, text, aspect, scope, "", column, detail)


def _convert_item_to_text(item: object) -> str | None:
    if isinstance(item, str):
        return item or None
    if isinstance(item, bool | int | float):
        return json.dumps(item)
    return None


def _list_avro_field_descriptors(aspect: str, scope: Scope, value: Mapping[str, Any]) -> Iterator[Descriptor]:
    """Yield the fields of an Avro schema in a SYSTEM property `schema` (spec SEARCH-8)."""
    properties = value.get("properties")
    if scope == "SYSTEM" and isinstance(properties, Mapping):
        yield from _list_field_descriptors(list_fields_of_avro(properties.get(SCHEMA_KEY)), aspect, scope)


def _list_schema_field_descriptors(aspect: str, scope: Scope, value: Mapping[str, Any]) -> Iterator[Descriptor]:
    yield from _list_field_descriptors(list_fields_of_columns(value.get("fields")), aspect, scope)


def _list_field_descriptors(fields: Iterable[tuple[str, str]], aspect: str, scope: Scope) -> Iterator[Descriptor]:
    for path, type_ in fields:
        yield Descriptor("field", SCHEMA_KEY, path, aspect, scope, detail=type_)


def _list_structured_property_descriptors(aspect: str, scope: Scope, value: Mapping[str, Any]) -> Iterator[Descriptor]:
    """Yield DataHub's structured properties: each value is a property under the key of its definition."""
    for assignment in list_values_at_path(value, ("properties", "*")):
        urn = assignment.get("propertyUrn") if isinstance(assignment, Mapping) else None
        if isinstance(urn, str):
            for item in list_values_at_path(assignment, ("values", "*", "*")):
                if (text := _convert_item_to_text(item)) is not None:
                    yield Descriptor("property", format_reference_text(urn), text, aspect, scope)


def _list_instance_descriptors(aspect: str, scope: Scope, value: Mapping[str, Any]) -> Iterator[Descriptor]:
    for tag in list_instance_tags(value):
        yield Descriptor("tag", TAGS_KEY, tag, aspect, scope)
    for key, text in list_instance_texts(value):
        yield Descriptor(_KIND_OF_PROPERTY.get(key, "property"), key, text, aspect, scope)


def _list_certification_descriptors(aspect: str, scope: Scope, value: Mapping[str, Any]) -> Iterator[Descriptor]:
    """Yield the certification: its last day (`never` if it does not expire), who certified, and the note."""
    by, until, note = (str(value.get(name) or "") for name in ("certifiedBy", "until", "note"))
    if by.startswith(PREFIX):
        key = KEY_OF["certification"]
        yield Descriptor("certification", key, until or NEVER, aspect, scope, by, detail=note)


_SPECIAL: Final = {
    "certification": _list_certification_descriptors,
    "technicalMetadata": _list_avro_field_descriptors,
    "schemaMetadata": _list_schema_field_descriptors,
    "structuredProperties": _list_structured_property_descriptors,
    "instance": _list_instance_descriptors,
}


def _collect_contributions_of_schema(
    root: Mapping[str, Any], schema: object, path: tuple[str, ...], contributions: list[Contribution], depth: int
) -> None:
    if not isinstance(schema, Mapping) or depth > _DEPTH_MAX or len(contributions) >= _CONTRIBUTIONS_MAX:
        return
    kind = next((annotation for annotation in ANNOTATED if annotation == schema.get(ANNOTATION)), None)
    if kind is not None and path:
        key = next((step for step in reversed(path) if step != "*"), "")
        contributions.append(Contribution(kind, path, KEY_OF.get(kind, key)))
        return
    if isinstance(reference := schema.get("$ref"), str) and reference.startswith("#/"):
        (target,) = list(list_values_at_path(root, tuple(reference[2:].split("/"))))[:1] or [None]
        _collect_contributions_of_schema(root, target, path, contributions, depth + 1)
    properties = schema.get("properties")
    for name, below in properties.items() if isinstance(properties, Mapping) else ():
        _collect_contributions_of_schema(root, below, (*path, name), contributions, depth + 1)
    for keyword in ("items", "additionalProperties"):
        _collect_contributions_of_schema(root, schema.get(keyword), (*path, "*"), contributions, depth + 1)
