"""Convert OpenLineage facets to DataHub's aspects (docs/openlineage.md has the table)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from jupyter_colophon.core.errors import TooLarge
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import encode_urn_text
from jupyter_colophon.core.model.schema_fields import PATH_CHARACTERS_MAX
from jupyter_colophon.core.openlineage.facets import Facets, drop_deleted_facets
from jupyter_colophon.core.openlineage.field_types import map_field_type

Aspects = dict[str, Mapping[str, Any]]
_OWNER: Final = "TECHNICAL_OWNER"
_LEVELS_MOST: Final = 32


def convert_dataset_facets_to_aspects(urn: Urn, facets: Facets) -> Aspects:
    """Return the aspects in the facets of a dataset."""
    present, aspects = drop_deleted_facets(facets), Aspects()
    if fields := list(_convert_schema_fields((present.get("schema") or {}).get("fields") or ())):
        aspects["schemaMetadata"] = {
            "schemaName": urn.parts[1],
            "platform": urn.parts[0],
            "version": 0,
            "hash": "",
            "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}},
            "fields": fields,
        }
    if text := (present.get("documentation") or {}).get("description"):
        aspects["datasetProperties"] = {"description": text}
    return aspects | _convert_owner_and_tag_facets(present)


def convert_job_facets_to_aspects(urn: Urn, facets: Facets) -> Aspects:
    """Return the aspects in the facets of a job."""
    present, aspects = drop_deleted_facets(facets), Aspects()
    text = (present.get("documentation") or {}).get("description")
    place = (present.get("sourceCodeLocation") or {}).get("url")
    if text or place:
        info = {"name": urn.parts[1], "type": {"string": "COMMAND"}, "description": text, "externalUrl": place}
        aspects["dataJobInfo"] = {key: value for key, value in info.items() if value}
    return aspects | _convert_owner_and_tag_facets(present)


#: By entity type.
ASPECTS_OF: Final[Mapping[str, Callable[[Urn, Facets], Aspects]]] = {
    "dataset": convert_dataset_facets_to_aspects,
    "dataJob": convert_job_facets_to_aspects,
}


def _convert_owner_and_tag_facets(present: Facets) -> Aspects:
    aspects = Aspects()
    if owners := (present.get("ownership") or {}).get("owners"):
        aspects["ownership"] = {
            "owners": [{"owner": make_owner_urn(owner["name"]), "type": _OWNER} for owner in owners],
            "ownerTypes": {},
            "lastModified": _NOBODY,
        }
    tags = (present.get("tags") or {}).get("tags") or ()
    if own_tags := [tag for tag in tags if not tag.get("field")]:
        aspects["globalTags"] = {"tags": _convert_tag_facet(own_tags)}
    return aspects


def convert_column_tag_facets(facets: Facets) -> dict[str, list[dict[str, str]]]:
    """Return the tags of columns in the facets of a dataset: the items of `globalTags` by the column's path."""
    tags = (drop_deleted_facets(facets).get("tags") or {}).get("tags") or ()
    paths = dict.fromkeys(tag["field"] for tag in tags if tag.get("field"))
    return {path: _convert_tag_facet([tag for tag in tags if tag.get("field") == path]) for path in paths}


def _convert_tag_facet(present: list[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return tags in DataHub's format: `key`, or `key:value` if the value adds to the existence of the tag."""
    words = (
        ":".join((tag["key"], value)) if (value := _get_tag_value_unless_implied(tag)) else tag["key"]
        for tag in present
    )
    return [{"tag": f"urn:li:tag:{encode_urn_text(word)}"} for word in dict.fromkeys(words)]


def _get_tag_value_unless_implied(tag: Mapping[str, Any]) -> str:
    value = tag.get("value") or ""
    return "" if value.lower() == "true" else value


#: The stamp of facets without a time.
_NOBODY: Final = {"time": 0, "actor": "urn:li:corpuser:unknown"}


def make_owner_urn(name: str) -> str:
    """Return the URN of an OpenLineage owner: `user:jdoe`, `team:data`, or a name alone."""
    kind, colon, rest = name.partition(":")
    if colon and rest and kind in ("team", "group"):
        return f"urn:li:corpGroup:{encode_urn_text(rest)}"
    return f"urn:li:corpuser:{encode_urn_text(rest if colon and rest and kind == 'user' else name)}"


def _convert_schema_fields(present: Any, parent_path: str = "", level: int = 0) -> Iterator[dict[str, Any]]:
    for entry in present if level < _LEVELS_MOST else ():
        path = f"{parent_path}.{entry['name']}" if parent_path else entry["name"]
        if len(path) > PATH_CHARACTERS_MAX:
            raise TooLarge(f"the path of a field may have at most {PATH_CHARACTERS_MAX} characters")
        native = entry.get("type") or ("struct" if entry.get("fields") else "unknown")
        field = {
            "fieldPath": path,
            "nullable": True,
            "description": entry.get("description"),
            "type": {"type": {f"com.linkedin.schema.{map_field_type(native)}": {}}},
            "nativeDataType": native,
            "recursive": False,
            "isPartOfKey": False,
        }
        yield {key: value for key, value in field.items() if value is not None}
        yield from _convert_schema_fields(entry.get("fields") or (), path, level + 1)
