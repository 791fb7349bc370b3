"""How many parts the tables of a store are divided into."""

import math
from typing import Final

from jupyter_colophon.spark.source.options import PARTITIONS
from jupyter_colophon.store_jobs.store_address import StoreAddress

#: The number of changes for which there is a part: a task aggregates its part in the memory of an executor.
_CHANGES_OF_PART: Final = 50_000
#: With more parts, the groups of each part are exchanged in very many blocks.
_MOST_PARTS: Final = 500


def choose_partition_count(changes: int) -> int:
    """Return the number of parts for a store with this number of changes; at least as many as a server's tables have."""
    return min(_MOST_PARTS, max(PARTITIONS, math.ceil(changes / _CHANGES_OF_PART)))


def choose_partition_count_of_store(address: StoreAddress) -> int:
    """Return the number of parts for a store. Raises StorageError, NoCatalog."""
    return choose_partition_count(address.open().read_newest_change_number())
