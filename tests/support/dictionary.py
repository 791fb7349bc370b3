"""A store of instances as a user of Elyra may write it: a dictionary."""

from collections.abc import Mapping
from typing import Any


class MetadataNotFoundError(Exception):
    """An error with the name of Elyra's."""


class Dictionary:
    """Store the instances of one schemaspace in memory."""

    def __init__(self, schemaspace: str, **kwargs: Any) -> None:
        self.options = kwargs
        self._kept: dict[str, dict[str, Any]] = {}

    def schemaspace_exists(self) -> bool:
        return bool(self._kept)

    def fetch_instances(self, name: str | None = None, include_invalid: bool = False) -> list[dict[str, Any]]:
        if name is None:
            return [{**entry, "name": key, "resource": f"dict:{key}"} for key, entry in self._kept.items()]
        if name not in self._kept:
            raise MetadataNotFoundError(name)
        return [{**self._kept[name], "name": name, "resource": f"dict:{name}"}]

    def store_instance(self, name: str, metadata: Mapping[str, Any], for_update: bool = False) -> dict[str, Any]:
        assert for_update == (name in self._kept)
        self._kept[name] = dict(metadata)
        return {**metadata, "name": name, "resource": f"dict:{name}"}

    def delete_instance(self, metadata: Mapping[str, Any]) -> None:
        del self._kept[metadata["name"]]


class FileMetadataStore(Dictionary):
    """A store with the name of Elyra's file store; it logs to its application, as Elyra's do."""

    def __init__(self, schemaspace: str, parent: Any = None, **kwargs: Any) -> None:
        super().__init__(schemaspace, **kwargs)
        self.log = parent.log
        self.log.warning("the store of %s is open", schemaspace)
