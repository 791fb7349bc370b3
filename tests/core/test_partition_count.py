"""The parts that Spark jobs divide a store into."""

import pytest
from jupyter_colophon.store_jobs.partition_count import choose_partition_count


@pytest.mark.parametrize(("changes", "parts"), [(0, 8), (400_000, 8), (400_001, 9), (11_000_000, 220), (10**9, 500)])
def test_large_stores_have_parts_of_50_000_changes(changes: int, parts: int) -> None:
    assert choose_partition_count(changes) == parts
