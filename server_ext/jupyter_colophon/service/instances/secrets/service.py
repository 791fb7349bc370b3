"""Secrets on their way between documents as programs need them and documents as they are kept."""

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

#: Where packages register secret stores, each a class without arguments.
GROUP = "jupyter_colophon.secret_stores"
#: In the instance's file, or in a file of secrets.
FILE = "file"
_logger = logging.getLogger(__name__)


class Secrets:
    """Keeps new secrets in the store that was chosen, and has old ones from wherever they were put."""

    def __init__(
        self, masks: Masks, in_file: SecretStore, chosen: str = FILE, *, variables: Sequence[str] = ()
    ) -> None:
        """With `file`, values stay in documents of stores that keep them, and go to `in_file` from others.

        `variables` are globs of the environment variables that may be referred to.

        Raises InvalidConfiguration where there is no store of the name `chosen`.
        """
        self._masks = masks
        self._stores: dict[str, SecretStore] = {FILE: in_file, "keyring": InKeyring(), "env": InEnvironment(variables)}
        found = self._named(chosen)
        if found is None:
            raise InvalidConfiguration(f"the setting c.Colophon.secret_store names no store of secrets: {chosen!r}")
        self._chosen: SecretStore = found

    def put_away(
        self, store: InstanceStore, name: str, document: Mapping[str, Any], old: Mapping[str, Any] | None
    ) -> tuple[Mapping[str, Any], list[str]]:
        """The document as the store keeps it, and the references that are new: they are forgotten where the save fails.

        A secret that is what it was keeps its reference. Raises SecretUnavailable, InstanceInvalid.
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
        """Where people write names of secrets and not their values, the document with references for what they wrote.

        What is checked then is what the names stand for. Raises InstanceInvalid for what is no name.
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
        """The document with the secrets' values, without those that cannot be had.

        Raises nothing: what is missing is told by `missing`, and by the schema where it is required.
        """
        values, gone = self._had(space, document)
        full = replaced(document, values) if values else document
        return without(full, list(gone)) if gone else full

    def before_forgetting(self, space: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """The document with the values of secrets that are forgotten with it; names that people wrote stay."""
        values, _ = self._had(space, document)
        keys = self.references(space, document)
        forgotten = {words: value for words, value in values.items() if not self.is_named_by_people(keys[words])}
        return replaced(document, forgotten) if forgotten else document

    def missing(self, space: str, document: Mapping[str, Any]) -> tuple[Problem, ...]:
        """Which secrets of a kept document cannot be had now, and why."""
        return tuple(Problem(pointer(words), why) for words, why in self._had(space, document)[1].items())

    def references(self, space: str, document: Mapping[str, Any] | None) -> dict[Words, str]:
        """The references of a kept document, by their pointers."""
        if document is None:
            return {}
        named = ((words, reference(at(document, words))) for words in self._masks.pointers(space, document))
        return {words: key for words, key in named if key is not None}

    def is_named_by_people(self, key: str) -> bool:
        """Whether somebody may write this reference: it names a store whose keys are known names."""
        store = self._named(key.partition(":")[0])
        return store is not None and store.is_named_by_people

    def refusal(self, key: str) -> str:
        """Return why somebody may not write this reference; the empty text where they may."""
        name, _, inner = key.partition(":")
        store = self._named(name)
        if store is None or not store.is_named_by_people:
            return "this refers to no secret of this instance"
        try:
            if isinstance(store, InEnvironment):
                store.check(inner)
        except InvalidSecret as error:
            return error.detail
        return ""

    def forget(self, keys: Iterable[str]) -> None:
        """These references are used no more."""
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
                _logger.exception("the store of secrets %s cannot be loaded", name)
                return None
        return self._stores[name]
