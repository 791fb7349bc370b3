"""Convert the usage statistics of older clients to the aspect that replaced them."""

from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.core.datahub.mcp import build_invalid_proposal_error, parse_urn_at
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
#: A time bucket: its start in ms, its length, and the usage in it.
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


def convert_usage_bucket_to_proposal(bucket: Mapping[str, Any], pointer: str) -> Proposal:
    """Convert a bucket to a proposal; `at` is the pointer to it. Raises InvalidInstance."""
    metrics = {name: item for name, item in bucket["metrics"].items() if item is not None}
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
            _convert_usage_user(item, f"{pointer}/metrics/users/{number}")
            for number, item in enumerate(metrics["users"])
        ]
    if "fields" in metrics:
        value["fieldCounts"] = [
            {"fieldPath": field["fieldName"], "count": field["count"]} for field in metrics["fields"]
        ]
    return Proposal(parse_urn_at(bucket["resource"], f"{pointer}/resource"), ASPECT, "upsert", value)


def _convert_usage_user(entry: Mapping[str, Any], pointer: str) -> dict[str, Any]:
    user = entry.get("user") or (f"urn:li:corpuser:{entry['userEmail']}" if entry.get("userEmail") else None)
    if user is None:
        raise build_invalid_proposal_error(pointer, "`user` or `userEmail` is required")
    email = {"userEmail": entry["userEmail"]} if entry.get("userEmail") else {}
    return {"user": user, "count": entry["count"], **email}
