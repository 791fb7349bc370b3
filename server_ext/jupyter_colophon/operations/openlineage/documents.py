"""Jobs, datasets, runs and graphs in Marquez's form."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from jupyter_colophon.core.lineage.graph import ColumnLineage, LineageEdge
from jupyter_colophon.core.openlineage.event import OriginalName
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, limit_items_to_page_bytes
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.service.openlineage.marquez import OpenLineageGraph, OpenLineageNamespace, group_statements
from jupyter_colophon.service.openlineage.models import OpenLineageEntity, RunWithFacets

Document = dict[str, Any]
#: How often an answer repeats the names of an edge between columns, and the bytes of each copy in addition to the names.
_COLUMN_COPIES, _COLUMN_BYTES = 4, 100
_STATES: Final = {"running": "RUNNING", "succeeded": "COMPLETED", "failed": "FAILED", "killed": "ABORTED"}


def render_openlineage_namespace(namespace: OpenLineageNamespace) -> Document:
    """Return a namespace."""
    time = format_ms_as_iso_time(namespace.first)
    return {
        "name": namespace.name,
        "createdAt": time,
        "updatedAt": time,
        "ownerName": "anonymous",
        "description": None,
        "isHidden": False,
    }


def render_job_or_dataset(entity: OpenLineageEntity) -> Document:
    """Return a job or a dataset."""
    return _render_job(entity) if entity.type == "dataJob" else _render_dataset(entity)


def render_run_with_facets(run_with_facets: RunWithFacets) -> Document:
    """Return a run."""
    run, nominal = run_with_facets.run, run_with_facets.facets.get("nominalTime") or {}
    end = None if run.end is None else format_ms_as_iso_time(run.end)
    return {
        "id": run.run_id,
        "createdAt": format_ms_as_iso_time(run.start),
        "updatedAt": end or format_ms_as_iso_time(run.start),
        "nominalStartTime": nominal.get("nominalStartTime"),
        "nominalEndTime": nominal.get("nominalEndTime"),
        "state": _STATES[run.status],
        "startedAt": format_ms_as_iso_time(run.start),
        "endedAt": end,
        "durationMs": None if run.end is None else run.end - run.start,
        "args": dict(run.arguments),
        "job": _render_name_id(run_with_facets.job),
        "facets": dict(run_with_facets.facets),
    }


def format_node_id(entity: OpenLineageEntity) -> str:
    """Return Marquez's name of a node."""
    kind = "job" if entity.type == "dataJob" else "dataset"
    return f"{kind}:{entity.original_name.namespace}:{entity.original_name.name}"


def render_graph_nodes(graph: OpenLineageGraph) -> Document:
    """Return the nodes, each with its incoming and outgoing edges.

    Marquez's edges have no member for a statement, so a job has a node for each of its statements in the graph.
    """
    nodes: dict[str, OpenLineageEntity] = {}
    statements = group_statements(graph.edges)
    for urn, entity in graph.entities.items():
        names = statements.get(urn, {""}) if entity.type == "dataJob" else {""}
        nodes |= {_format_statement_node_id(entity, statement): entity for statement in names}
    edges = {ends for edge in graph.edges for ends in _list_statement_edges(graph, edge)}
    incoming, outgoing = _group_edges_by_both_ends(edges)
    spellings = {format_node_id(entity): _render_name_id(entity.original_name) for entity in graph.entities.values()}
    return {
        "graph": [
            {
                "id": id_,
                "type": "JOB" if entity.type == "dataJob" else "DATASET",
                "data": _render_statement_node(
                    entity,
                    id_,
                    [spellings[edge["origin"]] for edge in incoming[id_] if edge["origin"] in spellings],
                    [spellings[edge["destination"]] for edge in outgoing[id_] if edge["destination"] in spellings],
                ),
                "inEdges": incoming[id_],
                "outEdges": outgoing[id_],
            }
            for id_, entity in sorted(nodes.items())
        ],
        "truncated": graph.truncated,
    }


def _format_statement_node_id(entity: OpenLineageEntity, statement: str) -> str:
    return f"{format_node_id(entity)}#{statement}" if statement else format_node_id(entity)


def _list_statement_edges(graph: OpenLineageGraph, edge: LineageEdge) -> Iterator[tuple[str, str]]:
    source, target = graph.entities[edge.source], graph.entities[edge.target]
    for statement in edge.statements or ("",):
        in_source = statement if source.type == "dataJob" else ""
        in_target = statement if target.type == "dataJob" else ""
        yield _format_statement_node_id(source, in_source), _format_statement_node_id(target, in_target)


def _render_statement_node(
    entity: OpenLineageEntity, id_: str, inputs: list[Document], outputs: list[Document]
) -> Document:
    """Return a job or a dataset; a node of one statement has only the inputs and outputs of this statement."""
    document = render_job_or_dataset(entity)
    if id_ == format_node_id(entity):
        return document
    name = entity.original_name.name + id_.removeprefix(format_node_id(entity))
    return document | {
        "id": {"namespace": entity.original_name.namespace, "name": name},
        "name": name,
        "inputs": inputs,
        "outputs": outputs,
    }


