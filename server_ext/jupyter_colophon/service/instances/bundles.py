"""Export and import instances of a schemaspace, and move them between kinds of store."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_values import same
from jupyter_colophon.core.errors import (
    InstanceExists,
    InstanceInvalid,
    InstanceNotFound,
    InvalidInstance,
    InvalidName,
    MetadataError,
    SchemaNotFound,
)
from jupyter_colophon.core.identity.instance_names import normalized, require_instance_name
from jupyter_colophon.core.instances.instance import Held
from jupyter_colophon.core.instances.instance_query import ExportChoice, Outcome
from jupyter_colophon.core.model.proposal import ABSENT, Condition
from jupyter_colophon.service.instances.catalog_store import CatalogInstances
from jupyter_colophon.service.instances.edits import IGNORED, Drafts
from jupyter_colophon.service.instances.file_store import FileInstances
from jupyter_colophon.service.instances.import_conflicts import Both, conflict
from jupyter_colophon.service.instances.presentation import Shown
from jupyter_colophon.service.instances.saving import Saving
from jupyter_colophon.service.instances.secrets.service import Secrets
from jupyter_colophon.service.instances.store_protocol import InstanceStore

#: Raises a MetadataError unless an instance may be changed from the old to the new document.
Permit = Callable[[str, Mapping[str, Any], Mapping[str, Any] | None], None]
_INVALID = (InvalidInstance, SchemaNotFound, InvalidName)


class Bundles:
    """Export, import and move for one store."""

    def __init__(self, store: InstanceStore, saving: Saving, shown: Shown, drafts: Drafts, secrets: Secrets) -> None:
        self._store, self._saving, self._shown = store, saving, shown
        self._drafts, self._secrets = drafts, secrets

    def exported(self, choice: ExportChoice) -> list[dict[str, Any]]:
        """Return instances as Elyra writes them, with their names. Raises InstanceNotFound for an unknown requested name."""
        space = self._store.space
        there = {held.name: held for held in self._store.read_many(choice.names or self._store.names())}
        if lost := next((name for name in choice.names if name not in there), None):
            raise InstanceNotFound(space, lost)
        return [self._written(held, choice) for held in there.values() if self._is_chosen(held, choice)]

    def imported(
        self,
        documents: Sequence[Mapping[str, Any]],
        principal: Principal,
        permit: Permit,
        *,
        overwrite: bool,
        dry_run: bool,
    ) -> list[Outcome]:
        """Import instances independently; a dry run returns the expected outcomes, without running hooks."""
        return [self._taken(one, principal, permit, overwrite=overwrite, dry_run=dry_run) for one in documents]

    def _is_chosen(self, held: Held, choice: ExportChoice) -> bool:
        if held.document is None or choice.schema not in ("", held.document.get("schema_name")):
            return False
        return choice.include_invalid or not self._shown.instance(self._store.space, held).reason

    def _written(self, held: Held, choice: ExportChoice) -> dict[str, Any]:
        document = held.document or {}
        if choice.include_secrets:
            return {"name": held.name, **self._secrets.in_place(self._store.space, document)}
        return {"name": held.name, **self._shown.masked(self._store.space, document)}

    def _taken(
        self, document: Mapping[str, Any], principal: Principal, permit: Permit, *, overwrite: bool, dry_run: bool
    ) -> Outcome:
        name = str(document.get("name") or "")
        try:
            name = require_instance_name(name or normalized(str(document.get("display_name") or "")))
            held = self._store.read(name)
            permit(name, document, held.document if held is not None else None)
            return self._kept(name, document, principal, overwrite=overwrite, dry_run=dry_run)
        except InstanceExists as error:
            return Outcome(name, "conflict", error.detail, error.problems)
        except _INVALID as error:
            return Outcome(name, "invalid", error.detail, error.problems)
        except MetadataError as error:
            return Outcome(name, "failed", error.detail, error.problems)

    def _kept(
        self, name: str, document: Mapping[str, Any], principal: Principal, *, overwrite: bool, dry_run: bool
    ) -> Outcome:
        space, held = self._store.space, self._store.read(name)
        old = held.document if held is not None and held.document is not None else {}
        draft, lost = self._drafts.loose(space, document, old)
        kept = self._secrets.named(space, name, draft)
        if held is not None and not lost and same(kept, _document(old)):
            return Outcome(name, "unchanged")
        if held is not None and not overwrite:
            there = self._both(held.document) if held.document is not None else None
            raise conflict(space, name, there, self._both(kept))
        if lost:
            # Do not drop a password silently: that would be noticed only when it is needed.
            where = ", ".join(one.pointer for one in lost)
            raise InstanceInvalid(name, str(draft.get("schema_name")), f"{where}: {lost[0].message}", lost)
        instance = self._shown.made(space, name, self._drafts.in_place(space, name, kept))
        done = Outcome(name, "created" if held is None else "updated")
        if dry_run:
            self._saving.judged(name, instance)
            return done
        condition = Condition(version=ABSENT) if held is None else Condition()
        self._saving.save(name, instance, condition, principal, old=kept, for_update=held is not None)
        return done

    def _both(self, document: Mapping[str, Any]) -> Both:
        """Return the document as stored, and as shown with masked secrets."""
        own = _document(document)
        return own, self._shown.masked(self._store.space, own)


def move(
    source: InstanceStore, target: InstanceStore, secrets: Secrets, principal: Principal, *, dry_run: bool
) -> list[Outcome]:
    """Move each own instance to another store: copy it, read it back, and then remove it here; without hooks."""
    return [
        _moved(held, source, target, secrets, principal, dry_run=dry_run) for held in source.read_many(source.names())
    ]


def _moved(
    held: Held,
    source: InstanceStore,
    target: InstanceStore,
    secrets: Secrets,
    principal: Principal,
    *,
    dry_run: bool,
) -> Outcome:
    name = held.name
    if not held.own:
        return Outcome(name, "unchanged", "not moved: it is in a shared or factory folder")
    if held.document is None:
        return Outcome(name, "failed", held.problem)
    try:
        there, version = target.read(name), source.versions([held]).get(name)
        full = secrets.in_place(source.space, held.document)
        if there is not None and not _is_same(there, full, secrets, source.space):
            return Outcome(name, "conflict", "the target has a different instance of this name")
        if dry_run:
            return Outcome(name, "created" if there is None else "unchanged")
        if there is None:
            there = _copied(held, target, secrets, principal)
        if there is None or not _is_same(there, full, secrets, source.space):
            return Outcome(name, "failed", "the copy differs from the original")
        _left(name, version, source, target, principal)
        kept = set(secrets.references(target.space, there.document).values())
        secrets.forget(key for key in secrets.references(source.space, held.document).values() if key not in kept)
    except MetadataError as error:
        return Outcome(name, "failed", error.detail, error.problems)
    return Outcome(name, "created")


def _left(name: str, version: int | None, source: InstanceStore, target: InstanceStore, principal: Principal) -> None:
    """Remove the original, after the copy was verified."""
    if isinstance(source, CatalogInstances) and isinstance(target, FileInstances):
        # Both have the same record, whose metadata a removal would delete: the file adopts it.
        target.take_over(name, version, principal)
    else:
        source.remove(name, Condition(), principal)


def _copied(held: Held, target: InstanceStore, secrets: Secrets, principal: Principal) -> Held | None:
    """Copy an instance; its secrets move to the target's secret store, references to other stores stay."""
    full = secrets.in_place(target.space, held.document or {})
    document, made = secrets.put_away(target, held.name, full, held.document)
    try:
        target.save(held.name, document, Condition(version=ABSENT), principal)
    except BaseException:
        secrets.forget(made)
        raise
    return target.read(held.name)


def _is_same(there: Held, full: Mapping[str, Any], secrets: Secrets, space: str) -> bool:
    return there.document is not None and same(secrets.in_place(space, there.document), full)


def _document(document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in IGNORED}
