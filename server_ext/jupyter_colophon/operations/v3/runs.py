"""Runs of programs, the data that they accessed, and their metadata."""

from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cdap.names import parse_v3_path
from jupyter_colophon.core.documents.json_values import measure_json_bytes
from jupyter_colophon.core.errors import InvalidName, InvalidQuery, NotFound, RunConflict
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import RunListing, TimeWindow
from jupyter_colophon.core.lineage.run import Run, RunUpsert
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, PAGE_BYTES_MAX, limit_items_to_page_bytes
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_count, declare_time
from jupyter_colophon.operations.request import Document, OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.v3 import run_documents as documents
from jupyter_colophon.operations.v3.parameters import FORMAT, SCOPE, SCOPES, TRUNCATED, declare_choice_in_any_case
from jupyter_colophon.operations.v3.paths import split_path

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

_LIST: Final = {"type": "array", "items": {"type": "object"}}
_ANY: Final = {"type": ["object", "array"]}
_START: Final = declare_time("start", "Start of the interval: runs that ended before it are ignored.")
_END: Final = declare_time("end", "End of the interval: runs that began at or after it are ignored.")
_LIMIT: Final = declare_count("limit", "Maximum number of results.", default=100, minimum=1, maximum=10_000)
_STATUS: Final = declare_choice_in_any_case(
    "status", "Return only runs with this status; `completed` is the same as `succeeded`.", *documents.STATUSES
)
#: How many runs a page of the list looks for, and how many pages one request reads at most.
_PAGE, _PAGES = 500, 20
#: The number of segments in the path of a program, `namespaces/{namespace}/apps/{app}/{type}/{program}`.
_PROGRAM_SEGMENTS: Final = 6
_ERRORS: Final = (NotFound, InvalidName)
_WRITE_ERRORS: Final = (NotFound, InvalidName, RunConflict)
_RECORDED: Final = {**documents.RUN_SCHEMA, "required": [*documents.RUN_SCHEMA["required"], "message"]}


@declare_operation(
    "v3RecordHistory",
    "POST /metadata/history",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    body={"application/json": documents.HISTORY},
    answers={200: _RECORDED},
    errors=_WRITE_ERRORS,
)
def record_access_with_metadata(services: ProcessServices, request: OperationRequest) -> Document:
    """Record an access of a run, optionally with the metadata of that time."""
    return _record_run_and_answer(
        services, request, documents.parse_history_report(request.body, services.identity), "The access is recorded."
    )


@declare_operation(
    "v3ListRuns",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}/runs",
    decided_by="entities",
    parameters=[_START, _END, _STATUS, _LIMIT],
    answers={200: {"type": "array", "items": documents.RUN_SCHEMA}},
    errors=_ERRORS,
)
def list_runs(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """List the runs of a program in an interval, newest first; the program may be deleted."""
    program, namespace = _parse_program_of_path(services, request)
    start, end, principal = request[_START], request[_END], request.principal
    if start is not None and end is not None and start > end:
        raise InvalidQuery("must not be after end", "start")
    status, catalog = documents.STATUSES.get(request[_STATUS], ""), services.get_or_open_catalog()
    catalog.runs.require_program(program, namespace, principal)
    runs, more = _find_newest_runs(catalog, str(program), TimeWindow(start, end), status, request[_LIMIT], principal)
    return OperationAnswer([documents.render_run(item) for item in runs], headers=TRUNCATED if more else {})


@declare_operation(
    "v3ReadRun",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}",
    decided_by="entities",
    answers={200: documents.RUN_SCHEMA},
    errors=_ERRORS,
)
def read_run(services: ProcessServices, request: OperationRequest) -> Document:
    """Return a run with its arguments and facts; its program may be deleted."""
    return documents.render_run(_require_run_of_path(services, request))


@declare_operation(
    "v3PutRun",
    "PUT /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    body={"application/json": documents.RUN},
    body_required=False,
    answers={200: _RECORDED},
    errors=_WRITE_ERRORS,
)
def record_run_progress(services: ProcessServices, request: OperationRequest) -> Document:
    """Record the start, the progress or the end of a run."""
    program, namespace = _parse_program_of_path(services, request)
    recording = documents.parse_run_report(program, namespace, request.path["run"], request.body or {})
    return _record_run_and_answer(services, request, recording, "The run is recorded.")


@declare_operation(
    "v3RecordAccess",
    "POST /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}/accesses",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    body={"application/json": documents.ACCESS},
    answers={200: _RECORDED},
    errors=_WRITE_ERRORS,
)
def record_access(services: ProcessServices, request: OperationRequest) -> Document:
    """Record that a run accessed data; recording it again updates only its time."""
    program, namespace = _parse_program_of_path(services, request)
    run_id, identity = request.path["run"], services.identity
    recording = documents.parse_access_report(program, namespace, run_id, request.body, identity)
    return _record_run_and_answer(services, request, recording, "The access is recorded.")


