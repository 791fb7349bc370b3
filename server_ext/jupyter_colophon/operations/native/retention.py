"""Rules for how long versions of aspects are kept, and their application (docs/how-to/keep-less.md)."""

from dataclasses import replace
from typing import Final

from jupyter_colophon.core.documents.codec import to_api_documents
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.model.retention import Retention, RetentionRule
from jupyter_colophon.operations.admin_access import build_admin_check
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_flag
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import CURSOR

_S: Final = 1_000
_DRY_RUN: Final = declare_flag("dryRun", "Count the versions without deleting them.")


_require_admin = build_admin_check("manage", "the retention of versions")


@declare_operation("readRetention", "GET /retention", answers="retention", decided_by="admin", access=_require_admin)
def read_retention(services: ProcessServices, request: OperationRequest) -> Document:
    """Read the rules for how long versions of aspects and changes are kept."""
    rules = services.get_or_open_catalog().retention.rules.rules
    return {
        "rules": [
            {
                "namespace": namespace,
                "entity": entity,
                "aspect": aspect,
                "maxVersions": rule.versions,
                "maxAgeInSeconds": None if rule.age_ms is None else rule.age_ms // _S,
            }
            for (namespace, entity, aspect), rule in sorted(rules.items())
        ],
        "changeLogDays": services.settings.change_log_retention_days,
    }


@declare_operation(
    "applyRetention",
    "POST /retention",
    parameters=[_DRY_RUN, CURSOR],
    answers="expired-versions",
    errors=[InvalidQuery],
    decided_by="admin",
    access=_require_admin,
)
def apply_retention(services: ProcessServices, request: OperationRequest) -> Document:
    """Delete some of the versions that the rules do not keep; continue with the cursor of the answer until it is null."""
    expired, cursor = services.get_or_open_catalog().retention.run_step(request[CURSOR], dry_run=request[_DRY_RUN])
    return {"dryRun": request[_DRY_RUN], "expired": to_api_documents(expired), "cursor": cursor}


@declare_operation(
    "previewRetention",
    "POST /retention/preview",
    parameters=[CURSOR],
    body="retention-rules",
    answers="expired-versions",
    errors=[InvalidQuery],
    decided_by="admin",
    access=_require_admin,
    permission="read",
)
def preview_retention(services: ProcessServices, request: OperationRequest) -> Document:
    """Count some of the versions that other rules would not keep; continue with the cursor of the answer until it is null."""
    sweeper = replace(services.get_or_open_catalog().retention, rules=_read_rules(request.body["rules"]))
    expired, cursor = sweeper.run_step(request[CURSOR], dry_run=True)
    return {"dryRun": True, "expired": to_api_documents(expired), "cursor": cursor}


def _read_rules(documents: list[Document]) -> Retention:
    return Retention(
        {
            (document["namespace"], document["entity"], document["aspect"]): RetentionRule(
                document["maxVersions"],
                None if document["maxAgeInSeconds"] is None else document["maxAgeInSeconds"] * _S,
            )
            for document in documents
        }
    )
