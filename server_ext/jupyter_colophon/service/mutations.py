"""An ordered batch of changes of metadata, wholly or not at all, with what each found and left (catalog.md 3.7)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.annotation import ASPECT_OF_SCOPE
from jupyter_colophon.core.jsontext import stored
from jupyter_colophon.core.mutation import Mutated, Mutation, State
from jupyter_colophon.core.names import Urn
from jupyter_colophon.core.once import Once
from jupyter_colophon.core.proposal import Proposal, Written
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.spi import TableContext


@dataclass(frozen=True, slots=True)
class Mutator:
    """Applies batches."""

    write_path: WritePath

    def apply(
        self, mutations: Sequence[Mutation], principal: Principal, within: str, once: Once | None
    ) -> list[Mutated]:
        """Apply a batch in its order. Raises Absent, AccessDenied, InvalidInstance, and changes nothing then."""
        proposals = [
            Proposal(one.urn, ASPECT_OF_SCOPE[scope], "annotate", change, needs="entity")
            for one in mutations
            for scope, change in one.changes.items()
        ]
        found: dict[str, State] = {}

        def around(tx: TableContext, act: Callable[[], list[Written]]) -> list[Written]:
            found.update({str(one.urn): _state(tx, one.urn) for one in mutations})
            return act()

        self.write_path.propose(proposals, principal, within, once=once, around=around)
        return [_mutated(one, found) for one in mutations]


def _mutated(one: Mutation, states: dict[str, State]) -> Mutated:
    """One after the other, as the transaction did it."""
    before = states.get(str(one.urn), _nothing())
    after = dict(before)
    for scope, change in one.changes.items():
        after[scope] = change.applied(before[scope])
    states[str(one.urn)] = after
    return Mutated(one.urn, before, after)


def _nothing() -> State:
    return {scope: {"properties": {}, "tags": []} for scope in ASPECT_OF_SCOPE}


def _state(tx: TableContext, urn: Urn) -> State:
    found = _nothing()
    for scope, aspect in ASPECT_OF_SCOPE.items():
        row = tx.table("aspects").read((str(urn), aspect))
        if row is not None and row["value"] is not None:
            found[scope] = stored(row["value"])
    return found
