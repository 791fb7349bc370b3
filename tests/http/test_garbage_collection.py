"""Servers collect garbage less often than Python does by default, because of answers of thousands of objects."""

import gc
from typing import Any


async def test_first_request_excludes_modules_from_collections_and_makes_them_rarer(api: Any) -> None:
    assert (await api("GET", "me")).status == 200
    assert gc.get_freeze_count() > 0
    assert gc.get_threshold()[0] >= 10_000
