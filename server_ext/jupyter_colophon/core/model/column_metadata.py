"""Keep the metadata of columns that a new schema leaves out (spec MODEL-11).

A crawl, Spark and many sources write a schema without tags, terms or descriptions, because they do not know them. So a
member that a new schema does not have at all is kept, and one that it has, if empty, counts.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from jupyter_colophon.core.model.schema_fields import simplify_column_path

#: The members of a column that its own entity stores as an aspect of the same name: the list in it, and the key of its
#: items.
KEPT: Final[Mapping[str, tuple[str, str]]] = {"globalTags": ("tags", "tag"), "glossaryTerms": ("terms", "urn")}
_DESCRIPTION: Final = "description"

Items = list[Mapping[str, Any]]


def keep_old_column_descriptions(old: Mapping[str, Any], new: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a new schema whose columns have the descriptions of the old one where they have none of their own."""
    texts = {
        path: column[_DESCRIPTION]
        for path, column in _list_columns_with_paths(old)
        if isinstance(column.get(_DESCRIPTION), str)
    }
    if not texts:
        return new
    columns = [
        {**column, _DESCRIPTION: texts[path]} if column.get(_DESCRIPTION) is None and path in texts else column
        for path, column in _list_columns_with_paths(new)
    ]
    return {**new, "fields": columns} if len(columns) == len(new["fields"]) else new


def list_items_of_omitted_columns(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, str, Items]]:
    """Yield the path, the aspect and the items for each column whose tags or terms a new schema does not mention."""
    new_columns = dict(_list_columns_with_paths(new))
    for path, column in _list_columns_with_paths(old):
        for aspect, (member, _) in KEPT.items():
            value = column.get(aspect)
            items = value.get(member) if isinstance(value, Mapping) else None
            if items and isinstance(items, list) and new_columns.get(path, {}).get(aspect) is None:
                yield path, aspect, items


def add_missing_items(aspect: str, value: Mapping[str, Any] | None, items: Items) -> Mapping[str, Any] | None:
    """Return an aspect with these items as well; None where it has all of them."""
    member, key = KEPT[aspect]
    present = list(value.get(member, ())) if value is not None else []
    present_keys = {old.get(key) for old in present}
    more = [item for item in items if isinstance(item, Mapping) and item.get(key) not in present_keys]
    if not more:
        return None
    return {**_EMPTY.get(aspect, {}), **(value or {}), member: [*present, *more]}


def _list_columns_with_paths(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    fields = schema.get("fields")
    for field in fields if isinstance(fields, list) else ():
        if isinstance(field, Mapping) and isinstance(field.get("fieldPath"), str):
            yield simplify_column_path(field["fieldPath"]), field


#: The other required members of an aspect.
_EMPTY: Final = {"glossaryTerms": {"auditStamp": {"time": 0, "actor": "urn:li:corpuser:unknown"}}}