@declare_operation(
    "v3ReadRunMetadata",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}/metadata",
    decided_by="entities",
    parameters=[SCOPE, FORMAT],
    answers={200: _ANY},
    errors=_ERRORS,
)
def read_run_metadata(services: ProcessServices, request: OperationRequest) -> Any:
    """Return the metadata of a run: those of its program at that time, or its outcome; with `v5`, of its accesses."""
    if request[FORMAT] == "v5":
        return _read_access_records(services, request)
    run = _require_run_of_path(services, request)
    return documents.render_run_metadata(
        services.get_or_open_catalog().runs.build_run_metadata(run), _parse_scopes(request), request[FORMAT]
    )


@declare_operation(
    "v3ReadRunAccesses",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}/metadata/accesses",
    decided_by="entities",
    answers={200: _LIST},
    errors=_ERRORS,
)
def read_run_accesses(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """List the data that a run accessed, with their metadata at its first access; its program may be deleted."""
    return _read_access_records(services, request)


@declare_operation(
    "v3ReadRunProperties",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}/metadata/properties",
    decided_by="entities",
    parameters=[SCOPE, FORMAT],
    answers={200: _ANY},
    errors=_ERRORS,
)
def read_run_properties(services: ProcessServices, request: OperationRequest) -> Any:
    """Return the properties in a run's metadata."""
    run = _require_run_of_path(services, request)
    return documents.render_run_properties(
        services.get_or_open_catalog().runs.build_run_metadata(run), _parse_scopes(request), request[FORMAT]
    )


@declare_operation(
    "v3ReadSystemRunProperties",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}/metadata/properties/system",
    decided_by="entities",
    parameters=[FORMAT],
    answers={200: _ANY},
    errors=_ERRORS,
)
def read_system_run_properties(services: ProcessServices, request: OperationRequest) -> Any:
    """Return the SYSTEM properties in a run's metadata."""
    run = _require_run_of_path(services, request)
    return documents.render_run_properties(
        services.get_or_open_catalog().runs.build_run_metadata(run), ("SYSTEM",), request[FORMAT]
    )


@declare_operation(
    "v3ReadRunTags",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}/metadata/tags",
    decided_by="entities",
    parameters=[SCOPE, FORMAT],
    answers={200: {"type": "array"}},
    errors=_ERRORS,
)
def read_run_tags(services: ProcessServices, request: OperationRequest) -> Any:
    """Return the tags in a run's metadata."""
    run = _require_run_of_path(services, request)
    return documents.render_run_tags(
        services.get_or_open_catalog().runs.build_run_metadata(run), _parse_scopes(request), request[FORMAT]
    )


def _parse_program_of_path(services: ProcessServices, request: OperationRequest) -> tuple[Urn, str]:
    """Return the program in the path, and the namespace there."""
    return parse_v3_path(split_path(request)[:_PROGRAM_SEGMENTS], services.identity), request.path["namespace"]


def _parse_scopes(request: OperationRequest) -> tuple[str, ...]:
    return SCOPES[request[SCOPE] or "user"]


def _require_run_of_path(services: ProcessServices, request: OperationRequest) -> Run:
    """Return the run in the path; its program may be deleted. Raises NotFound."""
    program, namespace = _parse_program_of_path(services, request)
    return services.get_or_open_catalog().runs.read_run_by_program_and_id(
        program, namespace, request.path["run"], request.principal
    )


def _find_newest_runs(
    catalog: "Catalog", program: str, window: TimeWindow, status: str, limit: int, principal: Principal
) -> tuple[list[Run], bool]:
    """Return the newest runs, no more than a page has bytes for, and whether there may be more."""
    runs: list[Run] = []
    size = 0
    cursor: str | None = ""
    for _ in range(_PAGES):
        listing = RunListing(
            program=program, window=window, status=status, limit=min(_PAGE, limit - len(runs)), cursor=cursor or ""
        )
        page, cursor = catalog.runs.list_visible_runs(listing, principal)
        runs += page
        size += sum(measure_json_bytes((run.facts, run.arguments)) for run in page)
        if cursor is None or len(runs) == limit or size > PAGE_BYTES_MAX:
            break
    return runs, cursor is not None


def _record_run_and_answer(
    services: ProcessServices, request: OperationRequest, recording: RunUpsert, message: str
) -> Document:
    """Record a reported run."""
    run = services.get_or_open_catalog().write_path.record_complete_run(
        recording, request.principal, request.idempotency_key
    )
    return {"message": message} | documents.render_run(run)


def _read_access_records(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Return the accesses of the run: a record for each entity and scope."""
    run = _require_run_of_path(services, request)
    records = documents.render_access_records(
        services.get_or_open_catalog().runs.list_accessed_entities(run, request.principal), services.identity
    )
    page = list(limit_items_to_page_bytes(records, measure_json_bytes, LIST_BYTES_MAX))
    return OperationAnswer(page, headers=TRUNCATED if len(page) < len(records) else {})
