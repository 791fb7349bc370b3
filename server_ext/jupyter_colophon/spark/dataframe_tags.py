"""Tags of the source fields of a DataFrame: `metadata.tags_of(df)` and the like (docs/magic.md)."""

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from jupyter_colophon.capture.value_fields import find_value_fields, find_value_origin, list_value_datasets
from jupyter_colophon.client.absence import read_or_none_if_absent
from jupyter_colophon.client.api.current_connection import send_pending_and_get_api
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.nesting import group_nested_paths_by_parent
from jupyter_colophon.client.programs.reading import Scope
from jupyter_colophon.core.identity.short_names import shorten_urn

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

#: Tags of an entity.
Words = tuple[str, ...]


class DataFrameTags(Mapping[str, Words]):
    """The tags of each column's source fields, by column name; `datasets` has the tags of the datasets."""

    def __init__(self, columns: Mapping[str, Mapping[str, Words]], datasets: Mapping[str, Words]) -> None:
        self._columns = columns
        #: Tags by the URN of a dataset.
        self.datasets = dict(datasets)

    def __getitem__(self, column: str) -> Words:
        return tuple(sorted({tag for tags in self._columns[column].values() for tag in tags}))

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return f"Tags({ {name: self[name] for name in self} }, datasets={self.datasets})"

    def columns_with(self, tag: str) -> list[str]:
        """Return the columns whose values come from a field with this tag."""
        return [name for name in self if tag in self[name]]

    def sources(self, column: str, tag: str) -> list[str]:
        """Return the fields from which a column has a tag, by short names such as `hr.staff#ssn`. Raises KeyError for an unknown column."""
        return [shorten_urn(urn) for urn, tags in self._columns[column].items() if tag in tags]


def tags_of(data: Any, scope: Scope | None = None) -> DataFrameTags:
    """Return the tags that columns of a DataFrame inherit from their source fields, through joins, functions and views.

    Both scopes are read, or the given one, with a request for each dataset and for each field that has metadata. Raises
    TypeError unless `data` is a DataFrame of a classic Spark session, or a frame that a captured library read or computed;
    ServerUnavailable, RequestFailed.
    """
    fields, datasets = fields_of(data), sources_of(data)
    catalog = send_pending_and_get_api().catalog
    dataset_tags = {entity.urn: _read_tags(catalog, entity, scope) for entity in datasets}
    described = {entity: set(_list_fields_with_metadata(catalog, entity)) for entity in datasets}
    nested = {
        entity: group_nested_paths_by_parent(field.path for field in those) for entity, those in described.items()
    }
    inside = {
        entity: _list_nested_fields_with_metadata(
            entity, described.get(entity.parent, set()), nested.get(entity.parent, {})
        )
        for origins in fields.values()
        for entity in origins
    }
    field_tags = {
        entity.urn: _read_tags(catalog, entity, scope) for entity in dict.fromkeys(chain.from_iterable(inside.values()))
    }
    columns = {
        name: {each.urn: field_tags[each.urn] for entity in origins for each in inside[entity]}
        for name, origins in fields.items()
    }
    return DataFrameTags(columns, dataset_tags)


def fields_of(data: Any) -> dict[str, tuple[MetadataEntity, ...]]:
    """Return the source fields of each column of a DataFrame, without a server. Raises TypeError."""
    origin = find_value_origin(data)
    if origin is not None:
        return _build_entities(find_value_fields(data, origin))
    from jupyter_colophon.spark.dataframe_columns import find_source_fields

    return _build_entities(find_source_fields(_require_classic_dataframe(data)))


def _build_entities(fields: Mapping[str, tuple[tuple[str, str], ...]]) -> dict[str, tuple[MetadataEntity, ...]]:
    return {
        name: tuple(dict.fromkeys(MetadataEntity(urn).append("field", path) for urn, path in those))
        for name, those in fields.items()
    }


def sources_of(data: Any) -> tuple[MetadataEntity, ...]:
    """Return the datasets that a DataFrame came from, including those that only select rows, without a server. Raises TypeError."""
    origin = find_value_origin(data)
    if origin is not None:
        return tuple(MetadataEntity(urn) for urn in list_value_datasets(origin))
    from jupyter_colophon.spark.dataframe_columns import find_read_dataset_urns

    return tuple(MetadataEntity(urn) for urn in find_read_dataset_urns(_require_classic_dataframe(data)))


def _require_classic_dataframe(data: Any) -> Any:
    """Return a DataFrame with a readable plan. Raises TypeError, which explains why there is none."""
    if hasattr(data, "_jdf"):
        return data
    if hasattr(data, "to_spark"):
        return data.to_spark()
    home = type(data).__module__
    if home.startswith("pyspark.sql.connect"):
        msg = "a DataFrame of Spark Connect has no lineage here: its plan is on the cluster"
    elif hasattr(data, "columns"):
        msg = "this DataFrame has no known lineage: its data were not read by a captured library, or were computed in a way that is not followed"
    else:
        msg = f"a {type(data).__name__} is not a DataFrame"
    raise TypeError(msg)


def _list_fields_with_metadata(catalog: "Operations", entity: MetadataEntity) -> list[MetadataEntity]:
    try:
        return [entity.append("field", name) for name in catalog.list_fields(entity.urn)["fields"]]
    except RequestFailed as refusal:
        # The catalog does not know the dataset.
        if refusal.status != 404:
            raise
        return []


def _list_nested_fields_with_metadata(
    field: MetadataEntity, described: Collection[MetadataEntity], nested: Mapping[str, list[str]]
) -> list[MetadataEntity]:
    """Return the field, if it has metadata, and the nested fields that have."""
    own = [field] if field in described else []
    return own + [field.parent.append("field", path) for path in nested.get(field.path, ())]


def _read_tags(catalog: "Operations", entity: MetadataEntity, scope: Scope | None) -> Words:
    metadata = read_or_none_if_absent(lambda: catalog.read_entity_metadata(entity.urn)) or {}
    scopes = ("USER", "SYSTEM") if scope is None else (scope,)
    return tuple(sorted({tag for name in scopes for tag in metadata.get(name, {}).get("tags", ())}))
