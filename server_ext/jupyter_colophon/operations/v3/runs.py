"""Runs of programs, the data that they accessed, and their metadata."""

from typing import Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cdap.names import from_v3
from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.errors import InvalidName, InvalidQuery, NotFound, RunConflict
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import RunListing, Window
from jupyter_colophon.core.lineage.run import Recording, Run
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, PAGE_BYTES_MAX, take_page
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.operation import operation
from jupyter_colophon.operations.parameter import count, time
from jupyter_colophon.operations.request import Answer, Document, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.v3 import run_documents as documents
from jupyter_colophon.operations.v3.parameters import FORMAT, SCOPE, SCOPES, TRUNCATED, word
from jupyter_colophon.operations.v3.paths import segments_of

_LIST: Final = {"type": "array", "items": {"type": "object"}}
_ANY: Final = {"type": ["object", "array"]}
_START: Final = time("start", "Start of the interval: runs that ended before it are ignored.")
_END: Final = time("end", "End of the interval: runs that began at or after it are ignored.")
_LIMIT: Final = count("limit", "Maximum number of results.", default=100, least=1, most=10_000)
_STATUS: Final = word(
    "status", "Return only runs with this status; `completed` is the same as `succeeded`.", *documents.STATUSES
)
#: How many runs a page of the list looks for, and how many pages one request reads at most.
_PAGE, _PAGES = 500, 20
#: The number of segments in the path of a program, `namespaces/{namespace}/apps/{app}/{type}/{program}`.
_PROGRAM_SEGMENTS: Final = 6
_ERRORS: Final = (NotFound, InvalidName)
_WRITE_ERRORS: Final = (NotFound, InvalidName, RunConflict)
_RECORDED: Final = {**documents.RUN_SHAPE, "required": [*documents.RUN_SHAPE["required"], "message"]}


@operation(
    "v3RecordHistory",
    "POST /metadata/history",
    parameters=[IDEMPOTENCY_KEY],
    body={"application/json": documents.HISTORY},
    answers={200: _RECORDED},
    errors=_WRITE_ERRORS,
)
def record_history(services: Services, request: Request) -> Document:
    """Record an access of a run, optionally with the metadata of that time."""
    return _record(services, request, documents.history(request.body, services.identity), "The access is recorded.")


@operation(
    "v3ListRuns",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}/runs",
    parameters=[_START, _END, _STATUS, _LIMIT],
    answers={200: {"type": "array", "items": documents.RUN_SHAPE}},
    errors=_ERRORS,
)
def list_runs(services: Services, request: Request) -> Answer:
    """List the runs of a program in an interval, newest first; the program may be deleted."""
    program, namespace = _program(services, request)
    start, end, principal = request[_START], request[_END], request.principal
    if start is not None and end is not None and start > end:
        raise InvalidQuery("is after end", "start")
    status, catalog = documents.STATUSES.get(request[_STATUS], ""), services.catalog()
    catalog.runs.require_program(program, namespace, principal)
    found, more = _find_runs(catalog, str(program), Window(start, end), status, request[_LIMIT], principal)
    return Answer([documents.run(one) for one in found], headers=TRUNCATED if more else {})


@operation(
    "v3ReadRun",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}",
    answers={200: documents.RUN_SHAPE},
    errors=_ERRORS,
)
def read_run(services: Services, request: Request) -> Document:
    """Return a run with its arguments and facts; its program may be deleted."""
    return documents.run(_find_run(services, request))


@operation(
    "v3PutRun",
    "PUT /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}",
    parameters=[IDEMPOTENCY_KEY],
    body={"application/json": documents.RUN},
    body_required=False,
    answers={200: _RECORDED},
    errors=_WRITE_ERRORS,
)
def put_run(services: Services, request: Request) -> Document:
    """Record the start, the progress or the end of a run."""
    program, namespace = _program(services, request)
    recording = documents.recording(program, namespace, request.path["run"], request.body or {})
    return _record(services, request, recording, "The run is recorded.")


@operation(
    "v3RecordAccess",
    "POST /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}/accesses",
    parameters=[IDEMPOTENCY_KEY],
    body={"application/json": documents.ACCESS},
    answers={200: _RECORDED},
    errors=_WRITE_ERRORS,
)
def record_access(services: Services, request: Request) -> Document:
    """Record that a run accessed data; recording it again updates only its time."""
    program, namespace = _program(services, request)
    run_id, identity = request.path["run"], services.identity
    recording = documents.recorded_access(program, namespace, run_id, request.body, identity)
    return _record(services, request, recording, "The access is recorded.")


