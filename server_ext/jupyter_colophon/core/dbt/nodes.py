"""The nodes of dbt's manifest: models, seeds, snapshots, sources and exposures, with what the catalog adds."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from jupyter_colophon.core.credentials import mask_secrets_in_text
from jupyter_colophon.core.dbt.artifacts import DbtArtifacts, get_list, get_text
from jupyter_colophon.core.quality.imported import get_mapping_or_empty

Kind = Literal["model", "seed", "snapshot", "source", "exposure"]
_EPHEMERAL: Final = "ephemeral"
_PART: Final = re.compile(r'"((?:[^"]|"")*)"|`([^`]*)`|([^."`]+)')
_DESCRIPTION_MAX: Final = 100_000
#: Longer statements are left out: nobody reads them, and an aspect is a text that is searched.
_SQL_MAX: Final = 200_000


@dataclass(frozen=True, slots=True)
class DbtColumn:
    """A column: its name and type in the database if the catalog has it, else as it is written in the project."""

    name: str
    type: str
    description: str
    tags: Sequence[str]


@dataclass(frozen=True, slots=True)
class DbtNode:
    """A node of the manifest. `columns` are complete if they are from the catalog."""

    id: str
    kind: Kind
    #: What people call it: the label of an exposure, else its name.
    name: str
    database: str
    schema: str
    table: str
    description: str
    columns: Sequence[DbtColumn]
    has_all_columns: bool
    tags: Sequence[str]
    #: As written: an address or a name; groups as `group:<name>`.
    owners: Sequence[str]
    parents: Sequence[str]
    materialized: str
    path: str
    sql: str
    language: str
    #: Of an exposure: `dashboard`, `notebook`, …
    exposure_type: str
    url: str

    @property
    def is_ephemeral(self) -> bool:
        """Whether it is a part of the statements that read it, and no table."""
        return self.materialized == _EPHEMERAL

    @property
    def is_view(self) -> bool:
        """Whether the database evaluates its statement when it is read."""
        return self.materialized in ("view", "materialized_view")


def read_nodes(artifacts: DbtArtifacts) -> dict[str, DbtNode]:
    """Return the nodes of a project and its packages by their ids; those of other kinds are left out."""
    groups = get_mapping_or_empty(artifacts.manifest.get("groups"))
    nodes = (_read_node(id_, node, artifacts, groups) for id_, node in _list_documents(artifacts.manifest))
    return {node.id: node for node in nodes}


def _list_documents(manifest: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for part in ("sources", "nodes", "exposures"):
        for id_, node in get_mapping_or_empty(manifest.get(part)).items():
            if isinstance(node, Mapping) and node.get("resource_type") in get_args(Kind):
                yield id_, node


def _read_node(id_: str, node: Mapping[str, Any], artifacts: DbtArtifacts, groups: Mapping[str, Any]) -> DbtNode:
    kind: Kind = node["resource_type"]
    config = get_mapping_or_empty(node.get("config"))
    described = _find_catalog_entry(id_, artifacts.catalog)
    sql = get_text(node.get("compiled_code")).strip()
    place = _find_place(node, artifacts.adapter)
    return DbtNode(
        id=id_,
        kind=kind,
        name=get_text(node.get("label")) or get_text(node.get("name")) or id_.rpartition(".")[2],
        database=place[0],
        schema=place[1],
        table=place[2],
        description=get_text(node.get("description")).strip()[:_DESCRIPTION_MAX],
        columns=list(_list_columns(get_mapping_or_empty(node.get("columns")), described)),
        has_all_columns=bool(described),
        tags=_list_tags(node),
        owners=list(_list_owners(node, groups)),
        parents=[
            parent for parent in get_list(get_mapping_or_empty(node.get("depends_on")).get("nodes")) if get_text(parent)
        ],
        materialized=get_text(config.get("materialized")) if kind != "source" else "",
        path=get_text(node.get("original_file_path")),
        sql=mask_secrets_in_text(sql) if len(sql) <= _SQL_MAX else "",
        language=get_text(node.get("language")) or "sql",
        exposure_type=get_text(node.get("type")) if kind == "exposure" else "",
        url=get_text(node.get("url")) if kind == "exposure" else "",
    )


def _find_place(node: Mapping[str, Any], adapter: str) -> tuple[str, str, str]:
    """Return database, schema and name of a node's table as the database spells them."""
    table = get_text(node.get("identifier")) or get_text(node.get("alias")) or get_text(node.get("name"))
    place = get_text(node.get("database")), get_text(node.get("schema")), table
    if adapter != "snowflake":
        return place
    # Snowflake folds names without quotes to upper case.
    parts = _PART.findall(get_text(node.get("relation_name")))
    named = [quoted.replace('""', '"') or other or plain.strip().upper() for quoted, other, plain in parts]
    return (named[0], named[1], named[2]) if len(named) == 3 else (place[0].upper(), place[1].upper(), table.upper())


