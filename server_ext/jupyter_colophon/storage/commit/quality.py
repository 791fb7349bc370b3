"""Keep the results of checks consistent with the expectations of their dataset.

Only `service/write_path.py` may import this module.
"""

from collections.abc import Callable, Mapping
from typing import Any

from jupyter_colophon.core.access import Permission, Principal
from jupyter_colophon.core.identity.assertion_urn import ASSERTION, parse_assertion_urn
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.core.model.registry import AspectSpec
from jupyter_colophon.core.quality.assertion_aspects import ASSERTION_INFO, ASSERTION_RUN_EVENT
from jupyter_colophon.core.quality.assertion_results import (
    AssertionResult,
    find_asserted_dataset,
    make_result_id,
    read_assertion_result,
)
from jupyter_colophon.core.quality.results import (
    EXPECTATIONS,
    QUALITY,
    adapt_to_changed_expectations,
    add_results,
    describe_result,
    list_expectations,
    summarize_results,
)
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.commit.timeseries import write_timeseries_value
from jupyter_colophon.storage.spi import TableContext

#: Returns whether a principal has a permission on an entity, reading metadata in the transaction.
MayAct = Callable[[Principal, Permission, Urn, TableContext], bool]


def adapt_quality_results(commit: CommitBuilder, urn: Urn, aspect: str | None, new: Mapping[str, Any] | None) -> None:
    """Before an aspect is written (None: deleted), remove the results that it makes obsolete.

    They are those of expectations that are removed or different, and that of an assertion of a client that is deleted or
    marked as removed. The results of other expectations get their severity. Without `aspect`, the entity is deleted.
    """
    if urn.type == ASSERTION:
        is_removed = aspect == "status" and new is not None and bool(new.get("removed"))
        if aspect is None or is_removed:
            _remove_result_of_assertion(commit, urn)
        return
    if aspect != EXPECTATIONS or (quality := commit.get_aspect_value(urn, QUALITY)) is None:
        return
    kept = adapt_to_changed_expectations(quality, commit.get_aspect_value(urn, aspect), new)
    _write_quality(commit, urn, quality, kept)


def add_quality_results(
    commit: CommitBuilder, urn: Urn, results: Mapping[str, Mapping[str, Any]], run: str | None
) -> None:
    """Add results that a run or an assertion reported about a dataset."""
    if results:
        new = add_results(commit.get_aspect_value(urn, QUALITY), results)
        commit.write_aspect(urn, commit.registry.get_aspect(urn.type, QUALITY), new, run)


def write_timeseries_value_and_result(
    commit: CommitBuilder, proposal: Proposal, spec: AspectSpec, may_act: MayAct
) -> ProposalResult:
    """Store a value of a timeseries; a run event of an assertion is also a result in the quality of its dataset.

    The event is stored without a result if the dataset does not accept reports of the principal: DataHub's clients do not
    expect that an event is refused.
    """
    written = write_timeseries_value(commit, proposal, spec)
    if spec.name == ASSERTION_RUN_EVENT and written.seq is not None:
        found = _read_result_of_event(commit, proposal.urn, proposal.value)
        if found is not None and may_act(commit.principal, "emit", found.dataset, commit.tx):
            _add_result_of_assertion(commit, proposal.urn, found)
    return written


def _read_result_of_event(commit: CommitBuilder, assertion: Urn, event: Mapping[str, Any]) -> AssertionResult | None:
    info, instance = (commit.get_aspect_value(assertion, name) for name in (ASSERTION_INFO, "dataPlatformInstance"))
    return read_assertion_result(event, info, instance)


def _add_result_of_assertion(commit: CommitBuilder, assertion: Urn, found: AssertionResult) -> None:
    """Add the result of an assertion to its dataset, which is created if it does not exist."""
    dataset, result = found
    id_, named = make_result_id(assertion), parse_assertion_urn(assertion)
    if named is not None and named[0] == dataset:
        expectation = list_expectations(commit.get_aspect_value(dataset, EXPECTATIONS)).get(named[1])
        if expectation is not None:
            id_, result = named[1], describe_result(result, expectation)
    commit.create_entity_if_missing(dataset, create_namespace=True)
    add_quality_results(commit, dataset, {id_: result}, None)


def _remove_result_of_assertion(commit: CommitBuilder, assertion: Urn) -> None:
    dataset = find_asserted_dataset(commit.get_aspect_value(assertion, ASSERTION_INFO))
    quality = None if dataset is None else commit.get_aspect_value(dataset, QUALITY)
    if dataset is not None and quality is not None:
        kept = {id_: result for id_, result in quality["results"].items() if id_ != make_result_id(assertion)}
        _write_quality(commit, dataset, quality, summarize_results(kept))


def _write_quality(commit: CommitBuilder, dataset: Urn, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    if new != old:
        commit.write_aspect(dataset, commit.registry.get_aspect(dataset.type, QUALITY), new)
