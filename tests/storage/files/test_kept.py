"""How much is kept of what was read."""

from jupyter_colophon.core.instances.instance import Held
from jupyter_colophon.storage.files.document_cache import KeptDocuments

KIB = 1_024


def held(name: str) -> Held:
    return Held(name, {}, f"/{name}", "m")


def test_no_more_is_kept_than_fits_and_a_long_round_finds_some_of_it_again() -> None:
    kept = KeptDocuments(10 * 2 * KIB)
    for _ in range(3):
        found = 0
        for number in range(100):
            key, stamp = (f"/{number}", True), (1, KIB, 1, 1)
            found += kept.get(key, stamp) is not None
            kept.put(key, stamp, held(str(number)))
        assert len(kept) == 10
    assert found >= 9


def test_another_state_of_a_file_is_another_document() -> None:
    kept = KeptDocuments()
    kept.put(("/a", True), (1, 1, 1, 1), held("a"))
    assert kept.get(("/a", True), (1, 1, 1, 1)) is not None
    assert kept.get(("/a", True), (1, 1, 1, 2)) is None
    assert kept.get(("/a", False), (1, 1, 1, 1)) is None


def test_what_is_gone_or_larger_than_all_is_not_kept() -> None:
    kept = KeptDocuments(4 * KIB)
    kept.put(("/a", True), (1, 1, 1, 1), held("a"))
    kept.forget(("/a", True))
    kept.put(("/b", True), (1, 5 * KIB, 1, 1), held("b"))
    assert len(kept) == 0
