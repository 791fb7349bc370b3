"""Changes that wait for review: a batch in the inbox, and a request to the owners to apply it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.documents.difference import diff_as_json_patch
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.documents.pointer import JsonPointer
from jupyter_colophon.core.entities.annotation import MetadataAnnotation
from jupyter_colophon.core.errors import HeldForReview, MetadataError, StorageError, TooLarge
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.owner_request import CHANGE, REQUEST
from jupyter_colophon.core.model.proposal import CREATING, Proposal, ProposalResult
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.service.stewardship.owners import OwnerReader
from jupyter_colophon.service.stewardship.teams import make_user_urn
from jupyter_colophon.service.write_authorization import WriteAuthorization
from jupyter_colophon.service.write_locks import run_with_locks_or_alone
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.changes import idempotency_results
from jupyter_colophon.storage.changes import inbox as rows
from jupyter_colophon.storage.spi import Locks, TableContext

T = TypeVar("T")
#: Wraps a batch in its transaction: gets the batch as a callable, and calls it once or not at all.
InTransaction = Callable[[TableContext, Callable[[], list[ProposalResult]]], list[ProposalResult]]
#: The API that manages requests.
REQUESTS_API: Final = "requests"
#: After how many days a proposal is rejected that no one has decided.
EXPIRE_DAYS: Final = 30
#: The most batches that wait for review.
_HELD_MAX: Final = 10_000
_ASSIGNEES_MAX: Final = 50
#: How many changes the text of a request names, and how long each may be.
_NAMED_MAX: Final = 10
_NAME_MAX: Final = 200
#: Distinguishes the result of a request whose changes wait for review from one whose changes were applied.
_HELD_KEY: Final = "review "


class TrialEnded(Exception):
    """Ends the transaction of a trial, so that nothing is committed."""

    def __init__(self, versions: list[int], results: list[ProposalResult]) -> None:
        super().__init__()
        self.versions, self.results = versions, results


@dataclass(frozen=True, slots=True)
class HeldChanges:
    """A batch that waits for review. Each proposal has the version of its aspect as a condition."""

    proposals: tuple[Proposal, ...]
    #: The entity for which review is required.
    about: Urn


@dataclass(frozen=True, slots=True)
class HeldChangeWriter(WriteAuthorization, ABC):
    """Stores changes for which a policy requires review, instead of applying them."""

    #: The users and teams that are asked about entities without owners.
    stewards: tuple[str, ...] = field(default=(), kw_only=True)

    @abstractmethod
    def try_batch(
        self, proposals: Sequence[Proposal], principal: Principal, pointer_prefix: str = ""
    ) -> tuple[list[int], list[ProposalResult]]:
        """Apply a batch without a commit; return the version of each proposal's aspect before, and the results."""

    @abstractmethod
    def write_in_transaction(
        self, tx: TableContext, proposals: Sequence[Proposal], principal: Principal, api: str
    ) -> list[ProposalResult]:
        """Apply proposals of an API that has authorised them, in its transaction."""

    def find_reviewed_entity(self, proposals: Iterable[Proposal], principal: Principal) -> Urn | None:
        """Return the first entity for which a policy requires review of these changes; None if they are applied."""
        return next((proposal.urn for proposal in proposals if self.is_review_required(proposal, principal)), None)

    def hold_or_skip_batch(
        self,
        proposals: Sequence[Proposal],
        about: Urn,
        principal: Principal,
        pointer_prefix: str,
        key: IdempotencyKey | None,
        wrap: InTransaction,
    ) -> list[ProposalResult]:
        """Store a batch as a proposal, and raise HeldForReview; return the results if it would change nothing."""
        key = None if key is None else replace(key, key=_HELD_KEY + key.key)
        number = None if key is None else self._find_stored_number(key)
        if number is None:
            held, results = self._try_to_hold(proposals, about, principal, pointer_prefix)
            if held is None:
                return self.provider.tx_runner.run(lambda tx: wrap(tx, lambda: results))

            def act(tx: TableContext) -> int:
                numbers: list[int] = []

                def store() -> list[ProposalResult]:
                    numbers.append(self.store_held(tx, held, principal))
                    return []

                wrap(tx, store)
                return next(iter(numbers), 0)

            number = self._run_once(act, codecs.NUMBER, key)
        if not number:
            # The transaction found the batch applied already.
            return []
        raise HeldForReview(number, str(about))

    def hold_batch(
        self, proposals: Sequence[Proposal], about: Urn, principal: Principal, pending: int | None = None
    ) -> int | None:
        """Store an authorised batch as a proposal, or make the pending batch of this number wait for review.

        Return its number; None if it would change nothing. Raises what applying it would.
        """
        held, _ = self._try_to_hold(proposals, about, principal, "")
        if held is None:
            return None

        def act(tx: TableContext) -> int:
            if pending is not None and not rows.is_pending(tx, pending):
                return pending
            return self.store_held(tx, held, principal, pending)

        return self.provider.tx_runner.run(act)

    def try_reviewed_proposals(
        self,
        proposals: Sequence[Proposal],
        reviewed: Sequence[bool],
        checked: list[AspectSpec | MetadataError | None],
        principal: Principal,
    ) -> tuple[dict[int, HeldChanges], dict[int, ProposalResult]]:
        """Return those of the reviewed proposals that wait, and the results of those that change nothing, by position.

        An error replaces what was checked.
        """
        held: dict[int, HeldChanges] = {}
        unchanged: dict[int, ProposalResult] = {}
        for at, proposal in enumerate(proposals):
            if isinstance(checked[at], MetadataError) or not reviewed[at]:
                continue
            try:
                changes, results = self._try_to_hold([proposal], proposal.urn, principal, "")
            except StorageError:
                raise
            except MetadataError as error:
                checked[at] = error
                continue
            if changes is not None:
                held[at] = changes
            else:
                unchanged[at] = results[0]
        return held, unchanged

    def store_held(self, tx: TableContext, held: HeldChanges, principal: Principal, pending: int | None = None) -> int:
        """Store a batch that waits for review, with the request to apply it; return its number. Raises TooLarge."""
        now = self.now()
        number = _store_held_batch(tx, held, principal, now, pending)
        request = _build_request_to_apply(tx, self.registry, self.stewards, held, number, principal, now)
        self.write_in_transaction(tx, [request], principal, REQUESTS_API)
        return number

    def _try_to_hold(
        self, proposals: Sequence[Proposal], about: Urn, principal: Principal, pointer_prefix: str
    ) -> tuple[HeldChanges | None, list[ProposalResult]]:
        """Return a batch with conditions, None if it would change nothing, and its results."""
        versions, results = self.try_batch(proposals, principal, pointer_prefix)
        if not any(result.has_changed for result in results):
            return None, results
        return HeldChanges(add_version_conditions(self.registry, proposals, versions), about), results

    def _find_stored_number(self, key: IdempotencyKey) -> int | None:
        return self.provider.tx_runner.run(
            lambda tx: idempotency_results.find_stored_result(tx, key, codecs.NUMBER, self.now()), read_only=True
        )

    def _run_once(
        self,
        act: Callable[[TableContext], T],
        codec: codecs.Codec[T],
        key: IdempotencyKey | None,
        locks: Locks | None = None,
    ) -> T:
        return self.provider.tx_runner.run(
            lambda tx: idempotency_results.run_once_and_store_result(tx, key, codec, self.now(), lambda: act(tx)),
            locks=locks,
        )

    def _run_once_with_locks(
        self,
        act: Callable[[TableContext, Locks | None], T],
        codec: codecs.Codec[T],
        key: IdempotencyKey | None,
        locks: Locks | None,
    ) -> T:
        """Run a callable once with these locks, or with those that it turns out to need, which are its argument."""
        return run_with_locks_or_alone(
            lambda locks: self._run_once(lambda tx: act(tx, locks), codec, key, locks), locks
        )