def _find_catalog_entry(id_: str, catalog: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the columns of a table in the catalog by name; empty if the catalog does not have it."""
    for part in ("nodes", "sources"):
        if entry := get_mapping_or_empty(get_mapping_or_empty((catalog or {}).get(part)).get(id_)):
            return get_mapping_or_empty(entry.get("columns"))
    return {}


def _list_columns(written: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[DbtColumn]:
    """Yield the columns of the catalog in their order, or else those that the project describes."""
    by_name = {name.lower(): get_mapping_or_empty(column) for name, column in written.items()}
    if not found:
        for name, column in written.items():
            yield _make_column(
                get_text(get_mapping_or_empty(column).get("name")) or name, get_mapping_or_empty(column), {}
            )
        return
    for name, column in sorted(found.items(), key=lambda item: _get_position(item[1])):
        yield _make_column(name, by_name.get(name.lower(), {}), get_mapping_or_empty(column))


def _get_position(column: Any) -> int:
    position = get_mapping_or_empty(column).get("index")
    return position if isinstance(position, int) else 0


def _make_column(name: str, written: Mapping[str, Any], found: Mapping[str, Any]) -> DbtColumn:
    description = get_text(written.get("description")).strip() or get_text(found.get("comment")).strip()
    type_ = get_text(found.get("type")) or get_text(written.get("data_type"))
    return DbtColumn(name, type_, description[:_DESCRIPTION_MAX], _list_tags(written))


def _list_tags(described: Mapping[str, Any]) -> list[str]:
    """Return the tags of a node or a column, which newer versions also have in its `config`."""
    places = (described.get("tags"), get_mapping_or_empty(described.get("config")).get("tags"))
    return list(dict.fromkeys(tag.strip() for place in places for tag in get_list(place) if get_text(tag).strip()))


def _list_owners(node: Mapping[str, Any], groups: Mapping[str, Any]) -> Iterator[str]:
    """Yield `meta.owner`, the owner of an exposure, and the group, each once."""
    metas = (node.get("meta"), get_mapping_or_empty(node.get("config")).get("meta"))
    owners = [owner for meta in metas for owner in _split_owner(get_mapping_or_empty(meta).get("owner"))]
    owners += _split_owner(node.get("owner"))
    group = get_text(node.get("group")) or get_text(get_mapping_or_empty(node.get("config")).get("group"))
    if group and any(get_mapping_or_empty(entry).get("name") == group for entry in groups.values()):
        owners.append(f"group:{group}")
    yield from dict.fromkeys(owners)


def _split_owner(owner: Any) -> list[str]:
    """Return the owners in a text, in a list of texts, or in an object with an address or a name."""
    if isinstance(owner, Mapping):
        emails = owner.get("email")
        owner = emails or owner.get("name")
    return [text.strip() for text in (owner if isinstance(owner, list) else [owner]) if get_text(text).strip()]
