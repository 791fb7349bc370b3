"""Show runs as DataHub process instances; derived, never stored (docs/openlineage.md)."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import make_single_key_urn
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


def derive_process_instance_aspects(
    tx: TableContext, urn: Urn, requested: Collection[str] | None, nodes: NodeCache
) -> dict[str, Value]:
    """Return the aspects of a run, of those `wanted` (None: all); empty if its program is hidden."""
    run = _find_visible_run(tx, urn, nodes)
    if run is None:
        return {}
    builders: Mapping[str, Callable[[], Value | None]] = {
        "dataProcessInstanceKey": lambda: {"id": urn.parts[0]},
        "dataProcessInstanceProperties": lambda: _build_run_properties_aspect(run),
        "dataProcessInstanceRelationships": lambda: _build_run_relationships_aspect(run),
        "dataProcessInstanceInput": lambda: _read_accessed_data(tx, run, "inputs", READ, nodes),
        "dataProcessInstanceOutput": lambda: _read_accessed_data(tx, run, "outputs", WRITE, nodes),
    }
    values_by_name = {name: make() for name, make in builders.items() if requested is None or name in requested}
    return {name: value for name, value in values_by_name.items() if value is not None}


def derive_process_instance_events(tx: TableContext, urn: Urn, nodes: NodeCache) -> list[tuple[Value, str]]:
    """Return the start and end events of a run, newest first, with their actor."""
    run = _find_visible_run(tx, urn, nodes) if urn.type == KIND else None
    if run is None:
        return []
    events: list[Value] = [{"timestampMillis": run["start"], "status": "STARTED"}]
    if run["status"] != RUNNING and run["stop"] is not None:
        result = {"type": _RESULTS[run["status"]], "nativeResultType": run["status"]}
        ended = {"timestampMillis": run["stop"], "status": "COMPLETE", "result": result}
        events.insert(0, ended | {"durationMillis": run["stop"] - run["start"]})
    return [(value, run["actor"]) for value in events]


def _find_visible_run(tx: TableContext, urn: Urn, nodes: NodeCache) -> Row | None:
    run = sources_of_truth.find_run_row(tx, str(urn))
    return run if run is not None and nodes.filter_visible_nodes({run["program"]}) else None


def _build_run_properties_aspect(run: Row) -> Value:
    facts = {name: value for name, value in parse_stored_json(run["facts"]).items() if isinstance(value, str)}
    created = {"time": run["start"], "actor": str(make_single_key_urn("corpuser", run["actor"]))}
    return {"name": run["run_id"], "created": created, "customProperties": facts}


def _build_run_relationships_aspect(run: Row) -> Value:
    parent = {"parentInstance": run["parent"]} if run["parent"] else {}
    return {"parentTemplate": run["program"], **parent, "upstreamInstances": []}


def _read_accessed_data(
    tx: TableContext, run: Row, side: str, modes: tuple[str, ...], nodes: NodeCache
) -> Value | None:
    rows = list(tx.get_table("accesses").scan(Range.prefix(run["urn"]), _ACCESSES_MAX))
    visible = nodes.filter_visible_nodes({row["data"] for row in rows if row["mode"] in modes})
    return {side: sorted(visible)} if visible else None
