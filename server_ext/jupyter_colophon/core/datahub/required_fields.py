"""Fill in the fields that DataHub's classes require and our other APIs do not (docs/datahub.md).

They are added when DataHub's clients read, and never stored.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.openlineage.field_types import map_field_type

Value = Mapping[str, Any]
_NOBODY: Final = {"time": 0, "actor": "urn:li:corpuser:unknown"}
_FIELD: Final = {"nullable": True, "recursive": False, "isPartOfKey": False}


def fill_required_fields(urn: Urn, name: str, value: Value) -> Value:
    """Return a value of an aspect with all fields that its class requires."""
    fill = _FILLING.get(name)
    return value if fill is None else fill(urn, value)


def _fill_schema_metadata(urn: Urn, value: Value) -> Value:
    platform_schema = value.get("platformSchema") or {}
    is_theirs = any(name.startswith("com.linkedin.") for name in platform_schema)
    platform = {"com.linkedin.schema.OtherSchema": {"rawSchema": platform_schema.get("text") or ""}}
    return {
        "schemaName": urn.parts[1],
        "platform": urn.parts[0],
        "version": 0,
        "hash": "",
        **value,
        "platformSchema": platform_schema if is_theirs else platform,
        "fields": [_fill_schema_field(field) for field in value["fields"]],
    }


def _fill_schema_field(field: Value) -> Value:
    if "type" in field:
        return field
    kind = f"com.linkedin.schema.{map_field_type(field['nativeDataType'])}"
    return {**_FIELD, **field, "type": {"type": {kind: {}}}}


def _fill_upstream_lineage(_: Urn, value: Value) -> Value:
    return {
        **value,
        "upstreams": [{"type": "TRANSFORMED", "auditStamp": _NOBODY, **upstream} for upstream in value["upstreams"]],
    }


_FILLING: Final[Mapping[str, Callable[[Urn, Value], Value]]] = {
    "schemaMetadata": _fill_schema_metadata,
    "upstreamLineage": _fill_upstream_lineage,
}
