"""Marquez's lists and single reads: namespaces, jobs, datasets, runs, search."""

from typing import Any, Final, Literal

from jupyter_colophon.core.errors import InvalidQuery, NotFound
from jupyter_colophon.core.openlineage.event import OriginalName
from jupyter_colophon.operations.openlineage import documents
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_choice, declare_count, declare_number, declare_text
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

_OBJECT: Final = {"type": "object"}
_LIMIT: Final = declare_count("limit", "Maximum number of results.", default=100, minimum=0, maximum=1_000)
_OFFSET: Final = declare_number("offset", "Number of results to skip.", default=0, minimum=0, maximum=10_000)
_RESULTS: Final = {
    "type": "object",
    "required": ["totalCount", "truncated", "results"],
    "properties": {
        "totalCount": {
            "type": "integer",
            "description": "Number of matches; a lower bound where not all were counted, as with `namespace`.",
        },
        "truncated": {
            "type": "boolean",
            "description": "Whether there may be more matches than those in `results`. Not part of Marquez's API.",
        },
        "results": {"type": "array"},
    },
}
_SEARCH_LIMIT: Final = declare_count("limit", "Maximum number of results.", default=10, minimum=0, maximum=100)
_Q: Final = declare_text("q", "The text to search for.", required=True)
_FILTER: Final = declare_choice("filter", "Search only jobs or only datasets.", "JOB", "DATASET", "job", "dataset")
_SORT: Final = declare_choice("sort", "Sort by name, or by the last change.", "NAME", "UPDATE_AT", "name", "update_at")
_NAMESPACE: Final = declare_text("namespace", "Search only this namespace of OpenLineage.")
_TYPE: Final = declare_choice(
    "type", "Whose facets to read: those of the run (the default) or of its job.", "run", "job"
)


@declare_operation(
    "listNamespaces",
    "GET /api/v1/namespaces",
    decided_by="entities",
    parameters=[_LIMIT, _OFFSET],
    answers={200: _OBJECT},
)
def list_namespaces(services: ProcessServices, request: OperationRequest) -> Document:
    """List the namespaces of OpenLineage."""
    namespaces = services.get_or_open_catalog().marquez.list_visible_namespaces(
        request[_LIMIT], request[_OFFSET], request.principal
    )
    return {"namespaces": [documents.render_openlineage_namespace(namespace) for namespace in namespaces]}


@declare_operation(
    "readNamespace",
    "GET /api/v1/namespaces/{namespace}",
    decided_by="entities",
    answers={200: _OBJECT},
    errors=[NotFound],
)
def read_namespace(services: ProcessServices, request: OperationRequest) -> Document:
    """Read a namespace."""
    return documents.render_openlineage_namespace(
        services.get_or_open_catalog().marquez.read_namespace(request.path["namespace"], request.principal)
    )


@declare_operation(
    "listAllJobs", "GET /api/v1/jobs", decided_by="entities", parameters=[_LIMIT, _OFFSET], answers={200: _OBJECT}
)
def list_all_jobs(services: ProcessServices, request: OperationRequest) -> Document:
    """List the jobs of all namespaces."""
    return _list_jobs_or_datasets(services, request, "job")


@declare_operation(
    "listJobs",
    "GET /api/v1/namespaces/{namespace}/jobs",
    decided_by="entities",
    parameters=[_LIMIT, _OFFSET],
    answers={200: _OBJECT},
)
def list_jobs(services: ProcessServices, request: OperationRequest) -> Document:
    """List the jobs of a namespace."""
    return _list_jobs_or_datasets(services, request, "job")


@declare_operation(
    "readJob",
    "GET /api/v1/namespaces/{namespace}/jobs/{name}",
    decided_by="entities",
    answers={200: _OBJECT},
    errors=[NotFound],
)
def read_job(services: ProcessServices, request: OperationRequest) -> Document:
    """Read a job with its newest run."""
    return documents.render_job_or_dataset(
        services.get_or_open_catalog().marquez.read_job_or_dataset(
            "job", _parse_openlineage_name(request), request.principal
        )
    )


