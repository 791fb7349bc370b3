"""Apply an ordered batch of metadata changes atomically, with the state before and after each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import Once
from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.entities.annotation import ASPECT_OF_SCOPE
from jupyter_colophon.core.entities.mutation import Mutated, Mutation, State
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal, Written
from jupyter_colophon.core.model.vocabulary import is_described
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.spi import Row, TableContext

#: Aspects that are changed as scopes, or are not metadata.
_NOT_DROPPED = frozenset({*ASPECT_OF_SCOPE.values(), "instance"})


@dataclass(frozen=True, slots=True)
class Mutator:
    """Applies batches of metadata changes."""

    write_path: WritePath

    def apply(
        self, mutations: Sequence[Mutation], principal: Principal, pointer_prefix: str, once: Once | None
    ) -> list[Mutated]:
        """Apply a batch in order. Raises NotFound, AccessDenied, InvalidInstance without changing anything."""
        proposals = [proposal for one in mutations for proposal in self._proposals(one)]
        written = self.write_path.propose(proposals, principal, pointer_prefix, once=once)
        # Read from the stored versions, so that a repeated request gets the first response.
        return self.write_path.provider.tx_runner.run(lambda tx: _read_states(tx, mutations, written), read_only=True)

    def _proposals(self, one: Mutation) -> Iterator[Proposal]:
        for scope, change in one.changes.items():
            yield Proposal(one.urn, ASPECT_OF_SCOPE[scope], "annotate", change, needs="entity")
        if one.drops:
            for spec in self.write_path.registry.type(one.urn.type).aspects:
                if is_described(spec.name, spec.contributes) and spec.name not in _NOT_DROPPED:
                    yield Proposal(one.urn, spec.name, "delete", needs="entity")


def _read_states(tx: TableContext, mutations: Sequence[Mutation], written: Sequence[Written]) -> list[Mutated]:
    aspects = {aspect: scope for scope, aspect in ASPECT_OF_SCOPE.items()}
    steps = [step for step in written if step.aspect in aspects]
    counts = accumulate((len(one.changes) for one in mutations), initial=0)
    by_mutation = [
        (one, {aspects[str(step.aspect)]: step for step in steps[at : at + len(one.changes)]})
        for one, at in zip(mutations, counts, strict=False)
    ]
    # The initial state of a scope is that before its first change, or the current one.
    states: dict[str, State] = {}
    for one, done in reversed(by_mutation):
        state = states.setdefault(str(one.urn), _present(tx, one.urn))
        state |= {scope: _value(tx, step, step.version - step.changed) for scope, step in done.items()}
    found = []
    for one, done in by_mutation:
        before = states[str(one.urn)]
        after = before | {scope: _value(tx, step, step.version) for scope, step in done.items()}
        states[str(one.urn)] = after
        found.append(Mutated(one.urn, before, after))
    return found


def _present(tx: TableContext, urn: Urn) -> State:
    rows = {scope: tx.table("aspects").read((str(urn), aspect)) for scope, aspect in ASPECT_OF_SCOPE.items()}
    return {scope: _parse(row) for scope, row in rows.items()}


def _value(tx: TableContext, step: Written, version: int) -> dict[str, Any]:
    return _parse(tx.table("aspect_versions").read((str(step.urn), str(step.aspect), version)))


def _parse(row: Row | None) -> dict[str, Any]:
    return {"properties": {}, "tags": []} if row is None or row["value"] is None else stored(row["value"])