def add_version_conditions(
    registry: Registry, proposals: Sequence[Proposal], versions: Sequence[int]
) -> tuple[Proposal, ...]:
    """Return the proposals with these versions as conditions, so that they fail if an aspect has changed since."""
    conditional, seen = [], set()
    for proposal, version in zip(proposals, versions, strict=True):
        place = (proposal.urn, proposal.aspect)
        if place not in seen and can_have_version_condition(registry, proposal):
            conditional.append(replace(proposal, condition=replace(proposal.condition, version=version)))
        else:
            conditional.append(proposal)
        seen.add(place)
    return tuple(conditional)


def can_have_version_condition(registry: Registry, proposal: Proposal) -> bool:
    """Return whether a proposal changes an aspect that has versions, and is not already limited to an absent one."""
    return (
        proposal.aspect is not None
        and proposal.operation not in CREATING
        and not proposal.if_absent
        and not registry.get_aspect(proposal.urn.type, proposal.aspect).timeseries
    )


def _store_held_batch(
    tx: TableContext, held: HeldChanges, principal: Principal, now: int, pending: int | None = None
) -> int:
    """Store a batch that waits for review, or make the pending batch of this number wait; return the number.

    Raises TooLarge if too many wait already.
    """
    if rows.count_held_rows(tx) >= _HELD_MAX:
        raise TooLarge(f"{_HELD_MAX} changes wait for review: apply or reject some of them first")
    if pending is not None:
        rows.hold_pending_batch(tx, pending, held.proposals)
        return pending
    return rows.add_batch(tx, held.proposals, principal, now, "review").id


