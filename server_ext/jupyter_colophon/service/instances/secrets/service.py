"""Convert between documents with secrets and stored documents with references."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any

from jupyter_colophon.core.documents.json_values import same
from jupyter_colophon.core.errors import (
    InstanceInvalid,
    InvalidConfiguration,
    InvalidSecret,
    Problem,
    SecretUnavailable,
)
from jupyter_colophon.core.instances.instance_texts import PLACEHOLDER
from jupyter_colophon.service.instances.masking import (
    Masks,
    Words,
    at,
    is_mask,
    pointer,
    reference,
    replaced,
    without,
)
from jupyter_colophon.service.instances.secrets.in_environment import InEnvironment
from jupyter_colophon.service.instances.secrets.in_keyring import InKeyring
from jupyter_colophon.service.instances.secrets.protocol import SecretStore
from jupyter_colophon.service.instances.store_protocol import InstanceStore

#: The entry point group of secret stores, classes without arguments.
GROUP = "jupyter_colophon.secret_stores"
#: In the instance's file, or in a file of secrets.
FILE = "file"
_logger = logging.getLogger(__name__)


class Secrets:
    """Stores new secrets in the configured store, and fetches existing ones from any store."""

    def __init__(
        self, masks: Masks, in_file: SecretStore, chosen: str = FILE, *, variables: Sequence[str] = ()
    ) -> None:
        """With `file`, values stay in documents of stores that keep them, and go to `in_file` from others.

        `variables` are globs of the environment variables that may be referred to.

        Raises InvalidConfiguration if the store `chosen` is unknown.
        """
        self._masks = masks
        self._stores: dict[str, SecretStore] = {FILE: in_file, "keyring": InKeyring(), "env": InEnvironment(variables)}
        found = self._named(chosen)
        if found is None:
            raise InvalidConfiguration(f"c.Colophon.secret_store: unknown secret store {chosen!r}")
        self._chosen: SecretStore = found

    def put_away(
        self, store: InstanceStore, name: str, document: Mapping[str, Any], old: Mapping[str, Any] | None
    ) -> tuple[Mapping[str, Any], list[str]]:
        """Return the document to store, and the new references, to be deleted if the save fails.

        An unchanged secret keeps its reference. Raises SecretUnavailable, InstanceInvalid.
        """
        space = store.space
        stays = store.keeps_secrets and self._chosen.name == FILE
        kept: dict[Words, Any] = {}
        made: list[str] = []
        try:
            for words in self._masks.pointers(space, document):
                value = at(document, words)
                was = at(old, words) if old is not None else None
                if value is None or is_mask(value) or reference(value) is not None:
                    continue
                if (known := reference(was)) is not None and self._is(known, value):
                    if not (stays and known.startswith(f"{FILE}:")):
                        kept[words] = was
                elif not stays and (key := self._keep(f"{space}/{name}{pointer(words)}", value)) is not None:
                    made.append(key)
                    kept[words] = {PLACEHOLDER: key}
        except InvalidSecret as error:
            self.forget(made)
            where = Problem(pointer(words), error.detail)
            raise InstanceInvalid(name, str(document.get("schema_name")), error.detail, (where,)) from None
        except BaseException:
            self.forget(made)
            raise
        return (replaced(document, kept) if kept else document), made

    def named(self, space: str, name: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the document with references for names of secrets, if the store uses names instead of values.

        The values behind the names are validated then. Raises InstanceInvalid for an invalid name.
        """
        if not self._chosen.is_named_by_people:
            return document
        kept: dict[Words, Any] = {}
        for words in self._masks.pointers(space, document):
            value = at(document, words)
            if value is None or is_mask(value) or reference(value) is not None:
                continue
            try:
                key = self._keep(f"{space}/{name}{pointer(words)}", value)
            except InvalidSecret as error:
                where = Problem(pointer(words), error.detail)
                raise InstanceInvalid(name, str(document.get("schema_name")), error.detail, (where,)) from None
            if key is not None:
                kept[words] = {PLACEHOLDER: key}
        return replaced(document, kept) if kept else document

    def in_place(self, space: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the document with the values of secrets, without unavailable ones.

        Raises nothing: `missing` reports unavailable secrets, and validation does if they are required.
        """
        values, gone = self._had(space, document)
        full = replaced(document, values) if values else document
        return without(full, list(gone)) if gone else full

    def before_forgetting(self, space: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the document with the values of secrets that are deleted with it; names written by users stay."""
        values, _ = self._had(space, document)
        keys = self.references(space, document)
        forgotten = {words: value for words, value in values.items() if not self.is_named_by_people(keys[words])}
        return replaced(document, forgotten) if forgotten else document

    def missing(self, space: str, document: Mapping[str, Any]) -> tuple[Problem, ...]:
        """Return which secrets of a stored document are unavailable, and why."""
        return tuple(Problem(pointer(words), why) for words, why in self._had(space, document)[1].items())

    def references(self, space: str, document: Mapping[str, Any] | None) -> dict[Words, str]:
        """Return the references of a stored document, by path."""
        if document is None:
            return {}
        named = ((words, reference(at(document, words))) for words in self._masks.pointers(space, document))
        return {words: key for words, key in named if key is not None}

    def is_named_by_people(self, key: str) -> bool:
        """Return whether users may write this reference: its store has known names as keys."""
        store = self._named(key.partition(":")[0])
        return store is not None and store.is_named_by_people

    def refusal(self, key: str) -> str:
        """Return why users may not write this reference; "" if they may."""
        name, _, inner = key.partition(":")
        store = self._named(name)
        if store is None or not store.is_named_by_people:
            return "not a reference to a secret of this instance"
        try:
            if isinstance(store, InEnvironment):
                store.check(inner)
        except InvalidSecret as error:
            return error.detail
        return ""

    def forget(self, keys: Iterable[str]) -> None:
        """Delete the secrets of these references."""
        for key in keys:
            name, _, inner = key.partition(":")
            store = self._named(name)
            if store is not None:
                store.forget(inner)

    def _keep(self, place: str, value: Any) -> str | None:
        key = self._chosen.keep(place, value)
        return None if key is None else f"{self._chosen.name}:{key}"

    def _is(self, key: str, value: Any) -> bool:
        try:
            return same(self._fetch(key), value)
        except SecretUnavailable:
            return False

    def _had(self, space: str, document: Mapping[str, Any]) -> tuple[dict[Words, Any], dict[Words, str]]:
        values: dict[Words, Any] = {}
        gone: dict[Words, str] = {}
        for words, key in self.references(space, document).items():
            try:
                values[words] = self._fetch(key)
            except SecretUnavailable as error:
                gone[words] = error.detail
        return values, gone

    def _fetch(self, key: str) -> Any:
        name, _, inner = key.partition(":")
        store = self._named(name)
        if store is None:
            raise SecretUnavailable(f"its store {name!r} is not installed")
        return store.fetch(inner)

    def _named(self, name: str) -> SecretStore | None:
        if name not in self._stores:
            found = [point for point in entry_points(group=GROUP) if point.name == name]
            if not found:
                return None
            try:
                self._stores[name] = found[0].load()()
            except Exception:
                _logger.exception("cannot load the secret store %s", name)
                return None
        return self._stores[name]
