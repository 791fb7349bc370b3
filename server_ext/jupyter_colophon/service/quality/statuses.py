"""Read the quality of many datasets at once, without their results."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.vocabulary import KEY_OF
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: The statuses of datasets that have results.
_STATUSES: Final = ("failing", "warning", "passing")
_SCOPE: Final = "SYSTEM"


@dataclass(frozen=True, slots=True)
class QualityStatusReader:
    """Reads statuses from the values by which search finds them."""

    provider: StorageProvider
    read_policy: ReadPolicy

    def read_statuses(self, urns: Iterable[Urn], principal: Principal) -> dict[str, str]:
        """Return the status of each dataset with results, by URN. Unknown and unreadable ones are omitted."""
        requested = list(dict.fromkeys(str(urn) for urn in urns if urn.type == "dataset"))

        def read(tx: TableContext) -> dict[str, str]:
            rows = tx.get_table("entities").read_many([(urn,) for urn in requested])
            visible = self.read_policy.filter_visible_rows(tx, principal, rows)
            keys = [
                (row["namespace"], KEY_OF["quality"], status, row["urn"], _SCOPE)
                for row in visible
                for status in _STATUSES
            ]
            found = {row["urn"]: row["value"] for row in tx.get_table("metadata_values").read_many(keys)}
            return {urn: found[urn] for urn in requested if urn in found}

        return self.provider.tx_runner.run(read, read_only=True)
