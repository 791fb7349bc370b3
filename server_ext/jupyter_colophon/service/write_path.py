"""The only way metadata changes: authorise, validate, then one transaction {condition, commit}, then publish."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.datahub.scope_union import (
    UNION_RULES,
    USER_ASPECT,
    extract_part_without_user_entries,
    find_user_entries_removed_by_patch,
    list_user_entries,
    merge_user_entries_into_aspect,
    remove_user_entries,
)
from jupyter_colophon.core.errors import (
    AccessDenied,
    AlreadyExists,
    HeldForReview,
    InvalidInstance,
    MetadataError,
    NotFound,
    Problem,
    RenameConflict,
    StorageError,
    TransactionTimeout,
)
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import Access, ColumnEdge, Run, RunChange, RunStart, RunUpsert, StreamWriter
from jupyter_colophon.core.model.hierarchy import require_no_cycle
from jupyter_colophon.core.model.proposal import ABSENT, CREATING, Proposal, ProposalResult
from jupyter_colophon.core.model.registry import AspectSpec
from jupyter_colophon.core.model.retention import KEEP_ALL, Retention
from jupyter_colophon.core.model.system_filter import INCLUDE_ALL, SystemFilter
from jupyter_colophon.core.openlineage.event import Event
from jupyter_colophon.core.policies.policy import POLICY_TYPE
from jupyter_colophon.service import write_locks
from jupyter_colophon.service.deletions import is_marking_removed
from jupyter_colophon.service.held_changes import HeldChanges, HeldChangeWriter, InTransaction, TrialEnded
from jupyter_colophon.service.validation import (
    ProblemPointerPrefix,
    compute_changed_value,
    create_initial_value_for_patch,
    require_known_runs,
    require_valid_new_name,
    resolve_aspect,
    run_package_validators,
)
from jupyter_colophon.service.write_authorization import BUILTIN_NAMESPACES, DEPENDING_ON_STORED_VALUE
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.commit.empty_namespace import require_empty_namespace
from jupyter_colophon.storage.commit.existing import (
    get_version_and_existence,
    get_version_of_condition,
    may_create_over_platform_value,
)
from jupyter_colophon.storage.commit.openlineage import apply_openlineage_event
from jupyter_colophon.storage.commit.quality import adapt_quality_results, write_timeseries_value_and_result
from jupyter_colophon.storage.commit.record_run import record_reported_run, record_stream_writer_run
from jupyter_colophon.storage.commit.rename import rename_dataset_with_contents
from jupyter_colophon.storage.commit.rename_notebook import rename_notebook_with_cells
from jupyter_colophon.storage.commit.rollback import roll_back_ingestion_run
from jupyter_colophon.storage.commit.runs import create_run, record_run_accesses, update_run_progress
from jupyter_colophon.storage.commit.timeseries import delete_timeseries_values
from jupyter_colophon.storage.lineage import runs as stored_runs
from jupyter_colophon.storage.lineage.symlinks import replace_locations_by_tables
from jupyter_colophon.storage.spi import Locks, TableContext

T = TypeVar("T")
#: A batch whose proposals fail independently, as a callable that is called once or not at all.
EachOf = Callable[[], list[ProposalResult | MetadataError]]
#: How many entities of a deleted namespace are removed per transaction, to keep transactions short.
_CLEAR_BATCH = 100


@dataclass(frozen=True, slots=True)
class WritePath(HeldChangeWriter):
    """Applies every write, from any API.

    All methods check access first (AccessDenied, NotFound), and change nothing if they raise. With `idempotency_key`, a repeated
    request returns the first result; a different request with the same key raises IdempotencyKeyReused.
    """

    publish: Callable[[], None]
    system_filter: SystemFilter = INCLUDE_ALL
    #: Whether a run's snapshots include system metadata (spec LINEAGE-17).
    snapshot_system_metadata: bool = False
    #: How many versions of aspects are kept.
    retained: Retention = KEEP_ALL
    #: Whether writes of an equal value are logged too (DataHub's alwaysEmitChangeLog).
    always_log: bool = False

    def apply_proposals_atomically(
        self,
        proposals: Sequence[Proposal],
        principal: Principal,
        pointer_prefix: str = "",
        *,
        idempotency_key: IdempotencyKey | None = None,
        in_transaction: InTransaction | None = None,
        api: str = "",
        author: str = "",
    ) -> list[ProposalResult]:
        """Apply a batch in order, atomically.

        Raises InvalidInstance, PatchFailed, ConditionFailed, AlreadyExists, NotFound. Problem pointers refer to the value,
        or to the batch if `pointer_prefix` is the pointer to it. A managed entity or aspect (core/model/registry.py) can be changed
        only if `api` names its API; otherwise raises ManagedElsewhere. If a policy requires review, the batch is stored as
        a proposal, with `in_transaction` as one without results, and HeldForReview is raised. With `author`, the changes
        are authorised for the principal and recorded as those of that user.
        """
        # Decided once: whoever may only propose a change must not apply it if the decision differs a moment later.
        about = None if api else self.find_reviewed_entity(proposals, principal)
        specs = self.authorize_and_validate(proposals, principal, pointer_prefix, api, may_be_held=about is not None)
        wrap: InTransaction = in_transaction or (lambda _, apply: apply())
        if about is not None:
            return self.hold_or_skip_batch(proposals, about, principal, pointer_prefix, idempotency_key, wrap)

        def apply_batch(tx: TableContext, locks: Locks | None) -> list[ProposalResult]:
            commit = self._create_commit(tx, principal, author, locks)
            results = self._apply_batch(commit, proposals, specs, pointer_prefix)
            self._finish_commit(commit, principal)
            commit.add_numbers_to_results(results, at_once=idempotency_key is not None)
            return results

        locks = (
            None if in_transaction else write_locks.list_batch_locks(self.registry, proposals, specs, idempotency_key)
        )
        return self._run_once_with_locks(
            lambda tx, locks: wrap(tx, lambda: apply_batch(tx, locks)), codecs.WRITTEN, idempotency_key, locks
        )

    def write_in_transaction(
        self, tx: TableContext, proposals: Sequence[Proposal], principal: Principal, api: str
    ) -> list[ProposalResult]:
        """Apply proposals of an API that has authorised them, in its transaction."""
        specs = [resolve_aspect(self.registry, proposal, api) for proposal in proposals]
        return self._commit_changes(tx, lambda commit: self._apply_batch(commit, proposals, specs, ""), principal)

    def try_batch(
        self, proposals: Sequence[Proposal], principal: Principal, pointer_prefix: str = ""
    ) -> tuple[list[int], list[ProposalResult]]:
        """Apply a batch as if the principal were permitted to, without a commit.

        Return the version of each proposal's aspect before, and the results. Raises the errors of the batch.
        """
        specs = [resolve_aspect(self.registry, proposal, "") for proposal in proposals]

        def act(tx: TableContext) -> NoReturn:
            commit = self._create_commit(tx, replace(principal, internal=True))
            versions = self.read_versions_of_conditions(tx, proposals, principal)
            raise TrialEnded(versions, self._apply_batch(commit, proposals, specs, pointer_prefix))

        try:
            self.provider.tx_runner.run(act)
        except TrialEnded as tried:
            return tried.versions, tried.results

    def read_versions_of_conditions(
        self, tx: TableContext, proposals: Sequence[Proposal], principal: Principal
    ) -> list[int]:
        """Return the present version to which the condition of each proposal refers."""
        commit = self._create_commit(tx, principal)
        return [get_version_of_condition(commit, proposal) for proposal in proposals]

    def _apply_batch(
        self,
        commit: CommitBuilder,
        proposals: Sequence[Proposal],
        specs: Sequence[AspectSpec | None],
        pointer_prefix: str,
    ) -> list[ProposalResult]:
        require_known_runs(commit.tx, proposals, pointer_prefix)
        commit.load_entities_at_once(proposal.urn for proposal in proposals)
        written = []
        for at, (proposal, spec) in enumerate(zip(proposals, specs, strict=True)):
            with ProblemPointerPrefix(pointer_prefix, at):
                written.append(self._apply_proposal(commit, proposal, spec))
        return written

    def apply_proposals_independently(
        self,
        proposals: Sequence[Proposal],
        principal: Principal,
        in_transaction: Callable[[TableContext, EachOf], T],
        *,
        is_preview: bool = False,
    ) -> T:
        """Apply each proposal of a batch independently, in order; `in_transaction` turns the results and errors into the return value.

        A proposal for which a policy requires review is stored as one, and its error is HeldForReview; in a preview, which
        `in_transaction` rolls back, it is applied.
        """
        reviewed = [self.is_review_required(proposal, principal) for proposal in proposals]
        checked = [
            self.validate_or_return_error(proposal, principal, may_be_held=is_reviewed)
            for proposal, is_reviewed in zip(proposals, reviewed, strict=True)
        ]
        held: dict[int, HeldChanges] = {}
        tried: dict[int, ProposalResult] = {}
        if not is_preview:
            held, tried = self.try_reviewed_proposals(proposals, reviewed, checked, principal)

        def apply_each(commit: CommitBuilder) -> list[ProposalResult | MetadataError]:
            checked_proposals = list(zip(proposals, checked, strict=True))
            commit.load_entities_at_once(
                proposal.urn for proposal, spec in checked_proposals if not isinstance(spec, MetadataError)
            )
            return [
                tried[at] if at in tried else self._apply_and_return_error(commit, proposal, spec)
                for at, (proposal, spec) in enumerate(checked_proposals)
            ]

        def act(tx: TableContext) -> list[ProposalResult | MetadataError]:
            for at, changes in held.items():
                checked[at] = HeldForReview(self.store_held(tx, changes, principal), str(changes.about))
            return self._commit_changes(tx, apply_each, replace(principal, internal=True) if is_preview else principal)

        return self.provider.tx_runner.run(lambda tx: in_transaction(tx, lambda: act(tx)))

    def _apply_and_return_error(
        self, commit: CommitBuilder, proposal: Proposal, spec: AspectSpec | MetadataError | None
    ) -> ProposalResult | MetadataError:
        """Apply a proposal and return its error, if any; raise if something was already written."""
        if isinstance(spec, MetadataError):
            return spec
        before = len(commit.changes)
        try:
            require_known_runs(commit.tx, [proposal], "")
            return self._apply_proposal(commit, proposal, spec)
        except MetadataError as error:
            if isinstance(error, StorageError) or len(commit.changes) != before:
                raise
            return error

    def start_namespace_deletion(self, name: str, principal: Principal) -> None:
        """Delete a namespace; it can be neither read nor written after this returns. Raises NotFound, AccessDenied."""
        self.require_may_delete_namespace(name, principal)
        self._commit_once(lambda commit: commit.hide_and_mark_namespace_for_deletion(name), principal, codecs.IDENTITY)

    def delete_next_content_of_namespace(self, name: str, principal: Principal) -> bool:
        """Remove some content of a deleted namespace; return True when nothing is left. Raises StorageError."""
        is_empty: bool = self._commit_once(
            lambda commit: commit.delete_next_content_of_namespace(name, _CLEAR_BATCH), principal, codecs.IDENTITY
        )
        return is_empty

    def delete_timeseries_range(
        self,
        urn: Urn,
        name: str,
        start: int | None,
        end: int | None,
        principal: Principal,
        idempotency_key: IdempotencyKey | None = None,
    ) -> int:
        """Delete the values of a timeseries aspect from `start` to `end` (ms, inclusive); return their number.

        Raises NotFound, AccessDenied, and InvalidInstance for an aspect that is not a timeseries.
        """
        self._authorize_proposal(Proposal(urn, name, "delete"), principal)
        spec = self.registry.get_aspect(urn.type, name)
        if not spec.timeseries:
            raise InvalidInstance(name, (Problem("", "is not a timeseries aspect: it can only be deleted as a whole"),))
        return self._run_once(
            lambda tx: self._commit_changes(
                tx, lambda commit: delete_timeseries_values(commit, urn, spec, start, end), principal
            ),
            codecs.NUMBER,
            idempotency_key,
        )

    def roll_back_ingestion_run(
        self, ingestion: str, aspects: Mapping[Urn, Sequence[str]], principal: Principal, *, hard: bool
    ) -> None:
        """Roll back what an ingestion run wrote to these aspects, atomically.

        Entities that it created are marked as removed, or with `hard` deleted. Raises NotFound, AccessDenied.
        """
        self.require_may_roll_back(aspects, principal, hard=hard)
        self._commit_once(
            lambda commit: roll_back_ingestion_run(commit, ingestion, aspects, hard=hard), principal, codecs.IDENTITY
        )

    def start_run(
        self,
        start: RunStart,
        principal: Principal,
        idempotency_key: IdempotencyKey | None = None,
        resolve: Callable[[RunStart], RunStart] = lambda start: start,
    ) -> Run:
        """Record the start of a run; starting the same program and run id again returns the same run.

        `resolve` returns the start with the present name of its program. It is called in the transaction, so that no
        rename is between.
        """
        self._require_may_start_run(principal, start.program)
        locks = write_locks.list_start_locks(start, idempotency_key)
        return self._write_run(lambda commit: create_run(commit, resolve(start)), principal, idempotency_key, locks)

    def update_run(
        self, urn: str, change: RunChange, principal: Principal, idempotency_key: IdempotencyKey | None = None
    ) -> Run:
        """Change the status or facts of a run. Raises NotFound."""
        program = self._require_may_write_run(principal, urn)
        locks = write_locks.list_run_locks(program, urn, idempotency_key=idempotency_key)
        return self._write_run(
            lambda commit: update_run_progress(commit, urn, change), principal, idempotency_key, locks
        )

    def record_run_accesses(
        self,
        urn: str,
        accesses: Sequence[Access],
        columns: Sequence[ColumnEdge],
        principal: Principal,
        idempotency_key: IdempotencyKey | None = None,
        resolve: Callable[[Urn], Urn] = lambda urn: urn,
    ) -> Run:
        """Record a run's accesses to data, of which `resolve` returns the present name in the transaction. Raises NotFound."""
        program = self._require_may_record_accesses(principal, urn, accesses, columns)
        system = self.snapshot_system_metadata
        return self._write_run(
            lambda commit: record_run_accesses(commit, urn, accesses, columns, system, resolve),
            principal,
            idempotency_key,
            write_locks.list_run_locks(program, urn, accesses, idempotency_key),
        )

    def record_complete_run(
        self, recording: RunUpsert, principal: Principal, idempotency_key: IdempotencyKey | None = None
    ) -> Run:
        """Record a complete run of a known program, with its accesses. Raises NotFound, RunConflict."""
        self._require_may_emit(principal, (recording.program, *(access.data for access in recording.accesses)))
        return self._write_run(
            lambda commit: record_reported_run(commit, recording, self.snapshot_system_metadata),
            principal,
            idempotency_key,
            write_locks.list_report_locks(recording, idempotency_key),
        )

    def record_stream_writer(self, stream: Urn, source: StreamWriter, principal: Principal) -> Run:
        """Record, once a day, that an external source wrote to a stream. Raises NotFound."""
        self._require_allowed(principal, "emit", stream)
        return self._write_run(lambda commit: record_stream_writer_run(commit, stream, source), principal, None, None)

    def record_openlineage_event(
        self, event: Event, principal: Principal, in_transaction: Callable[[TableContext], None] | None = None
    ) -> None:
        """Record an OpenLineage event, resolving locations to tables; `in_transaction` runs in its transaction. Raises AlreadyExists."""
        self._require_may_emit(principal, event.urns)

        def act(tx: TableContext, locks: Locks | None) -> None:
            resolved = replace_locations_by_tables(tx, event)
            self._require_may_emit(principal, set(resolved.urns).difference(event.urns))
            if in_transaction is not None:
                in_transaction(tx)
            system = self.snapshot_system_metadata
            self._commit_changes(tx, lambda commit: apply_openlineage_event(commit, resolved, system), principal, locks)

        locks = None if in_transaction is not None else write_locks.list_event_locks(event)
        self._run_once_with_locks(act, codecs.IDENTITY, None, locks)

    def mark_kernel_runs_killed(
        self, kernel: str, principal: Principal, reason: str, ended_ms: int | None = None
    ) -> int:
        """Record that the unfinished runs of a kernel of this user were killed, with the reason; return their number.

        With `ended_ms`, only runs that had begun by then: they ended at that time.
        """
        ended = 0
        for urn in self.provider.tx_runner.run(
            lambda tx: stored_runs.list_unfinished_runs_of_kernel(tx, kernel, principal.user, ended_ms),
            read_only=True,
        ):
            # A run in a deleted or no longer writable namespace must not prevent ending the others.
            with suppress(NotFound, AccessDenied):
                self.update_run(urn, RunChange("killed", ended_ms, {"error": reason}), principal)
                ended += 1
        return ended

    def _write_run(
        self,
        write: Callable[[CommitBuilder], str],
        principal: Principal,
        key: IdempotencyKey | None,
        locks: Locks | None,
    ) -> Run:
        """Change a run and return it, in one transaction, so that the result can be stored for repeated requests."""
        read = stored_runs.read_run_of_same_transaction
        return self._run_once_with_locks(
            lambda tx, locks: read(tx, self._commit_changes(tx, write, principal, locks)), codecs.RUN, key, locks
        )

    def _create_commit(
        self, tx: TableContext, principal: Principal, author: str = "", locks: Locks | None = None
    ) -> CommitBuilder:
        arguments = (self.registry, self.identity, principal, self.now, self.system_filter, self.retained)
        return CommitBuilder(tx, *arguments, always_log=self.always_log, author=author, locks=locks)

    def _commit_changes(
        self, tx: TableContext, work: Callable[[CommitBuilder], T], principal: Principal, locks: Locks | None = None
    ) -> T:
        commit = self._create_commit(tx, principal, locks=locks)
        result = work(commit)
        self._finish_commit(commit, principal)
        return result

    def _commit_once(self, act: Callable[[CommitBuilder], T], principal: Principal, codec: codecs.Codec[T]) -> T:
        return self._run_once(lambda tx: self._commit_changes(tx, act, principal), codec, None)

    def _finish_commit(self, commit: CommitBuilder, principal: Principal) -> None:
        tx = commit.tx
        commit.write_changes_and_update_indexes()
        if self.access_control.audit is not None:
            self.access_control.audit.record_changes(tx, commit.changes, commit.find_marked_entities, principal)
        tx.on_commit(self.publish)
        if any(change["type"] == POLICY_TYPE for change in commit.changes):
            tx.on_commit(self.access_control.mark_policies_stale)

    def rename_dataset(
        self,
        urn: Urn,
        new: Urn,
        principal: Principal,
        run: str | None = None,
        idempotency_key: IdempotencyKey | None = None,
    ) -> ProposalResult:
        """Rename a dataset within its namespace, with its metadata and lineage (decision 22).

        A principal without `admin` may rename only as part of a run of its own kernel. Raises NotFound, AccessDenied,
        InvalidInstance, RenameConflict.
        """
        self._require_may_rename(urn, new, principal)
        require_valid_new_name(self.identity, urn, new)
        is_admin = self.may_act_on_entity(principal, "delete", urn)

        def rename_dataset(commit: CommitBuilder) -> ProposalResult:
            if run is not None:
                require_known_runs(commit.tx, [Proposal(urn, None, "update", run=run)], "")
            if not is_admin and not stored_runs.is_run_of_kernel(commit.tx, run, principal.via):
                raise AccessDenied(
                    "rename", f"{urn}: without the scope admin, only a kernel may rename, within its own run"
                )
            return rename_dataset_with_contents(commit, urn, new, run)

        return self._commit_rename(urn, rename_dataset, principal, idempotency_key)

    def rename_notebook(
        self,
        urn: Urn,
        new: Urn,
        principal: Principal,
        idempotency_key: IdempotencyKey | None = None,
        *,
        merge: bool = False,
    ) -> ProposalResult:
        """Rename a notebook with its cells, their metadata, runs and lineage (decision 37).

        With `merge`, programs that have the new names get the runs in addition to their own, and a single cell may be
        renamed. Only a person may rename a notebook. Raises NotFound, AccessDenied, InvalidInstance, RenameConflict.
        """
        self._require_may_rename(urn, new, principal)
        if principal.via is not None:
            raise AccessDenied("rename", f"{urn}: only a person may rename a notebook")
        if not merge:
            require_valid_new_name(self.identity, urn, new)
        return self._commit_rename(
            urn, lambda commit: rename_notebook_with_cells(commit, urn, new, merge=merge), principal, idempotency_key
        )

    def _commit_rename(
        self,
        urn: Urn,
        rename: Callable[[CommitBuilder], ProposalResult],
        principal: Principal,
        idempotency_key: IdempotencyKey | None,
    ) -> ProposalResult:
        try:
            (written,) = self._run_once(
                lambda tx: [self._commit_changes(tx, rename, principal)], codecs.WRITTEN, idempotency_key
            )
        except TransactionTimeout as error:
            raise RenameConflict(str(urn), "it has too much metadata for one transaction") from error
        return written

    def _apply_proposal(self, commit: CommitBuilder, proposal: Proposal, spec: AspectSpec | None) -> ProposalResult:
        commit.require_not_deleting(proposal.urn)
        written = self._apply_resolved_proposal(commit, proposal, spec)
        if not commit.get_entity_row(proposal.urn)["deleted"]:
            commit.store_original_spelling(proposal.urn, proposal.spelling)
        return written

    def _apply_resolved_proposal(
        self, commit: CommitBuilder, proposal: Proposal, spec: AspectSpec | None
    ) -> ProposalResult:
        if spec is None and proposal.operation == "delete":
            return self._delete_entity(commit, proposal.urn)
        if proposal.needs == "entity":
            commit.require_entity(proposal.urn)
        if spec is not None and spec.timeseries:
            return write_timeseries_value_and_result(commit, proposal, spec, self.may_act_on_entity)
        version, exists = get_version_and_existence(commit, proposal)
        if exists and proposal.if_absent:
            return ProposalResult(proposal.urn, proposal.aspect, version, None, skipped=True)
        commit.require_condition(proposal)
        if exists and proposal.operation in CREATING and not may_create_over_platform_value(commit, proposal):
            raise AlreadyExists("the entity" if spec is None else f"the aspect {spec.name} of", str(proposal.urn))
        if spec is None:
            return commit.create_entity(
                proposal.urn, create_namespace=proposal.needs == "nothing", system=proposal.system
            )
        if proposal.operation == "delete":
            adapt_quality_results(commit, proposal.urn, spec.name, None)
            return commit.delete_aspect(proposal.urn, spec, proposal.run, proposal.system)
        return self._compute_and_write_value(commit, proposal, spec)

    def _compute_and_write_value(self, commit: CommitBuilder, proposal: Proposal, spec: AspectSpec) -> ProposalResult:
        if proposal.united and spec.name in UNION_RULES:
            return self._write_value_of_union(commit, proposal, spec)
        return self._write_new_value(commit, proposal, spec, self._compute_new_value(commit, proposal, spec))

    def _write_value_of_union(self, commit: CommitBuilder, proposal: Proposal, spec: AspectSpec) -> ProposalResult:
        """Write the aspect's own part of a union; user metadata changes only if a patch removes an entry of it."""
        urn, people = proposal.urn, commit.get_aspect_value(proposal.urn, USER_ASPECT)
        own, entries = commit.get_aspect_value(urn, spec.name), list_user_entries(spec.name, people)
        complete, is_patch = proposal.value, proposal.operation == "patch"
        if is_patch:
            old = merge_user_entries_into_aspect(spec.name, own, entries)
            complete = compute_changed_value(
                spec, create_initial_value_for_patch(spec, proposal.value) if old is None else old, proposal.value
            )
            run_package_validators(self.registry, proposal, complete)
        new = extract_part_without_user_entries(spec.name, complete, own, entries)
        if new is not None and spec.scope == "SYSTEM":
            new = self.system_filter.filter_aspect_keys(spec.name, new, urn, commit.get_entity_row(urn)["namespace"])
        written = self._write_new_value(commit, proposal, spec, new)
        removed = find_user_entries_removed_by_patch(spec.name, proposal.value, complete, entries) if is_patch else []
        if removed and people is not None:
            written = replace(
                written,
                seq=self._remove_user_entries(commit, proposal, remove_user_entries(people, removed), written.seq),
            )
        return replace(written, version=commit.get_version_for_datahub(urn, spec.name)[0])

    def _remove_user_entries(
        self, commit: CommitBuilder, proposal: Proposal, user_metadata: Mapping[str, Any], seq: int | None
    ) -> int | None:
        """Write the user metadata without the entries that a patch removed; return the number of the last change."""
        self._require_allowed(commit.principal, "annotate", proposal.urn, commit.tx)
        spec = self.registry.get_aspect(proposal.urn.type, USER_ASPECT)
        run_package_validators(self.registry, replace(proposal, aspect=USER_ASPECT, value=user_metadata), user_metadata)
        return commit.write_aspect(proposal.urn, spec, user_metadata, proposal.run).seq or seq

    def _write_new_value(
        self, commit: CommitBuilder, proposal: Proposal, spec: AspectSpec, new: Any | None
    ) -> ProposalResult:
        if new is None:
            return ProposalResult(proposal.urn, spec.name, ABSENT, None)
        require_no_cycle(proposal.urn, spec.name, new, commit.get_aspect_value)
        if is_marking_removed(spec.name, lambda: commit.get_aspect_value(proposal.urn, spec.name), new):
            self.require_may_delete(commit.principal, proposal.urn, tx=commit.tx)
        if (
            not spec.managed_by
            and self.registry.get_type(proposal.urn.type).managed_by
            and commit.get_entity_row(proposal.urn)["deleted"]
        ):
            raise NotFound("entity", str(proposal.urn))
        may_create = spec.scope == "SYSTEM" and proposal.needs == "nothing"
        adapt_quality_results(commit, proposal.urn, spec.name, new)
        commit.create_entity_if_missing(proposal.urn, create_namespace=may_create, system=proposal.system)
        return commit.write_aspect(proposal.urn, spec, new, proposal.run, proposal.system, implied=proposal.implied)

    def _compute_new_value(self, commit: CommitBuilder, proposal: Proposal, spec: AspectSpec) -> Any | None:
        """Return the new value of the aspect; None if nothing is to be written."""
        new = proposal.value
        if proposal.operation in DEPENDING_ON_STORED_VALUE:
            value = commit.get_aspect_value(proposal.urn, spec.name)
            old = create_initial_value_for_patch(spec, proposal.value) if value is None else value
            new = compute_changed_value(spec, old, proposal.value)
            if value is None and new == old and proposal.operation == "annotate":
                return None
            run_package_validators(self.registry, proposal, new)
        if spec.scope == "SYSTEM":
            new = self.system_filter.filter_aspect_keys(
                spec.name, new, proposal.urn, commit.get_entity_row(proposal.urn)["namespace"]
            )
        return new

    def _delete_entity(self, commit: CommitBuilder, urn: Urn) -> ProposalResult:
        if urn.type == "namespace":
            if urn.parts[0] in BUILTIN_NAMESPACES:
                raise AccessDenied("delete", str(urn))
            require_empty_namespace(commit, urn.parts[0])
        adapt_quality_results(commit, urn, None, None)
        return commit.delete_entity_and_children(urn)