def make_request_urn(about: Urn, number: int) -> Urn:
    """Return the URN of the request to apply a batch."""
    return Urn(REQUEST, (str(about), str(number)))


def _build_request_to_apply(
    tx: TableContext,
    registry: Registry,
    stewards: Sequence[str],
    held: HeldChanges,
    number: int,
    principal: Principal,
    now: int,
) -> Proposal:
    """Return the proposal of the request to apply a batch, assigned to the owners other than the author."""
    author = str(make_user_urn(principal.user))
    owners = OwnerReader(tx, registry)
    assignees = next(
        (
            others
            for people in (owners.list_owners(held.about), owners.list_owners_of_domains(held.about), stewards)
            if (others := [person for person in people if person not in (author, principal.user)])
        ),
        [],
    )
    value = {
        "about": str(held.about),
        "kind": CHANGE,
        "text": _describe_changes(tx, registry, held.proposals),
        "author": author,
        "assignees": assignees[:_ASSIGNEES_MAX],
        "state": "open",
        "created": now,
        "comments": [],
    }
    return Proposal(make_request_urn(held.about, number), REQUEST, "create", value)


def _describe_changes(tx: TableContext, registry: Registry, proposals: Sequence[Proposal]) -> str:
    """Describe a batch by its aspects and keys, without values."""
    entities = len({proposal.urn for proposal in proposals})
    changes = dict.fromkeys(_describe_change(tx, registry, proposal) for proposal in proposals)
    named = "; ".join([*list(changes)[:_NAMED_MAX], *(["…"] if len(changes) > _NAMED_MAX else [])])
    return named if entities == 1 else f"{entities} entities: {named}"


def _describe_change(tx: TableContext, registry: Registry, proposal: Proposal) -> str:
    if proposal.aspect is None:
        return "Delete the entity" if proposal.operation == "delete" else "Create the entity"
    title = registry.get_aspect(proposal.urn.type, proposal.aspect).title
    if proposal.operation == "delete":
        return f"Delete {title}"
    parts = ", ".join(_list_changed_members(tx, proposal))
    return f"{title} ({parts[:_NAME_MAX]})" if parts else title


def _list_changed_members(tx: TableContext, proposal: Proposal) -> list[str]:
    """Return what a change concerns: keys of properties, or other members of the aspect."""
    value = proposal.value
    if isinstance(value, MetadataAnnotation):
        has_tags = value.tags or value.without_tags or value.clear_tags
        return [*sorted({*value.properties, *value.without_properties}), *(["tags"] if has_tags else [])]
    if isinstance(value, list):
        paths = [step["path"] for step in value if isinstance(step, Mapping) and "path" in step]
    else:
        row = tx.get_table("aspects").read((str(proposal.urn), str(proposal.aspect)))
        before = {} if row is None or row["value"] is None else parse_stored_json(row["value"])
        paths = [step["path"] for step in diff_as_json_patch(before, value)] if proposal.operation != "patch" else []
    pointers = (JsonPointer.parse_or_none(path) for path in paths)
    tokens = (pointer.tokens for pointer in pointers if pointer is not None and pointer.tokens)
    return sorted({words[1] if words[0] == "properties" and len(words) > 1 else words[0] for words in tokens})