@declare_operation(
    "listRunsOfJob",
    "GET /api/v1/namespaces/{namespace}/jobs/{name}/runs",
    decided_by="entities",
    parameters=[_LIMIT, _OFFSET],
    answers={200: _OBJECT},
    errors=[NotFound],
)
def list_runs_of_job(services: ProcessServices, request: OperationRequest) -> Document:
    """List the runs of a job, newest first."""
    marquez = services.get_or_open_catalog().marquez
    job = marquez.read_job_or_dataset("job", _parse_openlineage_name(request), request.principal)
    runs, next_offset = marquez.list_runs(job, request[_LIMIT], request[_OFFSET], request.principal)
    return {"runs": [documents.render_run_with_facets(run) for run in runs]} | _render_next_offset(next_offset)


@declare_operation(
    "listDatasets",
    "GET /api/v1/namespaces/{namespace}/datasets",
    decided_by="entities",
    parameters=[_LIMIT, _OFFSET],
    answers={200: _OBJECT},
)
def list_datasets(services: ProcessServices, request: OperationRequest) -> Document:
    """List the datasets of a namespace."""
    return _list_jobs_or_datasets(services, request, "dataset")


@declare_operation(
    "readDataset",
    "GET /api/v1/namespaces/{namespace}/datasets/{name}",
    decided_by="entities",
    answers={200: _OBJECT},
    errors=[NotFound],
)
def read_dataset(services: ProcessServices, request: OperationRequest) -> Document:
    """Read a dataset with its facets."""
    return documents.render_job_or_dataset(
        services.get_or_open_catalog().marquez.read_job_or_dataset(
            "dataset", _parse_openlineage_name(request), request.principal
        )
    )


@declare_operation(
    "readRunOfJob", "GET /api/v1/jobs/runs/{id}", decided_by="entities", answers={200: _OBJECT}, errors=[NotFound]
)
def read_run_of_job(services: ProcessServices, request: OperationRequest) -> Document:
    """Read a run with its facets."""
    return documents.render_run_with_facets(
        services.get_or_open_catalog().marquez.read_run(request.path["id"], request.principal)
    )


@declare_operation(
    "readRunFacets",
    "GET /api/v1/jobs/runs/{id}/facets",
    decided_by="entities",
    parameters=[_TYPE],
    answers={200: _OBJECT},
    errors=[NotFound],
)
def read_run_facets(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the facets of a run, or the present ones of its job."""
    marquez, run_id = services.get_or_open_catalog().marquez, request.path["id"]
    run = marquez.read_run(run_id, request.principal)
    facets = (
        marquez.read_job_or_dataset("job", run.job, request.principal).facets if request[_TYPE] == "job" else run.facets
    )
    return {"runId": run_id, "facets": dict(facets)}


@declare_operation(
    "searchJobsAndDatasets",
    "GET /api/v1/search",
    decided_by="entities",
    parameters=[_Q, _FILTER, _SORT, _SEARCH_LIMIT, _NAMESPACE],
    answers={200: _RESULTS},
    errors=[InvalidQuery],
)
def search_jobs_and_datasets(services: ProcessServices, request: OperationRequest) -> Document:
    """Search jobs and datasets by text."""
    kind, order = request[_FILTER].lower(), request[_SORT].lower()
    kinds = [kind] if kind else ["job", "dataset"]
    search_result = services.get_or_open_catalog().marquez.search_jobs_and_datasets(
        request[_Q], kinds, request[_NAMESPACE], request[_SEARCH_LIMIT], request.principal
    )
    things = search_result.entities
    if order == "update_at":
        things = sorted(things, key=lambda thing: -thing.updated)
    elif order:
        things = sorted(things, key=lambda thing: thing.original_name.name)
    results = [documents.render_search_result(thing) for thing in things]
    return {"totalCount": search_result.total, "truncated": search_result.truncated, "results": results}


def _parse_openlineage_name(request: OperationRequest) -> OriginalName:
    return OriginalName(request.path["namespace"], request.path["name"])


def _list_jobs_or_datasets(
    services: ProcessServices, request: OperationRequest, kind: Literal["job", "dataset"]
) -> Document:
    """Return a page of jobs or datasets, of the namespace in the path or of all."""
    page = services.get_or_open_catalog().marquez.list_jobs_or_datasets(
        kind, request.path.get("namespace"), request[_LIMIT], request[_OFFSET], request.principal
    )
    things = [documents.render_job_or_dataset(thing) for thing in page.entities]
    return {f"{kind}s": things, "totalCount": page.total} | _render_next_offset(page.next_offset)


def _render_next_offset(offset: int | None) -> dict[str, Any]:
    """Return the offset to continue at where a page ended by its size; Marquez's lists have no member for it."""
    return {} if offset is None else {"nextOffset": offset}
