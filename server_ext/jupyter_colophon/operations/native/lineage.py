"""Lineage and runs."""

from dataclasses import replace
from functools import partial
from typing import cast, get_args

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.codec import from_api_document, to_api_document, to_api_documents
from jupyter_colophon.core.errors import AlreadyExists, HistoryExpired, InvalidName, InvalidQuery, NotFound, RunConflict
from jupyter_colophon.core.identity.names import (
    Urn,
    make_cell_program_urn,
    make_notebook_program_urn,
    make_variable_urn,
    parse_notebook_program_urn,
    parse_program_urn,
    split_variable_urn,
)
from jupyter_colophon.core.lineage.graph import (
    DEFAULT_RELATIONS,
    MAX_LEVELS,
    MAX_RELATIONS,
    Direction,
    LineageRequest,
    RunListing,
    TimeWindow,
)
from jupyter_colophon.core.lineage.run import Access, ColumnEdge, RunChange, RunStart
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.native import documents, lineage_documents
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.parameter import declare_choice, declare_flag, declare_number, declare_text
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import AS_OF, CURSOR, END, LIMIT, START, URN

DIRECTION = declare_choice(
    "direction",
    "`upstream`, `downstream`, both, or `undirected`: also the other data that the same programs accessed.",
    *get_args(Direction),
    default="both",
)
LEVELS = declare_number(
    "levels",
    "Number of levels: one level is data, its programs, and their other data.",
    default=1,
    minimum=1,
    maximum=MAX_LEVELS,
)
RELATIONS = declare_number(
    "limit", "Maximum number of relations.", default=DEFAULT_RELATIONS, minimum=1, maximum=MAX_RELATIONS
)
_COLUMNS = declare_flag("columns", "Include edges between columns.")
_PROGRAM = declare_text("program", "Return only runs of this program.", format="colophon-urn")
_DATA = declare_text("data", "Return only runs that accessed this dataset.", format="colophon-urn")
_STATUS = declare_choice("status", "Return only runs with this status.", "running", "succeeded", "failed", "killed")
_NOTEBOOK = declare_text("notebook", "The path of a notebook, relative to the server's root.", required=True)
_NEXT = (
    OperationLink("readRun", {"path.urn": "$response.body#/urn"}),
    OperationLink("updateRun", {"path.urn": "$response.body#/urn"}),
    OperationLink("recordAccesses", {"path.urn": "$response.body#/urn"}),
)


