"""The store that the tasks of a job open, once in each process."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.maintenance import Maintenance, open_store_for_maintenance
from jupyter_colophon.spark.source.user_errors import UserError, hide_traceback

#: The option of the data source that contains the address. Spark hides the values of options with such a name.
ADDRESS_OPTION = "storeSecret"
#: The stores that this process has open. A worker of Spark runs many tasks.
_open: dict[str, Maintenance] = {}


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """A store, and the extension of its registry. It contains the password of a database if the settings do."""

    choice: StorageChoice
    registry_extension: Path | None = None

    @classmethod
    def from_choice(cls, choice: StorageChoice, registry_extension: Path | None) -> "StoreAddress":
        """Return the address of a store, with an absolute path: executors have working directories of their own."""
        path = choice.options.get("path")
        absolute = {} if path is None else {"path": str(Path(path).expanduser().absolute())}
        extension = None if registry_extension is None else registry_extension.absolute()
        return cls(StorageChoice(choice.provider, {**choice.options, **absolute}), extension)

    def to_text(self) -> str:
        """Return the address as text, for an option of a data source."""
        extension = None if self.registry_extension is None else str(self.registry_extension)
        return json.dumps([self.choice.provider, dict(self.choice.options), extension], default=str, sort_keys=True)

    @classmethod
    def from_text(cls, text: str) -> "StoreAddress":
        """Return the address of a text."""
        provider, options, extension = json.loads(text)
        return cls(StorageChoice(provider, options), None if extension is None else Path(extension))

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> "StoreAddress":
        """Return the address in the options of the data source."""
        return cls.from_text(options[ADDRESS_OPTION])

    def open(self) -> Maintenance:
        """Return the open store of this process, which stays open until the process ends.

        Raises UserError if its file does not exist here, StorageError, NoCatalog.
        """
        text = self.to_text()
        if text not in _open:
            path = self.choice.options.get("path")
            if path is not None and not Path(path).exists():
                raise UserError(
                    f"there is no catalog at {path} on the machine of this executor: executors open the store themselves"
                )
            _open[text] = open_store_for_maintenance(
                self.choice, _ignore_progress, registry_extension=self.registry_extension
            )
        return _open[text]


@contextmanager
def report_store_errors() -> Iterator[None]:
    """Report errors of the store in one line, without the traceback of Spark's worker."""
    with hide_traceback():
        try:
            yield
        except MetadataError as error:
            raise UserError(error.detail) from None


def _ignore_progress(*_: Any) -> None:
    """Show nothing: the driver shows how many tasks have ended."""
