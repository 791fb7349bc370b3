"""The only way metadata changes: authorise, validate, then one transaction {condition, commit}, then publish."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from jupyter_colophon.core.access import Action, Authorizer, Principal, ScopeAuthorizer
from jupyter_colophon.core.changes.idempotency import Once
from jupyter_colophon.core.datahub.scope_union import (
    PEOPLE,
    UNITED,
    entries_of,
    is_removal,
    own_part,
    removed_entries,
    unite,
    without,
)
from jupyter_colophon.core.errors import (
    AccessDenied,
    AlreadyExists,
    InvalidInstance,
    MetadataError,
    NotEmpty,
    NotFound,
    Problem,
    RenameConflict,
    StorageError,
    TransactionTimeout,
)
from jupyter_colophon.core.identity.names import Identity, Urn, namespace
from jupyter_colophon.core.instances.instance_namespaces import is_namespaced
from jupyter_colophon.core.lineage.run import Access, ColumnEdge, Recording, Run, RunChange, RunStart, Source
from jupyter_colophon.core.model.proposal import ABSENT, CREATING, Proposal, Written
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.core.model.retention import ALL_KEPT, Retention
from jupyter_colophon.core.model.system_filter import EVERYTHING, SystemFilter
from jupyter_colophon.core.openlineage.event import Event
from jupyter_colophon.service.deletions import is_deletion, removes_entity
from jupyter_colophon.service.validation import (
    beginning,
    changed,
    fitting,
    hold,
    require_door,
    require_runs,
    told_within,
)
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.changes import idempotency_results
from jupyter_colophon.storage.commit.commit import Commit
from jupyter_colophon.storage.commit.openlineage import take
from jupyter_colophon.storage.commit.record_run import record, record_source
from jupyter_colophon.storage.commit.rename import rename_entity
from jupyter_colophon.storage.commit.rollback import roll_back
from jupyter_colophon.storage.commit.runs import change_run, record_accesses, start_run
from jupyter_colophon.storage.commit.timeseries import append, forget
from jupyter_colophon.storage.entities import instance_namespaces
from jupyter_colophon.storage.lineage import runs as stored_runs
from jupyter_colophon.storage.lineage.symlinks import resolved
from jupyter_colophon.storage.spi import Range, StorageProvider, TableContext

T = TypeVar("T")
#: What else is done in the transaction of a batch: it gets the batch as a callable, and calls it once or not at all.
Around = Callable[[TableContext, Callable[[], list[Written]]], list[Written]]
#: A batch of which each proposal stands by itself, as a callable that is called once or not at all.
EachOf = Callable[[], list[Written | MetadataError]]
#: Namespaces that always exist and cannot be deleted (spec ID-16).
ETERNAL = frozenset({"default", "system"})
#: How much of a deleted namespace is taken away in one transaction, so that nobody waits long for it.
_CLEARED_AT_ONCE = 100
#: The operations of which the value is known when they are applied to what is there.
_CHANGING = frozenset({"patch", "annotate"})
#: What a rename needs of both names: aspects of both scopes, and runs, get another name.
_RENAMING: tuple[Action, ...] = ("annotate", "emit")


@dataclass(frozen=True, slots=True)
class WritePath:
    """Every write, from whatever door, is one of these calls.

    All raise AccessDenied or NotFound before they say anything else, and change nothing when they raise. Those that
    are given `once` do what is asked once: the same request again has the first result, another one with the same
    key raises IdempotencyKeyReused.
    """

    provider: StorageProvider
    registry: Registry
    identity: Identity
    authorizer: Authorizer
    now: Callable[[], int]
    publish: Callable[[], None]
    facts: SystemFilter = EVERYTHING
    #: Whether a run's snapshots hold what machines say as well (spec LINEAGE-17).
    snapshots_system: bool = False
    #: Which versions of aspects are kept.
    retained: Retention = ALL_KEPT
    #: Whether the change log also tells that an equal value was written (DataHub's alwaysEmitChangeLog).
    always_log: bool = False

    def propose(
        self,
        proposals: Sequence[Proposal],
        principal: Principal,
        within: str = "",
        *,
        once: Once | None = None,
        around: Around | None = None,
        door: str = "",
    ) -> list[Written]:
        """Apply a batch in its order, wholly or not at all.

        Raises InvalidInstance, PatchFailed, ConditionFailed, AlreadyExists, NotFound. Pointers lead into the value,
        and into the batch where `within` is the pointer to it. What has a door
        of its own (core/model/registry.py) is changed by who names it as `door`; others are raised ManagedElsewhere.
        """
        specs = self.check(proposals, principal, within, door)

        def work(commit: Commit) -> list[Written]:
            require_runs(commit.tx, proposals, within)
            commit.expect(proposal.urn for proposal in proposals)
            done = []
            for at, (proposal, spec) in enumerate(zip(proposals, specs, strict=True)):
                with told_within(within, at):
                    done.append(self._apply(commit, proposal, spec))
            return done

        def act(tx: TableContext) -> list[Written]:
            if around is None:
                return self._commit(tx, work, principal)
            return around(tx, lambda: self._commit(tx, work, principal))

        return self._transaction(act, codecs.WRITTEN, once)

    def propose_each(
        self, proposals: Sequence[Proposal], principal: Principal, around: Callable[[TableContext, EachOf], T]
    ) -> T:
        """Apply what of a batch can be applied, in its order: `around` makes the answer of the results, or errors, of each."""
        checked = [self._checked(proposal, principal) for proposal in proposals]

        def work(commit: Commit) -> list[Written | MetadataError]:
            both = list(zip(proposals, checked, strict=True))
            commit.expect(one.urn for one, spec in both if not isinstance(spec, MetadataError))
            return [self._apart(commit, one, spec) for one, spec in both]

        return self.provider.tx_runner.run(lambda tx: around(tx, lambda: self._commit(tx, work, principal)))

    def check(
        self, proposals: Sequence[Proposal], principal: Principal, within: str = "", door: str = ""
    ) -> list[AspectSpec | None]:
        """Authorise and validate a batch as far as that goes without looking at what is there."""
        for proposal in proposals:
            self._authorise(proposal, principal, door)
        specs = []
        for at, proposal in enumerate(proposals):
            with told_within(within, at):
                specs.append(fitting(self.registry, proposal, door))
                if proposal.operation not in _CHANGING:
                    hold(self.registry, proposal, proposal.value)
        return specs

    def _checked(self, proposal: Proposal, principal: Principal) -> AspectSpec | MetadataError | None:
        try:
            return self.check([proposal], principal)[0]
        except MetadataError as error:
            return error

    def _apart(
        self, commit: Commit, proposal: Proposal, spec: AspectSpec | MetadataError | None
    ) -> Written | MetadataError:
        """Apply one so that it harms no other: what is refused is refused before anything of it is written."""
        if isinstance(spec, MetadataError):
            return spec
        before = len(commit.changes)
        try:
            require_runs(commit.tx, [proposal], "")
            return self._apply(commit, proposal, spec)
        except MetadataError as error:
            if isinstance(error, StorageError) or len(commit.changes) != before:
                raise
            return error

    def end_namespace(self, name: str, principal: Principal) -> None:
        """Delete a namespace: nobody can read or write it any more when this returns. Raises NotFound, AccessDenied."""
        self.require_ending(name, principal)
        self._transaction(
            lambda tx: self._commit(tx, lambda one: one.end_namespace(name), principal), codecs.NOTHING, None
        )

    def require_ending(self, name: str, principal: Principal) -> None:
        """Raise NotFound, AccessDenied unless the principal may delete a namespace."""
        self.require_deletion(principal, namespace(name))
        if name in ETERNAL:
            raise AccessDenied("delete", str(namespace(name)))

    def clear_namespace(self, name: str, principal: Principal) -> bool:
        """Take away some of what a deleted namespace holds; True when nothing is left. Raises StorageError."""

        def act(tx: TableContext) -> bool:
            return self._commit(tx, lambda commit: commit.clear_namespace(name, _CLEARED_AT_ONCE), principal)

        return self._transaction(act, codecs.NOTHING, None) is True

    def forget_moments(
        self, urn: Urn, name: str, start: int | None, end: int | None, principal: Principal, once: Once | None = None
    ) -> int:
        """Take away what an aspect says of the time from `start` to `end` (ms, both too); returns how many values.

        Raises NotFound, InvalidInstance for an aspect that is not told by time.
        """
        self._authorise(Proposal(urn, name, "delete"), principal)
        spec = self.registry.aspect(urn.type, name)
        if not spec.timeseries:
            raise InvalidInstance(name, (Problem("", "is not told by time: it is deleted as a whole"),))
        return self._transaction(
            lambda tx: self._commit(tx, lambda commit: forget(commit, urn, spec, start, end), principal),
            codecs.NUMBER,
            once,
        )

    def may_roll_back(self, aspects: Mapping[Urn, Sequence[str]], principal: Principal, *, hard: bool) -> None:
        """Raise NotFound, AccessDenied, ManagedElsewhere unless the principal may take back what a run wrote to these aspects."""
        for urn, names in aspects.items():
            kind = self.registry.type(urn.type)
            if hard and kind.key_aspect in names:
                self._authorise(Proposal(urn, None, "delete"), principal)
            for name in names:
                self._authorise(Proposal(urn, name, "delete"), principal)
                require_door(self.registry.aspect(urn.type, name).door, "", str(urn))

    def roll_back(
        self, ingestion: str, aspects: Mapping[Urn, Sequence[str]], principal: Principal, *, hard: bool
    ) -> None:
        """Take back what a run of an ingestion wrote to these aspects, wholly or not at all.

        What it made is marked as removed, or (`hard`) deleted. Raises NotFound, AccessDenied.
        """
        self.may_roll_back(aspects, principal, hard=hard)

        def work(commit: Commit) -> None:
            roll_back(commit, ingestion, aspects, hard=hard)

        self._transaction(lambda tx: self._commit(tx, work, principal), codecs.NOTHING, None)

    def start_run(self, start: RunStart, principal: Principal, once: Once | None = None) -> Run:
        """Record a run; the same program and run id again is the same run."""
        self._may(principal, "emit", start.program)
        if start.program.type != "dataJob":
            raise InvalidInstance("the run", (Problem("/program", "a program is a dataJob"),))
        return self._on_run(lambda commit: start_run(commit, start), principal, once)

    def change_run(self, urn: str, change: RunChange, principal: Principal, once: Once | None = None) -> Run:
        """Record how a run went on. Raises NotFound."""
        self._may_run(principal, urn)
        return self._on_run(lambda commit: change_run(commit, urn, change), principal, once)

    def record_accesses(
        self,
        urn: str,
        accesses: Sequence[Access],
        columns: Sequence[ColumnEdge],
        principal: Principal,
        once: Once | None = None,
    ) -> Run:
        """Record what a run touched. Raises NotFound for the run; data become known by being touched."""
        self._may_run(principal, urn)
        touched = [access.data for access in accesses] + [end for edge in columns for end in (edge.source, edge.target)]
        for data in touched:
            self._may(principal, "emit", data)
            if data.type != "dataset":
                raise InvalidInstance("the access", (Problem("/accesses", "only datasets are accessed"),))
        return self._on_run(
            lambda commit: record_accesses(commit, urn, accesses, columns, self.snapshots_system), principal, once
        )

    def record(self, told: Recording, principal: Principal, once: Once | None = None) -> Run:
        """Record what is told of a run of a known program, and what it touched. Raises NotFound, RunConflict."""
        for urn in (told.program, *(access.data for access in told.accesses)):
            self._may(principal, "emit", urn)
        return self._on_run(lambda commit: record(commit, told, self.snapshots_system), principal, once)

    def record_source(self, stream: Urn, source: Source, principal: Principal) -> Run:
        """Record that somebody outside wrote into a stream on a day: once. Raises NotFound."""
        self._may(principal, "emit", stream)
        return self._on_run(lambda commit: record_source(commit, stream, source), principal, None)

    def take_event(
        self, event: Event, principal: Principal, around: Callable[[TableContext], None] = lambda tx: None
    ) -> None:
        """Take an event of OpenLineage in, also of tables known by places; `around` is done with it. Raises AlreadyExists."""
        for urn in event.urns:
            self._may(principal, "emit", urn)

        def act(tx: TableContext) -> None:
            for urn in set(resolved(tx, event).urns).difference(event.urns):
                self._may(principal, "emit", urn)
            around(tx)
            self._commit(tx, lambda commit: take(commit, event, self.snapshots_system), principal)

        self._transaction(act, codecs.NOTHING, None)

    def end_kernel(self, kernel: str, principal: Principal, why: str) -> None:
        """Record that the runs which a kernel left behind are killed, and why."""
        for urn in self.provider.tx_runner.run(lambda tx: stored_runs.going_on(tx, kernel), read_only=True):
            # One of a namespace that is gone, or that its user may not write to any more, keeps no other going.
            with suppress(NotFound, AccessDenied):
                self.change_run(urn, RunChange("killed", facts={"error": why}), principal)

    def _on_run(self, work: Callable[[Commit], str], principal: Principal, once: Once | None) -> Run:
        """Change a run, and read it as it is then: in the same transaction, so that the answer can be kept."""
        read = stored_runs.existing
        return self._transaction(lambda tx: read(tx, self._commit(tx, work, principal)), codecs.RUN, once)

    def _commit(self, tx: TableContext, work: Callable[[Commit], T], principal: Principal) -> T:
        about = (self.registry, self.identity, principal, self.now(), self.facts, self.retained)
        commit = Commit(tx, *about, always_log=self.always_log)
        result = work(commit)
        commit.finish()
        tx.after_commit(self.publish)
        return result

    def _transaction(self, act: Callable[[TableContext], T], form: codecs.Form[T], once: Once | None) -> T:
        return self.provider.tx_runner.run(
            lambda tx: idempotency_results.once(tx, once, form, self.now(), lambda: act(tx))
        )

    def rename(
        self, urn: Urn, new: Urn, principal: Principal, run: str | None = None, once: Once | None = None
    ) -> Written:
        """Give a dataset another name in its namespace, with all that is recorded of it (decision 22).

        Who may not delete entities renames only as part of a run that is their kernel's own. Raises NotFound, AccessDenied,
        InvalidInstance, RenameConflict.
        """
        for name in (urn, new):
            for action in _RENAMING:
                self._may(principal, action, name)
        self._require_new_name(urn, new)
        is_admin = self.authorizer.may(principal, "admin", self.identity.namespace_of(urn))

        def work(commit: Commit) -> list[Written]:
            if run is not None:
                require_runs(commit.tx, [Proposal(urn, None, "update", run=run)], "")
            if not is_admin and not stored_runs.is_of_kernel(commit.tx, run, principal.via):
                raise AccessDenied("rename", f"{urn}: a kernel renames in a run of its own")
            return [rename_entity(commit, urn, new, run)]

        try:
            (written,) = self._transaction(lambda tx: self._commit(tx, work, principal), codecs.WRITTEN, once)
        except TransactionTimeout as error:
            raise RenameConflict(str(urn), "too much is recorded of it") from error
        return written

    def _require_new_name(self, urn: Urn, new: Urn) -> None:
        """Raise InvalidInstance unless the second name is another one that the first dataset can have."""
        problem = ""
        if (urn.type, new.type) != ("dataset", "dataset"):
            problem = "only datasets are renamed"
        elif self.identity.is_stream(urn) or self.identity.is_stream(new):
            problem = "a stream keeps its name"
        elif self.identity.namespace_of(urn) != self.identity.namespace_of(new):
            problem = "the new name is in another namespace"
        elif (urn.parts[0], urn.parts[2]) != (new.parts[0], new.parts[2]):
            problem = "the new name has another platform or fabric"
        elif urn == new:
            problem = "is the present name"
        if problem:
            raise InvalidInstance("the rename", (Problem("/to", problem),))

    def require(self, principal: Principal, action: Action, urn: Urn) -> None:
        """Raise NotFound, AccessDenied unless the principal may do this with an entity that is changed elsewhere."""
        self._may(principal, action, urn)

    def require_deletion(
        self, principal: Principal, urn: Urn, aspect: str = "", *, tx: TableContext | None = None, door: str = ""
    ) -> None:
        """Raise NotFound, AccessDenied unless the principal may delete an entity, or an aspect of it."""
        self._may(principal, "read", urn, tx, door)
        try:
            self._may(principal, "admin", urn, tx, door)
        except AccessDenied as error:
            why = "" if "admin" in principal.scopes else ": deleting needs the scope admin, and this token lacks it"
            raise AccessDenied("delete", (f"{aspect} of {urn}" if aspect else str(urn)) + why) from error

    def _authorise(self, proposal: Proposal, principal: Principal, door: str = "") -> None:
        if proposal.aspect is None:
            if proposal.operation == "delete":
                self.require_deletion(principal, proposal.urn, door=door)
            else:
                self._may(principal, "emit", proposal.urn, door=door)
            return
        # Who may not read an entity is told nothing, not even which aspects its type has.
        self._may(principal, "read", proposal.urn, door=door)
        spec = self.registry.aspect(proposal.urn.type, proposal.aspect)
        if is_deletion(proposal):
            self.require_deletion(principal, proposal.urn, spec.name, door=door)
        own: Action = "annotate" if spec.scope == "USER" or self._only_removes(proposal, principal) else "emit"
        self._may(principal, "admin" if spec.door else own, proposal.urn, door=door)

    def _only_removes(self, proposal: Proposal, principal: Principal) -> bool:
        """Whether a principal with `annotate` removes entries of a union one by one, in whichever scope they are."""
        if not (proposal.united and proposal.operation == "patch" and is_removal(str(proposal.aspect), proposal.value)):
            return False
        return self.authorizer.may(principal, "annotate", self.identity.namespace_of(proposal.urn))

    def _may(
        self, principal: Principal, action: Action, urn: Urn, tx: TableContext | None = None, door: str = ""
    ) -> None:
        # Who writes instances through their own door was authorised by the document that they become, too.
        for space in [self.identity.namespace_of(urn)] if door else self._namespaces(urn, tx):
            if not self.authorizer.may(principal, "read", space):
                raise NotFound("entity", str(urn))
            if not self.authorizer.may(principal, action, space):
                raise AccessDenied(action, str(urn))

    def _namespaces(self, urn: Urn, tx: TableContext | None) -> list[str]:
        """Return the namespaces of which an entity needs the rights: that of its name, and of a pipeline its document's."""
        own = self.identity.namespace_of(urn)
        if not is_namespaced(urn) or isinstance(self.authorizer, ScopeAuthorizer):
            return [own]
        look = partial(instance_namespaces.namespace_of, urn=str(urn))
        named = self.provider.tx_runner.run(look, read_only=True) if tx is None else look(tx)
        return [own] if named is None else [own, named]

    def _may_run(self, principal: Principal, urn: str) -> None:
        program = self.provider.tx_runner.run(lambda tx: stored_runs.program_of(tx, urn), read_only=True)
        if program is None:
            raise NotFound("run", urn)
        self._may(principal, "emit", Urn.parse(program))

    def _apply(self, commit: Commit, proposal: Proposal, spec: AspectSpec | None) -> Written:
        commit.refuse_ending(proposal.urn)
        written = self._apply_known(commit, proposal, spec)
        if not commit.entity(proposal.urn)["deleted"]:
            commit.spell(proposal.urn, proposal.spelling)
        return written

    def _apply_known(self, commit: Commit, proposal: Proposal, spec: AspectSpec | None) -> Written:
        if spec is None and proposal.operation == "delete":
            return self._remove_entity(commit, proposal.urn)
        if proposal.needs == "entity":
            commit.require(proposal.urn)
        if spec is not None and spec.timeseries:
            return append(commit, proposal, spec)
        version, taken = _found(commit, proposal)
        if taken and proposal.if_absent:
            return Written(proposal.urn, proposal.aspect, version, None, filtered=True)
        commit.check(proposal)
        if taken and proposal.operation in CREATING and not _may_create(commit, proposal):
            raise AlreadyExists("the entity" if spec is None else f"the aspect {spec.name} of", str(proposal.urn))
        if spec is None:
            return commit.create_entity(
                proposal.urn, create_namespace=proposal.needs == "nothing", system=proposal.system
            )
        if proposal.operation == "delete":
            return commit.remove(proposal.urn, spec, proposal.run, proposal.system)
        return self._put(commit, proposal, spec)

    def _put(self, commit: Commit, proposal: Proposal, spec: AspectSpec) -> Written:
        if proposal.united and spec.name in UNITED:
            return self._put_united(commit, proposal, spec)
        return self._keep(commit, proposal, spec, self._new(commit, proposal, spec))

    def _put_united(self, commit: Commit, proposal: Proposal, spec: AspectSpec) -> Written:
        """Write what of a union belongs to its aspect; what people say is only changed by removing one entry of it."""
        urn, people = proposal.urn, commit.current(proposal.urn, PEOPLE)
        own, entries = commit.current(urn, spec.name), entries_of(spec.name, people)
        whole = proposal.value
        if proposal.operation == "patch":
            old = unite(spec.name, own, entries)
            whole = changed(spec, beginning(spec, proposal.value) if old is None else old, proposal.value)
            hold(self.registry, proposal, whole)
        new = own_part(spec.name, whole, own, entries)
        if new is not None and spec.scope == "SYSTEM":
            new = self.facts.of_aspect(spec.name, new, urn, commit.entity(urn)["namespace"])
        written = self._keep(commit, proposal, spec, new)
        is_patch = proposal.operation == "patch"
        gone = removed_entries(spec.name, proposal.value, whole, entries) if is_patch else []
        if gone and people is not None:
            written = replace(written, seq=self._remove_entries(commit, proposal, without(people, gone), written.seq))
        return replace(written, version=commit.standing_united(urn, spec.name)[0])

    def _remove_entries(
        self, commit: Commit, proposal: Proposal, people: Mapping[str, Any], seq: int | None
    ) -> int | None:
        """Write what people say without the entries that a patch removed; return the number of the last change."""
        self._may(commit.principal, "annotate", proposal.urn, commit.tx)
        spec = self.registry.aspect(proposal.urn.type, PEOPLE)
        hold(self.registry, replace(proposal, aspect=PEOPLE, value=people), people)
        return commit.put(proposal.urn, spec, people, proposal.run).seq or seq

    def _keep(self, commit: Commit, proposal: Proposal, spec: AspectSpec, new: Any | None) -> Written:
        if new is None:
            return Written(proposal.urn, spec.name, ABSENT, None)
        if removes_entity(spec.name, commit.current(proposal.urn, spec.name), new):
            self.require_deletion(commit.principal, proposal.urn, tx=commit.tx)
        if not spec.door and self.registry.type(proposal.urn.type).door and commit.entity(proposal.urn)["deleted"]:
            raise NotFound("entity", str(proposal.urn))
        may_create = spec.scope == "SYSTEM" and proposal.needs == "nothing"
        commit.ensure(proposal.urn, create_namespace=may_create, system=proposal.system)
        return commit.put(proposal.urn, spec, new, proposal.run, proposal.system, implied=proposal.implied)

    def _new(self, commit: Commit, proposal: Proposal, spec: AspectSpec) -> Any | None:
        """What the aspect becomes; None where nothing is to be written."""
        new = proposal.value
        if proposal.operation in _CHANGING:
            value = commit.current(proposal.urn, spec.name)
            old = beginning(spec, proposal.value) if value is None else value
            new = changed(spec, old, proposal.value)
            if value is None and new == old and proposal.operation == "annotate":
                return None
            hold(self.registry, proposal, new)
        if spec.scope == "SYSTEM":
            new = self.facts.of_aspect(spec.name, new, proposal.urn, commit.entity(proposal.urn)["namespace"])
        return new

    def _remove_entity(self, commit: Commit, urn: Urn) -> Written:
        if urn.type == "namespace":
            name = urn.parts[0]
            if name in ETERNAL:
                raise AccessDenied("delete", str(urn))
            held = commit.names().scan(Range.prefix(name), limit=2)
            if any(row["urn"] != str(urn) for row in held):
                raise NotEmpty(name)
        return commit.remove_entity(urn)


def _found(commit: Commit, proposal: Proposal) -> tuple[int, bool]:
    """The version that is there, and whether what is asked for cannot be new any more."""
    aspect = proposal.aspect or commit.registry.type(proposal.urn.type).key_aspect
    version, _ = commit.standing(proposal.urn, aspect)
    if proposal.operation == "create-entity":
        return version, commit.was_there(proposal.urn)
    return version, version != ABSENT and not commit.is_implied(proposal.urn, aspect)


def _may_create(commit: Commit, proposal: Proposal) -> bool:
    """Whether an aspect was written by the platform alone, so that CREATE is not a conflict.

    DataHub's clients create an entity by its key, whether or not the platform met it before; to our own clients an
    entity that exists exists.
    """
    if proposal.operation == "create-entity" or (proposal.aspect is None and not proposal.united):
        return False
    aspect = proposal.aspect or commit.registry.type(proposal.urn.type).key_aspect
    return commit.is_by_platform(proposal.urn, aspect)
