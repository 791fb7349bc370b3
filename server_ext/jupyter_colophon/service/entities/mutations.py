"""Apply an ordered batch of metadata changes atomically, with the state before and after each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.entities.annotation import ASPECT_OF_SCOPE
from jupyter_colophon.core.entities.mutation import Mutation, MutationResult, State
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.core.model.vocabulary import has_contributions
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.spi import Row, TableContext

#: Aspects that are changed as scopes, or are not metadata.
_NOT_DROPPED = frozenset({*ASPECT_OF_SCOPE.values(), "instance"})


@dataclass(frozen=True, slots=True)
class MetadataMutator:
    """Applies batches of metadata changes."""

    write_path: WritePath

    def apply_mutations(
        self,
        mutations: Sequence[Mutation],
        principal: Principal,
        pointer_prefix: str,
        idempotency_key: IdempotencyKey | None,
    ) -> list[MutationResult]:
        """Apply a batch in order. Raises NotFound, AccessDenied, InvalidInstance without changing anything."""
        proposals = [proposal for mutation in mutations for proposal in self._create_proposals_of_mutation(mutation)]
        written = self.write_path.apply_proposals_atomically(
            proposals, principal, pointer_prefix, idempotency_key=idempotency_key
        )
        # Read from the stored versions, so that a repeated request gets the first response.
        return self.write_path.provider.tx_runner.run(
            lambda tx: _build_results_before_and_after(tx, mutations, written), read_only=True
        )

    def _create_proposals_of_mutation(self, mutation: Mutation) -> Iterator[Proposal]:
        for scope, change in mutation.changes.items():
            yield Proposal(mutation.urn, ASPECT_OF_SCOPE[scope], "annotate", change, needs="entity")
        if mutation.drops:
            for spec in self.write_path.registry.get_type(mutation.urn.type).aspects:
                if has_contributions(spec.name, spec.contributes) and spec.name not in _NOT_DROPPED:
                    yield Proposal(mutation.urn, spec.name, "delete", needs="entity")


def _build_results_before_and_after(
    tx: TableContext, mutations: Sequence[Mutation], written: Sequence[ProposalResult]
) -> list[MutationResult]:
    aspects = {aspect: scope for scope, aspect in ASPECT_OF_SCOPE.items()}
    steps = [step for step in written if step.aspect in aspects]
    counts = accumulate((len(mutation.changes) for mutation in mutations), initial=0)
    by_mutation = [
        (mutation, {aspects[str(step.aspect)]: step for step in steps[at : at + len(mutation.changes)]})
        for mutation, at in zip(mutations, counts, strict=False)
    ]
    # The initial state of a scope is that before its first change, or the current one.
    states: dict[str, State] = {}
    for mutation, done in reversed(by_mutation):
        state = states.setdefault(str(mutation.urn), _read_present_state(tx, mutation.urn))
        state |= {
            scope: _read_value_of_version(tx, step, step.version - step.has_changed) for scope, step in done.items()
        }
    results = []
    for mutation, done in by_mutation:
        before = states[str(mutation.urn)]
        after = before | {scope: _read_value_of_version(tx, step, step.version) for scope, step in done.items()}
        states[str(mutation.urn)] = after
        results.append(MutationResult(mutation.urn, before, after))
    return results


def _read_present_state(tx: TableContext, urn: Urn) -> State:
    rows = {scope: tx.get_table("aspects").read((str(urn), aspect)) for scope, aspect in ASPECT_OF_SCOPE.items()}
    return {scope: _parse_row_value(row) for scope, row in rows.items()}


def _read_value_of_version(tx: TableContext, step: ProposalResult, version: int) -> dict[str, Any]:
    return _parse_row_value(tx.get_table("aspect_versions").read((str(step.urn), str(step.aspect), version)))


def _parse_row_value(row: Row | None) -> dict[str, Any]:
    return {"properties": {}, "tags": []} if row is None or row["value"] is None else parse_stored_json(row["value"])