def render_column_graph(graph: OpenLineageGraph) -> Document:
    """Return the columns of a graph, each with the columns it is derived from, up to LIST_BYTES_MAX."""
    page = list(
        limit_items_to_page_bytes(graph.columns, lambda edge: _measure_column_edge_bytes(graph, edge), LIST_BYTES_MAX)
    )
    names = {urn: entity.original_name for urn, entity in graph.entities.items()}
    inputs_of: dict[tuple[str, str], list[Document]] = defaultdict(list)
    edges = set()
    for edge in page:
        source, target = names[edge.source], names[edge.target]
        inputs_of.setdefault((edge.source, edge.source_field), [])
        inputs_of[edge.target, edge.target_field].append(
            {
                "namespace": source.namespace,
                "dataset": source.name,
                "field": edge.source_field,
                "transformationType": edge.transformation.upper(),
            }
        )
        edges.add((_format_field_node_id(source, edge.source_field), _format_field_node_id(target, edge.target_field)))
    incoming, outgoing = _group_edges_by_both_ends(edges)
    return {
        "graph": [
            {
                "id": _format_field_node_id(names[urn], field),
                "type": "DATASET_FIELD",
                "data": {
                    "namespace": names[urn].namespace,
                    "dataset": names[urn].name,
                    "field": field,
                    "fieldType": _get_field_types(graph.entities[urn]).get(field),
                    "inputFields": inputs,
                },
                "inEdges": incoming[_format_field_node_id(names[urn], field)],
                "outEdges": outgoing[_format_field_node_id(names[urn], field)],
            }
            for (urn, field), inputs in sorted(inputs_of.items())
        ],
        "truncated": graph.truncated or len(page) < len(graph.columns),
    }


def _measure_column_edge_bytes(graph: OpenLineageGraph, edge: ColumnLineage) -> int:
    """Return the approximate size in bytes of an edge between columns, which the answer has at both of its ends."""
    ends = (graph.entities[edge.source].original_name, graph.entities[edge.target].original_name)
    names = sum(len(end.namespace) + len(end.name) for end in ends)
    return _COLUMN_COPIES * (names + len(edge.source_field) + len(edge.target_field) + _COLUMN_BYTES)


def render_search_result(entity: OpenLineageEntity) -> Document:
    """Return a search result."""
    return {
        "name": entity.original_name.name,
        "namespace": entity.original_name.namespace,
        "nodeId": format_node_id(entity),
        "type": "JOB" if entity.type == "dataJob" else "DATASET",
        "updatedAt": format_ms_as_iso_time(entity.updated),
    }


def _render_shared_members(entity: OpenLineageEntity) -> Document:
    return {
        "id": _render_name_id(entity.original_name),
        "name": entity.original_name.name,
        "simpleName": entity.short,
        "namespace": entity.original_name.namespace,
        "createdAt": format_ms_as_iso_time(entity.created),
        "updatedAt": format_ms_as_iso_time(entity.updated),
        "description": (entity.facets.get("documentation") or {}).get("description"),
        "facets": dict(entity.facets),
        "urn": entity.urn,
    }


def _render_job(entity: OpenLineageEntity) -> Document:
    latest = None if entity.latest is None else render_run_with_facets(entity.latest)
    kind = (entity.facets.get("jobType") or {}).get("processingType")
    return _render_shared_members(entity) | {
        "type": "STREAM" if kind == "STREAMING" else "SERVICE" if kind == "SERVICE" else "BATCH",
        "inputs": [_render_name_id(name) for name in entity.inputs],
        "outputs": [_render_name_id(name) for name in entity.outputs],
        "location": (entity.facets.get("sourceCodeLocation") or {}).get("url"),
        "latestRun": latest,
        "latestRuns": [] if latest is None else [latest],
        "tags": _get_tag_names(entity),
        "labels": [],
    }


def _render_dataset(entity: OpenLineageEntity) -> Document:
    return _render_shared_members(entity) | {
        "type": "DB_TABLE",
        "physicalName": entity.original_name.name,
        "sourceName": (entity.facets.get("dataSource") or {}).get("name") or entity.original_name.namespace,
        "fields": [
            {"name": field, "type": type_, "tags": [], "description": None}
            for field, type_ in _get_field_types(entity).items()
        ],
        "tags": _get_tag_names(entity),
        "lastModifiedAt": format_ms_as_iso_time(entity.updated),
        "columnLineage": None,
        "deleted": entity.deleted,
    }


def _get_field_types(entity: OpenLineageEntity) -> Mapping[str, str | None]:
    fields = (entity.facets.get("schema") or {}).get("fields") or ()
    return {field["name"]: field.get("type") for field in fields}


def _get_tag_names(entity: OpenLineageEntity) -> list[str]:
    return [tag["key"] for tag in (entity.facets.get("tags") or {}).get("tags") or ()]


def _render_name_id(original_name: OriginalName) -> Document:
    return {"namespace": original_name.namespace, "name": original_name.name}


def _format_field_node_id(dataset: OriginalName, field: str) -> str:
    return f"datasetField:{dataset.namespace}:{dataset.name}:{field}"


def _group_edges_by_both_ends(
    edges: Iterable[tuple[str, str]],
) -> tuple[dict[str, list[Document]], dict[str, list[Document]]]:
    incoming: dict[str, list[Document]] = defaultdict(list)
    outgoing: dict[str, list[Document]] = defaultdict(list)
    for origin, destination in sorted(edges):
        edge = {"origin": origin, "destination": destination}
        incoming[destination].append(edge)
        outgoing[origin].append(edge)
    return incoming, outgoing
