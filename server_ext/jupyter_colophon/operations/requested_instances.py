"""The body of requests for worker processes of a service. No process is the way back to threads."""

from typing import Any, Final

#: How many processes may be requested for a service.
_INSTANCES_MAX: Final = 64
REQUESTED_INSTANCES: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "instances": {
            "type": "integer",
            "minimum": 0,
            "maximum": _INSTANCES_MAX,
            "description": "How many worker processes run the service, in all servers of the store together. 0 withdraws an earlier request: the service runs on threads of each server, or with Spark in one process.",
        }
    },
    "required": ["instances"],
    "additionalProperties": False,
}
