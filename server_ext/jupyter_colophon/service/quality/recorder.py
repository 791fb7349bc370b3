"""Record the results of a check of a dataset in its aspect `quality`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.quality.results import (
    EXPECTATIONS,
    OTHER,
    QUALITY,
    add_results,
    describe_result,
    list_expectations,
)
from jupyter_colophon.service.confidential_values import ConfidentialValues
from jupyter_colophon.service.entities.entities import EntityReader
from jupyter_colophon.service.quality.aspect_update import AspectUpdate
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.spi import TableContext


@dataclass(frozen=True, slots=True)
class QualityCheck:
    """A check: what made it, when (ms), and its results by the ids of the expectations."""

    source: Mapping[str, str]
    time: int
    results: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class QualityRecorder:
    """Records checks. What the principal may not read is not found."""

    reader: EntityReader
    write_path: WritePath
    now: Callable[[], int]

    def record(
        self, urn: Urn, check: QualityCheck, principal: Principal, idempotency_key: IdempotencyKey | None
    ) -> Aspect:
        """Add the results of a check; return the aspect as it is now.

        Results without an expectation are ignored unless they are of another tool. Raises NotFound, AccessDenied.
        """
        # Decide before anything is read.
        self.write_path.authorize_and_validate([Proposal(urn, QUALITY, "patch", {})], principal)
        compute = partial(self._add_results, urn, check)
        AspectUpdate(urn, QUALITY, compute, "entity").apply(self.write_path, principal, idempotency_key)
        return self.reader.read_current_aspect(urn, QUALITY, principal)

    def _add_results(
        self, urn: Urn, check: QualityCheck, tx: TableContext, stored: Mapping[str, Any] | None
    ) -> Mapping[str, Any]:
        registry = self.write_path.registry
        expected = aspects.find_aspect(tx, registry, urn.type, str(urn), EXPECTATIONS)
        expectations = list_expectations(None if expected is None else expected.value)
        results = {
            id_: _complete_result(result, expectations.get(id_), check)
            for id_, result in check.results.items()
            if id_ in expectations or result.get("kind") == OTHER
        }
        confidential = ConfidentialValues(tx, registry)
        return confidential.remove_values(str(urn), QUALITY, add_results(stored, results)) or {}


def _complete_result(
    result: Mapping[str, Any], expectation: Mapping[str, Any] | None, check: QualityCheck
) -> Mapping[str, Any]:
    described = describe_result(result, result if expectation is None else expectation)
    # A result of another tool may have its own time and source.
    return {"time": check.time, "source": dict(check.source), **described}
