"""Jobs, datasets, runs and graphs in Marquez's form."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from jupyter_colophon.core.lineage.graph import ColumnLineage, LineageEdge
from jupyter_colophon.core.openlineage.event import Spelling
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, take_page
from jupyter_colophon.core.time_format import format_time
from jupyter_colophon.service.openlineage.marquez import Graph, Space, statements_of_nodes
from jupyter_colophon.service.openlineage.models import RunWithFacets, Thing

Document = dict[str, Any]
#: How often an answer repeats the names of an edge between columns, and the bytes of each copy beside the names.
_COLUMN_COPIES, _COLUMN_BYTES = 4, 100
_STATES: Final = {"running": "RUNNING", "succeeded": "COMPLETED", "failed": "FAILED", "killed": "ABORTED"}


def space(namespace: Space) -> Document:
    """Return a namespace."""
    time = format_time(namespace.first)
    return {
        "name": namespace.name,
        "createdAt": time,
        "updatedAt": time,
        "ownerName": "anonymous",
        "description": None,
        "isHidden": False,
    }


def thing(one: Thing) -> Document:
    """Return a job or a dataset."""
    return _job(one) if one.type == "dataJob" else _dataset(one)


def run(one: RunWithFacets) -> Document:
    """Return a run."""
    run, nominal = one.run, one.facets.get("nominalTime") or {}
    end = None if run.end is None else format_time(run.end)
    return {
        "id": run.run_id,
        "createdAt": format_time(run.start),
        "updatedAt": end or format_time(run.start),
        "nominalStartTime": nominal.get("nominalStartTime"),
        "nominalEndTime": nominal.get("nominalEndTime"),
        "state": _STATES[run.status],
        "startedAt": format_time(run.start),
        "endedAt": end,
        "durationMs": None if run.end is None else run.end - run.start,
        "args": dict(run.arguments),
        "job": _id(one.job),
        "facets": dict(one.facets),
    }


def node_id(one: Thing) -> str:
    """Return Marquez's name of a node."""
    kind = "job" if one.type == "dataJob" else "dataset"
    return f"{kind}:{one.spelling.namespace}:{one.spelling.name}"


def graph(found: Graph) -> Document:
    """Return the nodes, each with its incoming and outgoing edges.

    Marquez's edges have no member for a statement, so a job has a node for each of its statements in the graph.
    """
    nodes: dict[str, Thing] = {}
    statements = statements_of_nodes(found.edges)
    for urn, one in found.things.items():
        names = statements.get(urn, {""}) if one.type == "dataJob" else {""}
        nodes |= {_statement_id(one, statement): one for statement in names}
    edges = {ends for edge in found.edges for ends in _statement_edges(found, edge)}
    incoming, outgoing = _ends(edges)
    spellings = {node_id(one): _id(one.spelling) for one in found.things.values()}
    return {
        "graph": [
            {
                "id": id_,
                "type": "JOB" if one.type == "dataJob" else "DATASET",
                "data": _thing_of_statement(
                    one,
                    id_,
                    [spellings[edge["origin"]] for edge in incoming[id_] if edge["origin"] in spellings],
                    [spellings[edge["destination"]] for edge in outgoing[id_] if edge["destination"] in spellings],
                ),
                "inEdges": incoming[id_],
                "outEdges": outgoing[id_],
            }
            for id_, one in sorted(nodes.items())
        ],
        "truncated": found.truncated,
    }


def _statement_id(one: Thing, statement: str) -> str:
    return f"{node_id(one)}#{statement}" if statement else node_id(one)


def _statement_edges(found: Graph, edge: LineageEdge) -> Iterator[tuple[str, str]]:
    source, target = found.things[edge.source], found.things[edge.target]
    for statement in edge.statements or ("",):
        in_source = statement if source.type == "dataJob" else ""
        in_target = statement if target.type == "dataJob" else ""
        yield _statement_id(source, in_source), _statement_id(target, in_target)


def _thing_of_statement(one: Thing, id_: str, inputs: list[Document], outputs: list[Document]) -> Document:
    """Return a job or a dataset; a node of one statement has only the inputs and outputs of this statement."""
    document = thing(one)
    if id_ == node_id(one):
        return document
    name = one.spelling.name + id_.removeprefix(node_id(one))
    return document | {
        "id": {"namespace": one.spelling.namespace, "name": name},
        "name": name,
        "inputs": inputs,
        "outputs": outputs,
    }


