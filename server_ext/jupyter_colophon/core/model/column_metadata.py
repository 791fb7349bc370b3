"""Keep the metadata of columns that a new schema leaves out (spec MODEL-11).

A crawl, Spark and many sources write a schema without tags, terms or descriptions, because they do not know them. So a
member that a new schema does not have at all is kept, and one that it has, if empty, counts.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from jupyter_colophon.core.model.schema_fields import column_path

#: Members of a column that its own entity keeps as an aspect of the same name: the list in it, and what tells items apart.
KEPT: Final[Mapping[str, tuple[str, str]]] = {"globalTags": ("tags", "tag"), "glossaryTerms": ("terms", "urn")}
_DESCRIPTION: Final = "description"

Items = list[Mapping[str, Any]]


def with_descriptions(old: Mapping[str, Any], new: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a new schema whose columns have the descriptions of the old one where they have none of their own."""
    texts = {path: one[_DESCRIPTION] for path, one in _columns(old) if isinstance(one.get(_DESCRIPTION), str)}
    if not texts:
        return new
    columns = [
        {**one, _DESCRIPTION: texts[path]} if one.get(_DESCRIPTION) is None and path in texts else one
        for path, one in _columns(new)
    ]
    return {**new, "fields": columns} if len(columns) == len(new["fields"]) else new


def left_out(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, str, Items]]:
    """Yield the path, the aspect and the items for each column whose tags or terms a new schema does not mention."""
    new_columns = dict(_columns(new))
    for path, one in _columns(old):
        for aspect, (member, _) in KEPT.items():
            value = one.get(aspect)
            items = value.get(member) if isinstance(value, Mapping) else None
            if items and isinstance(items, list) and new_columns.get(path, {}).get(aspect) is None:
                yield path, aspect, items


def united(aspect: str, value: Mapping[str, Any] | None, items: Items) -> Mapping[str, Any] | None:
    """Return an aspect with these items as well; None where it has all of them."""
    member, key = KEPT[aspect]
    there = list(value.get(member, ())) if value is not None else []
    known = {one.get(key) for one in there}
    more = [one for one in items if isinstance(one, Mapping) and one.get(key) not in known]
    if not more:
        return None
    return {**_EMPTY.get(aspect, {}), **(value or {}), member: [*there, *more]}


def _columns(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    fields = schema.get("fields")
    for one in fields if isinstance(fields, list) else ():
        if isinstance(one, Mapping) and isinstance(one.get("fieldPath"), str):
            yield column_path(one["fieldPath"]), one


#: What an aspect needs besides its items.
_EMPTY: Final = {"glossaryTerms": {"auditStamp": {"time": 0, "actor": "urn:li:corpuser:unknown"}}}
