"""Facets of OpenLineage as DataHub's aspects: what of them has one (docs/openlineage.md has the table)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from jupyter_colophon.core.errors import TooLarge
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import encoded
from jupyter_colophon.core.model.schema_fields import PATH_CHARACTERS_MAX
from jupyter_colophon.core.openlineage.facets import Facets, standing
from jupyter_colophon.core.openlineage.field_types import field_type

Aspects = dict[str, Mapping[str, Any]]
_OWNER: Final = "TECHNICAL_OWNER"
_LEVELS_MOST: Final = 32


def of_dataset(urn: Urn, facets: Facets) -> Aspects:
    """What the facets of a dataset say, by aspect."""
    present, found = standing(facets), Aspects()
    if fields := list(_fields((present.get("schema") or {}).get("fields") or ())):
        found["schemaMetadata"] = {
            "schemaName": urn.parts[1],
            "platform": urn.parts[0],
            "version": 0,
            "hash": "",
            "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}},
            "fields": fields,
        }
    if text := (present.get("documentation") or {}).get("description"):
        found["datasetProperties"] = {"description": text}
    return found | _shared(present)


def of_job(urn: Urn, facets: Facets) -> Aspects:
    """What the facets of a job say, by aspect."""
    present, found = standing(facets), Aspects()
    text = (present.get("documentation") or {}).get("description")
    place = (present.get("sourceCodeLocation") or {}).get("url")
    if text or place:
        info = {"name": urn.parts[1], "type": {"string": "COMMAND"}, "description": text, "externalUrl": place}
        found["dataJobInfo"] = {key: value for key, value in info.items() if value}
    return found | _shared(present)


#: By the type of the entity.
ASPECTS_OF: Final[Mapping[str, Callable[[Urn, Facets], Aspects]]] = {"dataset": of_dataset, "dataJob": of_job}


def _shared(present: Facets) -> Aspects:
    found = Aspects()
    if owners := (present.get("ownership") or {}).get("owners"):
        found["ownership"] = {
            "owners": [{"owner": _person(one["name"]), "type": _OWNER} for one in owners],
            "ownerTypes": {},
            "lastModified": _NOBODY,
        }
    tags = (present.get("tags") or {}).get("tags") or ()
    if whole := [one for one in tags if not one.get("field")]:
        found["globalTags"] = {"tags": _tags(whole)}
    return found


def column_tags(facets: Facets) -> dict[str, list[dict[str, str]]]:
    """What the facets of a dataset say of its columns: the items of `globalTags` by the column's path."""
    tags = (standing(facets).get("tags") or {}).get("tags") or ()
    paths = dict.fromkeys(one["field"] for one in tags if one.get("field"))
    return {path: _tags([one for one in tags if one.get("field") == path]) for path in paths}


def _tags(present: list[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Tags as DataHub has them: `key`, or `key:value` where the value says more than that the tag is there."""
    words = (":".join((one["key"], value)) if (value := _value_of(one)) else one["key"] for one in present)
    return [{"tag": f"urn:li:tag:{encoded(word)}"} for word in dict.fromkeys(words)]


def _value_of(tag: Mapping[str, Any]) -> str:
    value = tag.get("value") or ""
    return "" if value.lower() == "true" else value


#: When nobody says when it was said.
_NOBODY: Final = {"time": 0, "actor": "urn:li:corpuser:unknown"}


def _person(name: str) -> str:
    """An owner as OpenLineage tells it: `user:jdoe`, `team:data`, or a name alone."""
    kind, colon, rest = name.partition(":")
    if colon and rest and kind in ("team", "group"):
        return f"urn:li:corpGroup:{encoded(rest)}"
    return f"urn:li:corpuser:{encoded(rest if colon and rest and kind == 'user' else name)}"


def _fields(present: Any, above: str = "", level: int = 0) -> Iterator[dict[str, Any]]:
    for one in present if level < _LEVELS_MOST else ():
        path = f"{above}.{one['name']}" if above else one["name"]
        if len(path) > PATH_CHARACTERS_MAX:
            raise TooLarge(f"the path of a field has at most {PATH_CHARACTERS_MAX} characters")
        native = one.get("type") or ("struct" if one.get("fields") else "unknown")
        field = {
            "fieldPath": path,
            "nullable": True,
            "description": one.get("description"),
            "type": {"type": {f"com.linkedin.schema.{field_type(native)}": {}}},
            "nativeDataType": native,
            "recursive": False,
            "isPartOfKey": False,
        }
        yield {key: value for key, value in field.items() if value is not None}
        yield from _fields(one.get("fields") or (), path, level + 1)
