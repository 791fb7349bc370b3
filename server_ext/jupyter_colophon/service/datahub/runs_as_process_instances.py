"""Runs of the catalog as DataHub's process instances: looked up, never stored (docs/openlineage.md)."""

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
#: What is told by time of a run: that it began, and that it ended.
EVENTS: Final = "dataProcessInstanceRunEvent"
#: How many accesses of a run are looked at.
_MOST: Final = 1_000
_RESULTS: Final = {"succeeded": "SUCCESS", "failed": "FAILURE", "killed": "SKIPPED"}
Value = dict[str, Any]


def aspects(tx: TableContext, urn: Urn, wanted: Collection[str] | None, nodes: NodeCache) -> dict[str, Value]:
    """The aspects of a run, of those that are wanted (None: all); none where its program may not be seen."""
    run = _run(tx, urn, nodes)
    if run is None:
        return {}
    makers: Mapping[str, Callable[[], Value | None]] = {
        "dataProcessInstanceKey": lambda: {"id": urn.parts[0]},
        "dataProcessInstanceProperties": lambda: _properties(run),
        "dataProcessInstanceRelationships": lambda: _relationships(run),
        "dataProcessInstanceInput": lambda: _touched(tx, run, "inputs", READ, nodes),
        "dataProcessInstanceOutput": lambda: _touched(tx, run, "outputs", WRITE, nodes),
    }
    found = {name: make() for name, make in makers.items() if wanted is None or name in wanted}
    return {name: value for name, value in found.items() if value is not None}


def events(tx: TableContext, urn: Urn, nodes: NodeCache) -> list[tuple[Value, str]]:
    """That a run began and ended, the newest first, with who recorded it."""
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


def _touched(tx: TableContext, run: Row, side: str, modes: tuple[str, ...], nodes: NodeCache) -> Value | None:
    rows = list(tx.table("accesses").scan(Range.prefix(run["urn"]), _MOST))
    shown = nodes.visible({row["data"] for row in rows if row["mode"] in modes})
    return {side: sorted(shown)} if shown else None
