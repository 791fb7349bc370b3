"""Show expectations of datasets and their results as DataHub's assertions; derived, never stored (docs/datahub.md)."""

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.assertion_urn import ASSERTION, make_assertion_urn, parse_assertion_urn
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.quality.assertion_aspects import (
    ASSERTION_INFO,
    ASSERTION_RUN_EVENT,
    build_assertion_aspects,
    build_assertion_run_events,
)
from jupyter_colophon.core.quality.assertion_results import is_result_id_of_assertion
from jupyter_colophon.core.quality.results import EXPECTATIONS, QUALITY, list_expectations
from jupyter_colophon.service.aspect_redaction import AspectRedactor
from jupyter_colophon.service.lineage.lineage_nodes import NodeCache
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.lineage.relationships import RelationshipRow
from jupyter_colophon.storage.spi import TableContext

KIND = ASSERTION
EVENTS = ASSERTION_RUN_EVENT
_RELATIONSHIP = "Asserts"


@dataclass(frozen=True, slots=True)
class DerivedAssertions:
    """Derives assertions for one reader, in one transaction."""

    tx: TableContext
    registry: Registry
    nodes: NodeCache

    def derive_aspects(self, urn: Urn, requested: Collection[str] | None) -> dict[str, Mapping[str, Any]]:
        """Return the aspects of the assertion of an expectation, or only these; empty for another assertion."""
        named = parse_assertion_urn(urn)
        if named is None:
            return {}
        dataset, expectation_id = named
        expectation, result = self._read_expectations(dataset).get(expectation_id, (None, None))
        about = expectation or result
        values = {} if about is None else build_assertion_aspects(urn, dataset, expectation_id, about)
        return {name: value for name, value in values.items() if requested is None or name in requested}

    def derive_run_events(self, urn: Urn) -> list[dict[str, Any]]:
        """Return the checks of an expectation, newest first; empty for another assertion."""
        named = parse_assertion_urn(urn)
        if named is None:
            return []
        dataset, expectation_id = named
        _, result = self._read_expectations(dataset).get(expectation_id, (None, None))
        return [] if result is None else build_assertion_run_events(urn, dataset, result)

    def derive_relationships(self, urn: Urn, *, incoming: bool) -> list[RelationshipRow]:
        """Return the relationships between a dataset and the assertions of its expectations, from either end."""
        if incoming and urn.type == "dataset":
            assertions = []
            for expectation_id in self._read_expectations(urn):
                # That of a name that is too long does not exist.
                with suppress(InvalidName):
                    assertions.append((urn, make_assertion_urn(urn, expectation_id)))
        else:
            named = None if incoming else parse_assertion_urn(urn)
            assertions = (
                [(named[0], urn)] if named is not None and named[1] in self._read_expectations(named[0]) else []
            )
        return [
            RelationshipRow(str(dataset), str(assertion), ASSERTION_INFO, _RELATIONSHIP)
            for dataset, assertion in assertions
        ]

    def _read_expectations(self, dataset: Urn) -> dict[str, tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]]:
        """Return what is expected of a dataset and what was found, by id; empty if the reader may not see it."""
        if not self.nodes.filter_visible_nodes({str(dataset)}):
            return {}
        names = {EXPECTATIONS, QUALITY}
        present = aspects.read_present_aspects(self.tx, self.registry, dataset.type, str(dataset), names)
        redactor = AspectRedactor(self.tx, self.registry, self.nodes.read_policy, self.nodes.principal)
        values = {name: aspect.value for name, aspect in redactor.redact_aspects(str(dataset), present).items()}
        expectations = list_expectations(values.get(EXPECTATIONS))
        results = values.get(QUALITY, {}).get("results", {})
        own = [id_ for id_ in results if id_ in expectations or not is_result_id_of_assertion(id_)]
        return {id_: (expectations.get(id_), results.get(id_)) for id_ in dict.fromkeys((*expectations, *own))}
