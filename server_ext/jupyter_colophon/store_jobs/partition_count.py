"""How many parts the tables of a store are divided into."""

import math
from typing import Final

#: The number of changes for which there is a part: a task aggregates its part in the memory of an executor.
_CHANGES_OF_PART: Final = 50_000
#: With more parts, the groups of each part are exchanged in very many blocks.
LEAST_PARTS, _MOST_PARTS = 8, 500


def choose_partition_count(changes: int) -> int:
    """Return the number of parts for a store with this number of changes."""
    return min(_MOST_PARTS, max(LEAST_PARTS, math.ceil(changes / _CHANGES_OF_PART)))
