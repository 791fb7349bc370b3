"""The results of checks of the data of datasets."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from jupyter_colophon.core.errors import (
    DataUnreadable,
    InvalidInstance,
    InvalidName,
    NotFound,
    Problem,
    TooManyExecutions,
)
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.openlineage.assertions import read_assertions_of_events
from jupyter_colophon.core.openlineage.event import Event
from jupyter_colophon.core.quality.check_program import make_check_program_urn
from jupyter_colophon.core.quality.dbt import read_test_results
from jupyter_colophon.core.quality.great_expectations import read_validation_results
from jupyter_colophon.core.quality.imported import ImportedDataset, UnreadableResults
from jupyter_colophon.operations.admin_access import build_admin_check
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.request import Document, OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.service.quality.importer import SUBJECT, ImportTarget
from jupyter_colophon.service.quality.recorder import QualityCheck

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

_NEXT = (OperationLink("readEntity", {"path.urn": "$response.body#/urn"}),)


@declare_operation(
    "recordQualityResults",
    "POST /entities/{urn}/quality/results",
    decided_by="entities",
    parameters=[IDEMPOTENCY_KEY],
    body="quality-results",
    answers="quality-record",
    errors=[NotFound],
    links=_NEXT,
)
def record_quality_results(services: ProcessServices, request: OperationRequest) -> Document:
    """Record the results of a check of a dataset's expectations."""
    body, recorder = request.body, services.get_or_open_catalog().quality
    check = QualityCheck(body["source"], body.get("time", recorder.now()), body["results"])
    aspect = recorder.record(request.urn, check, request.principal, request.idempotency_key)
    return {"urn": str(request.urn), "version": aspect.version, "quality": aspect.value}


@declare_operation(
    "startQualityCheck",
    "POST /entities/{urn}/quality/checks",
    decided_by="admin",
    answers={201: "pipeline-execution"},
    errors=[NotFound, DataUnreadable, TooManyExecutions],
    permission="execute",
    # The data is read with the rights of the server's account.
    access=build_admin_check("check", "data on the server"),
    links=[
        OperationLink(operation, {"path.execution": "$response.body#/id"}, status=HTTPStatus.CREATED)
        for operation in ("readPipelineExecution", "stopPipelineExecution")
    ],
)
def start_quality_check(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Check the expectations of a dataset on the server's machine, as the caller, in a run of its own.

    The results are recorded as those of other checks. An active check of the caller is returned.
    """
    from jupyter_colophon.operations.native.pipeline_executions import render_execution
    from jupyter_colophon.spark.quality.location import DataLocation

    namespace = services.identity.get_namespace(request.urn)
    services.require_may_run_pipelines(namespace, request.principal)
    if request.urn.type != "dataset":
        raise DataUnreadable("only datasets have expectations")
    DataLocation.parse(request.urn)
    launcher, program = services.get_pipeline_launcher(), make_check_program_urn(namespace)
    execution = launcher.start_check(request.urn, program, request.principal.user)
    return OperationAnswer(render_execution(execution), HTTPStatus.CREATED)


@declare_operation(
    "readQualityStatuses",
    "POST /quality/statuses",
    decided_by="entities",
    body="lineage-nodes",
    answers="quality-statuses",
    errors=[InvalidName],
    permission="read",
)
def read_quality_statuses(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the status of the quality of datasets; those without results and unreadable ones are omitted."""
    urns = [Urn.parse(urn) for urn in request.body["urns"]]
    return {"statuses": services.get_or_open_catalog().quality_statuses.read_statuses(urns, request.principal)}


@declare_operation(
    "importQualityResults",
    "POST /quality/imports",
    decided_by="entities",
    body="quality-import",
    answers="quality-import-result",
    errors=[InvalidInstance, NotFound],
)
def import_quality_results(services: ProcessServices, request: OperationRequest) -> Document:
    """Import expectations and results of Great Expectations or dbt, or results of OpenLineage, by dataset.

    Expectations of earlier imports from the same tool are replaced.
    """
    body, catalog = request.body, services.get_or_open_catalog()
    items, place = _read_import(catalog, body)
    importer = catalog.quality_importer
    targets = importer.find_targets(items, body.get("datasets", {}), place)
    importer.import_targets(targets, body["tool"], request.principal)
    return {"datasets": [_render_target(target) for target in targets]}


def _read_import(catalog: "Catalog", body: Mapping[str, Any]) -> tuple[list[ImportedDataset], str]:
    """Return the datasets of an import, and the pointer to their results. Raises InvalidInstance."""
    try:
        if body["tool"] == "dbt":
            return read_test_results(body["manifest"], body["runResults"]), "/manifest"
        if body["tool"] == "great-expectations":
            return read_validation_results(body["validations"]), "/validations"
    except UnreadableResults as error:
        problem = Problem(error.pointer or "/validations", str(error))
        raise InvalidInstance(SUBJECT, (problem,)) from error
    events = [_parse_event(catalog, document, f"/events/{at}") for at, document in enumerate(body["events"])]
    return read_assertions_of_events(events), "/events"


def _parse_event(catalog: "Catalog", document: Any, pointer: str) -> Event:
    try:
        return catalog.collector.parse_event(document)
    except InvalidInstance as error:
        problems = tuple(Problem(pointer + problem.pointer, problem.message) for problem in error.problems)
        raise InvalidInstance(SUBJECT, problems) from error


def _render_target(target: ImportTarget) -> Document:
    item = target.item
    return {
        "name": item.name,
        "urn": str(target.urn),
        "expectations": len(item.expectations),
        "results": len(item.results),
        "failed": sum(result["status"] != "passed" for result in item.results.values()),
    }