@operation(
    "v3ReadRunMetadata",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}/metadata",
    parameters=[SCOPE, FORMAT],
    answers={200: _ANY},
    errors=_ERRORS,
)
def read_run_metadata(services: Services, request: Request) -> Any:
    """Return the metadata of a run: those of its program at that time, or its outcome; with `v5`, of its accesses."""
    if request[FORMAT] == "v5":
        return _accesses(services, request)
    run = _find_run(services, request)
    return documents.metadata(services.catalog().runs.metadata(run), _scopes(request), request[FORMAT])


@operation(
    "v3ReadRunAccesses",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}/metadata/accesses",
    answers={200: _LIST},
    errors=_ERRORS,
)
def read_run_accesses(services: Services, request: Request) -> Answer:
    """List the data that a run accessed, with their metadata at its first access; its program may be deleted."""
    return _accesses(services, request)


@operation(
    "v3ReadRunProperties",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}/metadata/properties",
    parameters=[SCOPE, FORMAT],
    answers={200: _ANY},
    errors=_ERRORS,
)
def read_run_properties(services: Services, request: Request) -> Any:
    """Return the properties in a run's metadata."""
    run = _find_run(services, request)
    return documents.properties(services.catalog().runs.metadata(run), _scopes(request), request[FORMAT])


@operation(
    "v3ReadSystemRunProperties",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}/metadata/properties/system",
    parameters=[FORMAT],
    answers={200: _ANY},
    errors=_ERRORS,
)
def read_system_run_properties(services: Services, request: Request) -> Any:
    """Return the SYSTEM properties in a run's metadata."""
    run = _find_run(services, request)
    return documents.properties(services.catalog().runs.metadata(run), ("SYSTEM",), request[FORMAT])


@operation(
    "v3ReadRunTags",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}/runs/{run}/metadata/tags",
    parameters=[SCOPE, FORMAT],
    answers={200: {"type": "array"}},
    errors=_ERRORS,
)
def read_run_tags(services: Services, request: Request) -> Any:
    """Return the tags in a run's metadata."""
    run = _find_run(services, request)
    return documents.tags(services.catalog().runs.metadata(run), _scopes(request), request[FORMAT])


def _program(services: Services, request: Request) -> tuple[Urn, str]:
    """Return the program in the path, and the namespace there."""
    return from_v3(segments_of(request)[:_PROGRAM_SEGMENTS], services.identity), request.path["namespace"]


def _scopes(request: Request) -> tuple[str, ...]:
    return SCOPES[request[SCOPE] or "user"]


def _find_run(services: Services, request: Request) -> Run:
    """Return the run in the path; its program may be deleted. Raises NotFound."""
    program, namespace = _program(services, request)
    return services.catalog().runs.of_program(program, namespace, request.path["run"], request.principal)


def _find_runs(
    catalog: Any, program: str, window: Window, status: str, limit: int, principal: Principal
) -> tuple[list[Run], bool]:
    """Return the newest runs, no more than a page has bytes for, and whether there may be more."""
    found: list[Run] = []
    size = 0
    cursor: str | None = ""
    for _ in range(_PAGES):
        listing = RunListing(
            program=program, window=window, status=status, limit=min(_PAGE, limit - len(found)), cursor=cursor or ""
        )
        page, cursor = catalog.runs.runs(listing, principal)
        found += page
        size += sum(measure((run.facts, run.arguments)) for run in page)
        if cursor is None or len(found) == limit or size > PAGE_BYTES_MAX:
            break
    return found, cursor is not None


def _record(services: Services, request: Request, recording: Recording, message: str) -> Document:
    """Record what was reported of a run."""
    run = services.catalog().write_path.record(recording, request.principal, request.once)
    return {"message": message} | documents.run(run)


def _accesses(services: Services, request: Request) -> Answer:
    """Answer with what the run accessed: a record of each entity and scope."""
    run = _find_run(services, request)
    records = documents.accesses(services.catalog().runs.touched(run, request.principal), services.identity)
    shown = list(take_page(records, measure, LIST_BYTES_MAX))
    return Answer(shown, headers=TRUNCATED if len(shown) < len(records) else {})