def columns(found: Graph) -> Document:
    """Return the columns of a graph, each with the columns it is derived from, up to LIST_BYTES_MAX."""
    shown = list(take_page(found.columns, lambda one: _measure_column(found, one), LIST_BYTES_MAX))
    names = {urn: one.spelling for urn, one in found.things.items()}
    inputs_of: dict[tuple[str, str], list[Document]] = defaultdict(list)
    edges = set()
    for one in shown:
        source, target = names[one.source], names[one.target]
        inputs_of.setdefault((one.source, one.source_field), [])
        inputs_of[one.target, one.target_field].append(
            {
                "namespace": source.namespace,
                "dataset": source.name,
                "field": one.source_field,
                "transformationType": one.transformation.upper(),
            }
        )
        edges.add((_field_id(source, one.source_field), _field_id(target, one.target_field)))
    incoming, outgoing = _ends(edges)
    return {
        "graph": [
            {
                "id": _field_id(names[urn], field),
                "type": "DATASET_FIELD",
                "data": {
                    "namespace": names[urn].namespace,
                    "dataset": names[urn].name,
                    "field": field,
                    "fieldType": _types(found.things[urn]).get(field),
                    "inputFields": inputs,
                },
                "inEdges": incoming[_field_id(names[urn], field)],
                "outEdges": outgoing[_field_id(names[urn], field)],
            }
            for (urn, field), inputs in sorted(inputs_of.items())
        ],
        "truncated": found.truncated or len(shown) < len(found.columns),
    }


def _measure_column(found: Graph, edge: ColumnLineage) -> int:
    """Return the approximate size in bytes of an edge between columns, which the answer has at both of its ends."""
    ends = (found.things[edge.source].spelling, found.things[edge.target].spelling)
    names = sum(len(one.namespace) + len(one.name) for one in ends)
    return _COLUMN_COPIES * (names + len(edge.source_field) + len(edge.target_field) + _COLUMN_BYTES)


def result(one: Thing) -> Document:
    """Return a search result."""
    return {
        "name": one.spelling.name,
        "namespace": one.spelling.namespace,
        "nodeId": node_id(one),
        "type": "JOB" if one.type == "dataJob" else "DATASET",
        "updatedAt": format_time(one.updated),
    }


def _shared(one: Thing) -> Document:
    return {
        "id": _id(one.spelling),
        "name": one.spelling.name,
        "simpleName": one.short,
        "namespace": one.spelling.namespace,
        "createdAt": format_time(one.created),
        "updatedAt": format_time(one.updated),
        "description": (one.facets.get("documentation") or {}).get("description"),
        "facets": dict(one.facets),
        "urn": one.urn,
    }


def _job(one: Thing) -> Document:
    latest = None if one.latest is None else run(one.latest)
    kind = (one.facets.get("jobType") or {}).get("processingType")
    return _shared(one) | {
        "type": "STREAM" if kind == "STREAMING" else "SERVICE" if kind == "SERVICE" else "BATCH",
        "inputs": [_id(name) for name in one.inputs],
        "outputs": [_id(name) for name in one.outputs],
        "location": (one.facets.get("sourceCodeLocation") or {}).get("url"),
        "latestRun": latest,
        "latestRuns": [] if latest is None else [latest],
        "tags": _tags(one),
        "labels": [],
    }


def _dataset(one: Thing) -> Document:
    return _shared(one) | {
        "type": "DB_TABLE",
        "physicalName": one.spelling.name,
        "sourceName": (one.facets.get("dataSource") or {}).get("name") or one.spelling.namespace,
        "fields": [
            {"name": field, "type": type_, "tags": [], "description": None} for field, type_ in _types(one).items()
        ],
        "tags": _tags(one),
        "lastModifiedAt": format_time(one.updated),
        "columnLineage": None,
        "deleted": one.deleted,
    }


def _types(one: Thing) -> Mapping[str, str | None]:
    fields = (one.facets.get("schema") or {}).get("fields") or ()
    return {field["name"]: field.get("type") for field in fields}


def _tags(one: Thing) -> list[str]:
    return [tag["key"] for tag in (one.facets.get("tags") or {}).get("tags") or ()]


def _id(one: Spelling) -> Document:
    return {"namespace": one.namespace, "name": one.name}


def _field_id(dataset: Spelling, field: str) -> str:
    return f"datasetField:{dataset.namespace}:{dataset.name}:{field}"


def _ends(edges: Iterable[tuple[str, str]]) -> tuple[dict[str, list[Document]], dict[str, list[Document]]]:
    incoming: dict[str, list[Document]] = defaultdict(list)
    outgoing: dict[str, list[Document]] = defaultdict(list)
    for origin, destination in sorted(edges):
        edge = {"origin": origin, "destination": destination}
        incoming[destination].append(edge)
        outgoing[origin].append(edge)
    return incoming, outgoing