@declare_operation(
    "readLineage",
    "GET /lineage",
    decided_by="entities",
    parameters=[URN, DIRECTION, LEVELS, START, END, RELATIONS, _COLUMNS, AS_OF],
    answers="lineage",
    errors=[InvalidName, NotFound, HistoryExpired],
)
def read_lineage(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the lineage graph around an entity."""
    lineage_request = LineageRequest(
        urn=Urn.parse(request[URN]),
        direction=cast("Direction", request[DIRECTION]),
        levels=request[LEVELS],
        window=parse_time_window(request),
        limit=request[RELATIONS],
        columns=request[_COLUMNS],
        as_of=request[AS_OF],
    )
    lineage = services.get_or_open_catalog().lineage.read_lineage(lineage_request, request.principal)
    return lineage_documents.render_lineage_query(lineage_request) | lineage_documents.render_lineage(lineage)


@declare_operation(
    "listRuns",
    "GET /runs",
    decided_by="entities",
    parameters=[_PROGRAM, _DATA, START, END, _STATUS, LIMIT, CURSOR],
    answers="runs",
    links=[OperationLink("readRun", {"path.urn": "$response.body#/runs/0/urn"})],
)
def list_runs(services: ProcessServices, request: OperationRequest) -> Document:
    """List runs, newest first."""
    listing = RunListing(
        program=request[_PROGRAM],
        data=request[_DATA],
        window=parse_time_window(request),
        status=request[_STATUS],
        limit=request[LIMIT],
        cursor=request[CURSOR],
    )
    runs, cursor = services.get_or_open_catalog().runs.list_visible_runs(listing, request.principal)
    return {"runs": to_api_documents(runs), "cursor": cursor}


@declare_operation(
    "listCellRuns",
    "GET /cell-runs",
    decided_by="entities",
    parameters=[_NOTEBOOK],
    answers="runs",
    errors=[InvalidName],
    links=[OperationLink("readRun", {"path.urn": "$response.body#/runs/0/urn"})],
)
def list_cell_runs(services: ProcessServices, request: OperationRequest) -> Document:
    """List the newest run of each cell of a notebook, newest first."""
    notebook = make_notebook_program_urn(services.find_notebook_namespace(request.principal), request[_NOTEBOOK])
    runs = services.get_or_open_catalog().runs.list_cell_runs(notebook, request.principal)
    return {"runs": to_api_documents(runs), "cursor": None}


@declare_operation(
    "listCellStates",
    "POST /cell-states",
    decided_by="entities",
    body="cell-states-query",
    answers="cell-states",
    errors=[InvalidName],
    permission="read",
    links=[OperationLink("readRun", {"path.urn": "$response.body#/cells/0/run"})],
)
def list_cell_states(services: ProcessServices, request: OperationRequest) -> Document:
    """List which cells of a notebook are stale: what they read was written again since, or comes from a stale cell."""
    notebook = make_notebook_program_urn(services.find_notebook_namespace(request.principal), request.body["notebook"])
    states = services.get_or_open_catalog().cell_states
    return {"cells": to_api_documents(states.list_cell_states(notebook, request.body.get("cells"), request.principal))}


@declare_operation(
    "startRun",
    "POST /runs",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    body="run-start",
    answers="run",
    errors=[InvalidName, NotFound, AlreadyExists],
    links=_NEXT,
)
def start_run(services: ProcessServices, request: OperationRequest) -> Document:
    """Record a run; repeating the same program and run id does not create another run."""
    start, write_path = from_api_document(request.body, RunStart), services.get_or_open_catalog().write_path
    resolve = partial(_move_to_present_notebook, services, request.principal)
    return to_api_document(write_path.start_run(start, request.principal, request.idempotency_key, resolve))


def _move_to_present_notebook(services: ProcessServices, principal: Principal, start: RunStart) -> RunStart:
    """Return the start with the present path of its notebook, if that was renamed since the kernel started."""
    moved = find_present_program(services, principal, start.program)
    if moved is None:
        return start
    program, path = moved
    return replace(start, program=program, facts={**start.facts, "notebook": path})


def find_present_program(services: ProcessServices, principal: Principal, urn: Urn) -> tuple[Urn, str] | None:
    """Return the program and the path of a notebook, or of its cell, if it was renamed since the kernel started."""
    place, program = parse_notebook_program_urn(urn), parse_program_urn(urn)
    if place is None or program is None:
        return None
    (path, cell), namespace = place, program[0]
    present = services.find_present_notebook_path(principal, path)
    if present == path:
        return None
    moved = make_cell_program_urn(namespace, present, cell) if cell else make_notebook_program_urn(namespace, present)
    return moved, present


def find_present_variable(services: ProcessServices, principal: Principal, urn: Urn) -> Urn:
    """Return the variable of a notebook that was renamed since the kernel started, with the present path; other data as it is."""
    parts = None if principal.via is None else split_variable_urn(str(urn))
    if parts is None:
        return urn
    namespace, path, cell, name = parts
    present = services.find_present_notebook_path(principal, path)
    return urn if present == path else make_variable_urn(namespace, present, cell, name)


@declare_operation("readRun", "GET /runs/{urn}", decided_by="entities", answers="run", errors=[NotFound])
def read_run(services: ProcessServices, request: OperationRequest) -> Document:
    """Read a run with its accesses."""
    return to_api_document(services.get_or_open_catalog().runs.read_visible_run(str(request.urn), request.principal))


@declare_operation(
    "updateRun",
    "PATCH /runs/{urn}",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    body="run-change",
    answers="run",
    errors=[NotFound, RunConflict],
    links=_NEXT,
)
def update_run(services: ProcessServices, request: OperationRequest) -> Document:
    """Update the status, the end, the facts or the arguments of a run."""
    change = from_api_document(request.body, RunChange)
    write_path = services.get_or_open_catalog().write_path
    return to_api_document(write_path.update_run(str(request.urn), change, request.principal, request.idempotency_key))


@declare_operation(
    "listRunAccesses", "GET /runs/{urn}/accesses", decided_by="entities", answers="run-accesses", errors=[NotFound]
)
def list_run_accesses(services: ProcessServices, request: OperationRequest) -> Document:
    """List the entities that a run accessed, with their metadata at the first access."""
    runs = services.get_or_open_catalog().runs
    run = runs.read_visible_run(str(request.urn), request.principal)
    return documents.render_accesses(runs.list_accessed_entities(run, request.principal))


@declare_operation(
    "recordAccesses",
    "POST /runs/{urn}/accesses",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    body="accesses",
    answers="run",
    errors=[NotFound],
    links=_NEXT,
)
def record_accesses(services: ProcessServices, request: OperationRequest) -> Document:
    """Record the data that a run accessed."""
    accesses = [from_api_document(access, Access) for access in request.body["accesses"]]
    columns = [from_api_document(column, ColumnEdge) for column in request.body.get("columns", ())]
    write_path, principal = services.get_or_open_catalog().write_path, request.principal
    resolve = partial(find_present_variable, services, principal)
    run = write_path.record_run_accesses(
        str(request.urn), accesses, columns, principal, request.idempotency_key, resolve
    )
    return to_api_document(run)


def parse_time_window(request: OperationRequest) -> TimeWindow:
    """Return the window of the parameters `start` and `end`. Raises InvalidQuery."""
    start, end = request[START], request[END]
    if start is not None and end is not None and start > end:
        raise InvalidQuery("must not be after end", "start")
    return TimeWindow(start, end)
