"""Derive DataHub aspects from lineage, for data, jobs and runs without a written aspect (docs/openlineage.md).

Derived aspects are never stored, so a source overwrites nothing that another declared, and declared aspects are returned
as written.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import ALL_TIME, MAX_RELATIONS
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.model.declared_lineage import ASPECT, JOB_ASPECT
from jupyter_colophon.service.datahub import runs_as_process_instances
from jupyter_colophon.service.lineage.lineage_nodes import NodeCache
from jupyter_colophon.service.lineage.lineage_traversal import MODES, READ, WALKED_READ, WALKED_WRITE, WRITE
from jupyter_colophon.storage.lineage import runs as stored_runs
from jupyter_colophon.storage.lineage.run_accesses import Triple, read_run_rows
from jupyter_colophon.storage.lineage.statements import get_program_of_node
from jupyter_colophon.storage.spi import Edge, Row, TableContext

Value = dict[str, Any]
#: These aspects of DataHub name only datasets.
_DATASETS: Final = "urn:li:dataset:"
#: The limits of datasets and of programs of one aspect.
_DATA_MAX: Final = 1_000
_PROGRAMS_MAX: Final = 10
_RUNS_MAX: Final = 20
_KIND: Final = {ASPECT: "dataset", JOB_ASPECT: "dataJob"}


def derive_lineage_aspects(
    tx: TableContext, urn: Urn, requested: Collection[str] | None, nodes: NodeCache
) -> dict[str, Value]:
    """Return the aspects of an entity that can be derived from lineage, of those `wanted` (None: all)."""
    if urn.type == runs_as_process_instances.KIND:
        return runs_as_process_instances.derive_process_instance_aspects(tx, urn, requested, nodes)
    builders: Mapping[str, Callable[[TableContext, str, NodeCache], Value | None]] = {
        ASPECT: _derive_upstream_lineage,
        JOB_ASPECT: _derive_inputs_and_outputs,
    }
    values_by_name = {
        name: make(tx, str(urn), nodes)
        for name, make in builders.items()
        if _KIND[name] == urn.type and (requested is None or name in requested)
    }
    return {name: value for name, value in values_by_name.items() if value is not None}


def _derive_upstream_lineage(tx: TableContext, urn: str, nodes: NodeCache) -> Value | None:
    written = _read_current_edges(tx, tx.edges.find_neighbours("data", [urn], WALKED_WRITE, ALL_TIME, _DATA_MAX))
    programs = nodes.filter_visible_nodes({get_program_of_node(edge.program) for edge in written})
    flows = {edge.program for edge in written if get_program_of_node(edge.program) in programs}
    reads = _read_current_edges(
        tx, tx.edges.find_neighbours("program", sorted(flows), WALKED_READ, ALL_TIME, _DATA_MAX)
    )
    visible = nodes.filter_visible_nodes({edge.data for edge in reads})
    by_data: dict[str, list[Edge]] = defaultdict(list)
    for edge in reads:
        if edge.data in visible and edge.data != urn and edge.data.startswith(_DATASETS):
            by_data[edge.data].append(edge)
    if not by_data:
        return None
    upstreams = [_build_upstream_entry(tx, data, edges[:_PROGRAMS_MAX]) for data, edges in by_data.items()]
    columns = [row for row in stored_runs.list_column_rows_into(tx, [urn], MAX_RELATIONS) if row["source"] in by_data]
    return {"upstreams": upstreams} | _build_fine_grained_lineages(columns)


def _read_current_edges(tx: TableContext, triples: Iterable[Triple]) -> list[Edge]:
    """Return the edges of runs and of valid declarations, except declarations without a program, which are own aspects."""
    program_triples = [
        triple
        for triple in sorted(triples)
        if declared_lineage.parse_placeholder_source(get_program_of_node(triple[1])) is None
    ]
    return [
        edge
        for edge in tx.edges.read_edges(program_triples, ALL_TIME, _RUNS_MAX)
        if edge.stop is None or any(declared_lineage.parse_version_mark(run) is None for run in edge.runs)
    ]


def _build_upstream_entry(tx: TableContext, data: str, edges: list[Edge]) -> Value:
    """Return one upstream dataset, with its time, programs and actor."""
    runs = read_run_rows(tx, (edge.runs[0] for edge in edges if edge.runs), ["actor"])
    actor = next((row["actor"] for row in runs.values()), "unknown")
    return {
        "dataset": data,
        "type": "TRANSFORMED",
        "auditStamp": {"time": max(edge.start for edge in edges), "actor": f"urn:li:corpuser:{actor}"},
        "properties": {
            "source": "lineage",
            "programs": " ".join(dict.fromkeys(get_program_of_node(edge.program) for edge in edges)),
        },
    }


def _derive_inputs_and_outputs(tx: TableContext, urn: str, nodes: NodeCache) -> Value | None:
    edges = _read_current_edges(
        tx, tx.edges.find_neighbours("program", [urn], MODES["program", "undirected"], ALL_TIME, _DATA_MAX)
    )
    visible = nodes.filter_visible_nodes({edge.data for edge in edges if edge.data.startswith(_DATASETS)})
    sides = {
        side: sorted({edge.data for edge in edges if edge.mode in modes and edge.data in visible})
        for side, modes in (("inputDatasets", READ), ("outputDatasets", WRITE))
    }
    if not any(sides.values()):
        return None
    columns = stored_runs.list_column_rows_into(tx, sides["outputDatasets"], MAX_RELATIONS)
    return sides | _build_fine_grained_lineages(
        row for row in columns if row["program"] == urn and row["source"] in visible
    )


def _build_fine_grained_lineages(rows: Iterable[Row]) -> Value:
    """Return the column edges, grouped by target column."""
    by_target: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for row in rows:
        source = names.make_field_urn(Urn.parse(row["source"]), row["source_field"])
        by_target[row["target"], row["target_field"], row["transformation"]].append(str(source))
    column_edges = [
        {
            "upstreamType": "FIELD_SET",
            "upstreams": sources,
            "downstreamType": "FIELD",
            "downstreams": [str(names.make_field_urn(Urn.parse(target), field))],
            "transformOperation": how.upper(),
            "confidenceScore": 1.0,
        }
        for (target, field, how), sources in sorted(by_target.items())
    ]
    return {"fineGrainedLineages": column_edges} if column_edges else {}
