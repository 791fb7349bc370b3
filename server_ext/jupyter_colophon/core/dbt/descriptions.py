"""What dbt describes, as edits of aspects. What other clients wrote stays: entries of dbt are marked with its project."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from jupyter_colophon.core.dbt.nodes import DbtColumn, DbtNode
from jupyter_colophon.core.dbt.tables import DbtEntity
from jupyter_colophon.core.entities.entity_edit import AspectEdit, Document, EntityEdit
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import encode_urn_text
from jupyter_colophon.core.openlineage.aspects import make_owner_urn
from jupyter_colophon.core.openlineage.field_types import map_field_type
from jupyter_colophon.core.quality.imported import ImportedDataset
from jupyter_colophon.core.quality.results import list_expectations

_PREFIX: Final = "dbt."
PROJECT: Final = f"{_PREFIX}project"
NODE: Final = f"{_PREFIX}node"
_SOURCE: Final = "source"
_NEVER: Final = {"time": 0, "actor": "urn:li:corpuser:unknown"}
_UNKNOWN_TYPE: Final = "unknown"


def describe_entity(entity: DbtEntity, project: str) -> Iterator[EntityEdit]:
    """Yield the edits of a node's dataset and job."""
    if entity.dataset:
        yield EntityEdit(entity.dataset, dict(_edit_dataset(entity, project)))
    if entity.job:
        yield EntityEdit(entity.job, dict(_edit_job(entity, project)))


def replace_expectations(imported: ImportedDataset, ids: Sequence[str]) -> AspectEdit:
    """Return the edit that replaces dbt's expectations with ids that begin with one of `ids`; others are kept."""

    def edit(stored: Document) -> Document:
        kept = {id_: one for id_, one in list_expectations(stored).items() if not id_.startswith(tuple(ids))}
        return {"expectations": {**kept, **imported.expectations}} if stored or imported.expectations else {}

    return edit


def _edit_dataset(entity: DbtEntity, project: str) -> Iterator[tuple[str, AspectEdit]]:
    node = entity.node
    yield "datasetProperties", partial(_edit_properties, node=node, project=project)
    if node.columns:
        yield "schemaMetadata", partial(_edit_schema, urn=entity.dataset, node=node, project=project)
    yield from _edit_tags_and_owners(node, project)
    if node.is_view and node.sql:
        view = {
            "materialized": node.materialized != "view",
            "viewLogic": node.sql,
            "viewLanguage": node.language.upper(),
        }
        yield "viewProperties", lambda stored: {**stored, **view}
    yield "status", _restore


def _edit_job(entity: DbtEntity, project: str) -> Iterator[tuple[str, AspectEdit]]:
    node = entity.node
    lineage = {"inputDatasets": list(entity.inputs), "outputDatasets": [entity.dataset] if entity.dataset else []}
    yield "dataJobInfo", partial(_edit_job_info, node=node, project=project)
    yield "dataJobInputOutput", lambda stored: {**stored, **lineage}
    if node.sql:
        language = "SQL" if node.language == "sql" else "UNKNOWN"
        logic = {"transforms": [{"queryStatement": {"value": node.sql, "language": language}}]}
        yield "dataTransformLogic", lambda stored: {**stored, **logic}
    if node.kind == "exposure":
        yield from _edit_tags_and_owners(node, project)
    yield "status", _restore


def _edit_tags_and_owners(node: DbtNode, project: str) -> Iterator[tuple[str, AspectEdit]]:
    yield "globalTags", partial(_edit_tags, tags=node.tags, project=project)
    yield "ownership", partial(_edit_owners, owners=node.owners, project=project)


def _restore(stored: Document) -> Document:
    """Return the status of an entity that the project has, also if it was removed before."""
    return {**stored, "removed": False} if stored.get("removed") else stored


def _edit_properties(stored: Document, node: DbtNode, project: str) -> Document:
    if _is_source_of_another_project(stored, node):
        return stored
    named = {"name": node.table, **({"description": node.description} if node.description else {})}
    return {**stored, **named, "customProperties": _merge_properties(stored, node, project)}


