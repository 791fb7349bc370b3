"""Fields that DataHub's classes require and our other APIs do not (docs/datahub.md).

They are added when DataHub's clients read, and never stored, since nobody wrote them.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.openlineage.field_types import field_type

Value = Mapping[str, Any]
_NOBODY: Final = {"time": 0, "actor": "urn:li:corpuser:unknown"}
_FIELD: Final = {"nullable": True, "recursive": False, "isPartOfKey": False}


def whole(urn: Urn, name: str, value: Value) -> Value:
    """A value of an aspect with all that its class requires."""
    fill = _FILLING.get(name)
    return value if fill is None else fill(urn, value)


def _schema(urn: Urn, value: Value) -> Value:
    given = value.get("platformSchema") or {}
    is_theirs = any(name.startswith("com.linkedin.") for name in given)
    platform = {"com.linkedin.schema.OtherSchema": {"rawSchema": given.get("text") or ""}}
    return {
        "schemaName": urn.parts[1],
        "platform": urn.parts[0],
        "version": 0,
        "hash": "",
        **value,
        "platformSchema": given if is_theirs else platform,
        "fields": [_field(one) for one in value["fields"]],
    }


def _field(one: Value) -> Value:
    if "type" in one:
        return one
    kind = f"com.linkedin.schema.{field_type(one['nativeDataType'])}"
    return {**_FIELD, **one, "type": {"type": {kind: {}}}}


def _upstreams(_: Urn, value: Value) -> Value:
    return {**value, "upstreams": [{"type": "TRANSFORMED", "auditStamp": _NOBODY, **one} for one in value["upstreams"]]}


_FILLING: Final[Mapping[str, Callable[[Urn, Value], Value]]] = {
    "schemaMetadata": _schema,
    "upstreamLineage": _upstreams,
}
