"""Show runs as DataHub process instances; derived, never stored (docs/openlineage.md)."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import simple
from jupyter_colophon.core.lineage.run import RUNNING
from jupyter_colophon.service.lineage.lineage_nodes import NodeCache
from jupyter_colophon.service.lineage.lineage_traversal import READ, WRITE
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.spi import Range, Row, TableContext

KIND: Final = "dataProcessInstance"
#: The timeseries aspect of a run: its start and end events.
EVENTS: Final = "dataProcessInstanceRunEvent"
#: How many accesses of a run are read.
_ACCESSES_MAX: Final = 1_000
_RESULTS: Final = {"succeeded": "SUCCESS", "failed": "FAILURE", "killed": "SKIPPED"}
Value = dict[str, Any]


def aspects(tx: TableContext, urn: Urn, wanted: Collection[str] | None, nodes: NodeCache) -> dict[str, Value]:
    """Return the aspects of a run, of those `wanted` (None: all); empty if its program is hidden."""
    run = _run(tx, urn, nodes)
    if run is None:
        return {}
    builders: Mapping[str, Callable[[], Value | None]] = {
        "dataProcessInstanceKey": lambda: {"id": urn.parts[0]},
        "dataProcessInstanceProperties": lambda: _properties(run),
        "dataProcessInstanceRelationships": lambda: _relationships(run),
        "dataProcessInstanceInput": lambda: _accessed_data(tx, run, "inputs", READ, nodes),
        "dataProcessInstanceOutput": lambda: _accessed_data(tx, run, "outputs", WRITE, nodes),
    }
    found = {name: make() for name, make in builders.items() if wanted is None or name in wanted}
    return {name: value for name, value in found.items() if value is not None}


def events(tx: TableContext, urn: Urn, nodes: NodeCache) -> list[tuple[Value, str]]:
    """Return the start and end events of a run, newest first, with their actor."""
    run = _run(tx, urn, nodes) if urn.type == KIND else None
    if run is None:
        return []
    found: list[Value] = [{"timestampMillis": run["start"], "status": "STARTED"}]
    if run["status"] != RUNNING and run["stop"] is not None:
        result = {"type": _RESULTS[run["status"]], "nativeResultType": run["status"]}
        ended = {"timestampMillis": run["stop"], "status": "COMPLETE", "result": result}
        found.insert(0, ended | {"durationMillis": run["stop"] - run["start"]})
    return [(value, run["actor"]) for value in found]


def _run(tx: TableContext, urn: Urn, nodes: NodeCache) -> Row | None:
    run = sources_of_truth.run(tx, str(urn))
    return run if run is not None and nodes.visible({run["program"]}) else None


def _properties(run: Row) -> Value:
    facts = {name: value for name, value in stored(run["facts"]).items() if isinstance(value, str)}
    created = {"time": run["start"], "actor": str(simple("corpuser", run["actor"]))}
    return {"name": run["run_id"], "created": created, "customProperties": facts}


def _relationships(run: Row) -> Value:
    parent = {"parentInstance": run["parent"]} if run["parent"] else {}
    return {"parentTemplate": run["program"], **parent, "upstreamInstances": []}


def _accessed_data(tx: TableContext, run: Row, side: str, modes: tuple[str, ...], nodes: NodeCache) -> Value | None:
    rows = list(tx.table("accesses").scan(Range.prefix(run["urn"]), _ACCESSES_MAX))
    visible = nodes.visible({row["data"] for row in rows if row["mode"] in modes})
    return {side: sorted(visible)} if visible else None