def _edit_job_info(stored: Document, node: DbtNode, project: str) -> Document:
    info = {
        "name": node.name,
        "description": node.description,
        "externalUrl": node.url,
        "type": {"string": (node.exposure_type or node.kind).upper()},
        "customProperties": _merge_properties(stored, node, project),
    }
    return {**stored, **{name: value for name, value in info.items() if value}}


def _merge_properties(stored: Mapping[str, Any], node: DbtNode, project: str) -> dict[str, str]:
    others = {
        key: value for key, value in (stored.get("customProperties") or {}).items() if not key.startswith(_PREFIX)
    }
    ours = {
        PROJECT: project,
        NODE: node.id,
        f"{_PREFIX}type": node.kind,
        f"{_PREFIX}materialized": node.materialized,
        f"{_PREFIX}path": node.path,
    }
    return {**others, **{key: value for key, value in ours.items() if value}}


def _is_source_of_another_project(stored: Document, node: DbtNode) -> bool:
    """Return whether a source is a table that another project builds, and describes itself."""
    kind = (stored.get("customProperties") or {}).get(f"{_PREFIX}type", _SOURCE)
    return node.kind == _SOURCE and kind != _SOURCE


def _edit_tags(stored: Document, tags: Sequence[str], project: str) -> Document:
    mark = _make_mark(project)
    kept = [one for one in stored.get("tags") or () if one.get("context") != mark]
    present = {one["tag"] for one in kept}
    urns = dict.fromkeys(f"urn:li:tag:{encode_urn_text(tag)}" for tag in tags)
    ours = [{"tag": urn, "context": mark} for urn in urns if urn not in present]
    return {**stored, "tags": [*kept, *ours]} if stored or ours else {}


def _edit_owners(stored: Document, owners: Sequence[str], project: str) -> Document:
    source = {"type": "SOURCE_CONTROL", "url": _make_mark(project)}
    kept = [one for one in stored.get("owners") or () if one.get("source") != source]
    present = {one["owner"] for one in kept}
    urns = dict.fromkeys(map(make_owner_urn, owners))
    ours = [{"owner": urn, "type": "TECHNICAL_OWNER", "source": source} for urn in urns if urn not in present]
    if not stored and not ours:
        return {}
    return {"ownerTypes": {}, "lastModified": _NEVER, **stored, "owners": [*kept, *ours]}


def _make_mark(project: str) -> str:
    return f"dbt:{project}"


def _edit_schema(stored: Document, urn: str, node: DbtNode, project: str) -> Document:
    """Return the schema with the columns of the catalog; without a catalog, that of others with dbt's descriptions."""
    fields = {field["fieldPath"]: field for field in stored.get("fields") or ()}
    columns = {column.name: column for column in node.columns}
    if node.has_all_columns or not fields:
        edited = [_edit_field(fields.get(column.name, {}), column, project) for column in columns.values()]
    else:
        by_name = {name.lower(): column for name, column in columns.items()}
        edited = [_describe_field(field, by_name.get(path.lower()), project) for path, field in fields.items()]
    if stored:
        return {**stored, "fields": edited}
    parts = Urn.parse(urn).parts
    return {
        "schemaName": parts[1],
        "platform": parts[0],
        "version": 0,
        "hash": "",
        "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}},
        "fields": edited,
    }


def _edit_field(stored: Document, column: DbtColumn, project: str) -> Document:
    native = column.type or stored.get("nativeDataType") or _UNKNOWN_TYPE
    typed: Document = {
        "fieldPath": column.name,
        "nativeDataType": native,
        "type": {"type": {f"com.linkedin.schema.{map_field_type(native)}": {}}},
    }
    usual = {"nullable": True, "recursive": False, "isPartOfKey": False}
    return _describe_field({**usual, **stored, **typed}, column, project)


def _describe_field(field: Document, column: DbtColumn | None, project: str) -> Document:
    if column is None:
        return field
    described = {**field, **({"description": column.description} if column.description else {})}
    tags = _edit_tags(field.get("globalTags") or {}, column.tags, project)
    return {**described, "globalTags": tags} if tags else described
