"""The results of checks of the data of datasets."""

from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.service.quality.recorder import QualityCheck

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
