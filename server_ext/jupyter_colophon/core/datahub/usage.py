"""How a dataset was used, as older clients tell it, as the aspect that says so today."""

from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.core.datahub.mcp import refused, urn_at
from jupyter_colophon.core.model.proposal import Proposal

ASPECT: Final = "datasetUsageStatistics"
_UNITS: Final = ("YEAR", "MONTH", "WEEK", "DAY", "HOUR")
_COUNT: Final = {"type": ["integer", "null"]}
_TEXT: Final = {"type": ["string", "null"]}
_USERS: Final = {
    "type": ["array", "null"],
    "items": {
        "type": "object",
        "properties": {"user": _TEXT, "count": {"type": "integer"}, "userEmail": _TEXT},
        "required": ["count"],
        "additionalProperties": False,
    },
}
_FIELDS: Final = {
    "type": ["array", "null"],
    "items": {
        "type": "object",
        "properties": {"fieldName": {"type": "string"}, "count": {"type": "integer"}},
        "required": ["fieldName", "count"],
        "additionalProperties": False,
    },
}
#: A bucket of time: its beginning in ms, how long it is, and what was done in it.
SHAPE: Final = {
    "type": "object",
    "properties": {
        "bucket": {"type": "integer"},
        "duration": {"enum": list(_UNITS)},
        "resource": {"type": "string"},
        "metrics": {
            "type": "object",
            "properties": {
                "uniqueUserCount": _COUNT,
                "totalSqlQueries": _COUNT,
                "topSqlQueries": {"type": ["array", "null"], "items": {"type": "string"}},
                "users": _USERS,
                "fields": _FIELDS,
            },
            "additionalProperties": False,
        },
    },
    "required": ["bucket", "duration", "resource", "metrics"],
    "additionalProperties": False,
}


def proposal(bucket: Mapping[str, Any], at: str) -> Proposal:
    """The proposal that a bucket of this shape means; `at` is the pointer to it. Raises InvalidInstance."""
    metrics = {name: one for name, one in bucket["metrics"].items() if one is not None}
    value: dict[str, Any] = {
        "timestampMillis": bucket["bucket"],
        "eventGranularity": {"unit": bucket["duration"], "multiple": 1},
        "partitionSpec": {"type": "FULL_TABLE", "partition": "FULL_TABLE_SNAPSHOT"},
    }
    value |= {
        name: metrics[name] for name in ("uniqueUserCount", "totalSqlQueries", "topSqlQueries") if name in metrics
    }
    if "users" in metrics:
        value["userCounts"] = [
            _user(one, f"{at}/metrics/users/{number}") for number, one in enumerate(metrics["users"])
        ]
    if "fields" in metrics:
        value["fieldCounts"] = [{"fieldPath": one["fieldName"], "count": one["count"]} for one in metrics["fields"]]
    return Proposal(urn_at(bucket["resource"], f"{at}/resource"), ASPECT, "upsert", value)


def _user(entry: Mapping[str, Any], at: str) -> dict[str, Any]:
    user = entry.get("user") or (f"urn:li:corpuser:{entry['userEmail']}" if entry.get("userEmail") else None)
    if user is None:
        raise refused(at, "names a user, or an e-mail address")
    email = {"userEmail": entry["userEmail"]} if entry.get("userEmail") else {}
    return {"user": user, "count": entry["count"], **email}
