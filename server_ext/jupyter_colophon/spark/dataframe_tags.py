"""What the catalog says of a DataFrame before it is written: `metadata.tags_of(df)` and its like (docs/magic.md)."""

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.absence import none_if_absent
from jupyter_colophon.client.api.current_connection import api_after_sync
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.nesting import paths_inside
from jupyter_colophon.client.programs.reading import Scope
from jupyter_colophon.core.identity.short_names import short_name

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

#: Tags of an entity.
Words = tuple[str, ...]


class Tags(Mapping[str, Words]):
    """The tags of each column's source fields, by the column's name; `datasets` has those of what was read as a whole."""

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
        """The columns whose values come from a field with this tag."""
        return [name for name in self if tag in self[name]]

    def sources(self, column: str, tag: str) -> list[str]:
        """From which fields a column has a tag: short names such as `hr.staff#ssn`. Raises KeyError for no column of it."""
        return [short_name(urn) for urn, tags in self._columns[column].items() if tag in tags]


def tags_of(data: Any, scope: Scope | None = None) -> Tags:
    """The tags that a DataFrame's columns bring along from the fields they come from, through joins, functions and views.

    Of both scopes, or of one. Asks the catalog once for each dataset, and once for each field of which something was said.
    Raises TypeError for what is no DataFrame of a classic Spark session, ServerUnavailable, RequestFailed.
    """
    fields, datasets = fields_of(data), sources_of(data)
    catalog = api_after_sync().catalog
    told = {one.urn: _tags(catalog, one, scope) for one in datasets}
    spoken = {one: set(_spoken_of(catalog, one)) for one in datasets}
    nested = {one: paths_inside(field.path for field in those) for one, those in spoken.items()}
    inside = {
        one: _inside(one, spoken.get(one.parent, set()), nested.get(one.parent, {}))
        for several in fields.values()
        for one in several
    }
    found = {one.urn: _tags(catalog, one, scope) for one in dict.fromkeys(chain.from_iterable(inside.values()))}
    columns = {
        name: {each.urn: found[each.urn] for one in several for each in inside[one]} for name, several in fields.items()
    }
    return Tags(columns, told)


def fields_of(data: Any) -> dict[str, tuple[MetadataEntity, ...]]:
    """For each column of a DataFrame the fields of datasets that its values come from. Asks no server. Raises TypeError."""
    from jupyter_colophon.spark.dataframe_columns import origins_of

    return {
        name: tuple(dict.fromkeys(MetadataEntity(urn).append("field", path) for urn, path in fields))
        for name, fields in origins_of(_classic(data)).items()
    }


def sources_of(data: Any) -> tuple[MetadataEntity, ...]:
    """The datasets that a DataFrame reads, also those that only say which rows to take. Asks no server. Raises TypeError."""
    from jupyter_colophon.spark.dataframe_columns import datasets_of

    return tuple(MetadataEntity(urn) for urn in datasets_of(_classic(data)))


def _classic(data: Any) -> Any:
    """A DataFrame whose plan can be read. Raises TypeError that says why another one's cannot."""
    if hasattr(data, "_jdf"):
        return data
    if hasattr(data, "to_spark"):
        return data.to_spark()
    home = type(data).__module__
    if home.startswith("pandas."):
        msg = "a DataFrame of pandas does not know where its columns come from: ask before toPandas()"
    elif home.startswith("pyspark.sql.connect"):
        msg = "with Spark Connect the plan is the cluster's: a DataFrame does not know here where its columns come from"
    else:
        msg = f"a {type(data).__name__} is no DataFrame of Spark"
    raise TypeError(msg)


def _spoken_of(catalog: "Operations", of: MetadataEntity) -> list[MetadataEntity]:
    try:
        return [of.append("field", name) for name in catalog.list_fields(of.urn)["fields"]]
    except RequestFailed as refusal:
        # Of data that the catalog does not know nothing was said.
        if refusal.status != 404:
            raise
        return []


def _inside(
    field: MetadataEntity, spoken: Collection[MetadataEntity], nested: Mapping[str, list[str]]
) -> list[MetadataEntity]:
    """Return the field, if anybody described it, and those inside it that somebody did."""
    own = [field] if field in spoken else []
    return own + [field.parent.append("field", path) for path in nested.get(field.path, ())]


def _tags(catalog: "Operations", of: MetadataEntity, scope: Scope | None) -> Words:
    said = none_if_absent(lambda: catalog.read_entity_metadata(of.urn)) or {}
    scopes = ("USER", "SYSTEM") if scope is None else (scope,)
    return tuple(sorted({tag for one in scopes for tag in said.get(one, {}).get("tags", ())}))
