"""The size limit of the document cache."""

from jupyter_colophon.core.instances.instance import StoredInstance
from jupyter_colophon.storage.files.document_cache import DocumentCache

KIB = 1_024


def held(name: str) -> StoredInstance:
    return StoredInstance(name, {}, f"/{name}", "m")


def test_full_cache_keeps_first_documents_of_repeated_rounds() -> None:
    cache = DocumentCache(10 * 2 * KIB)
    for _ in range(3):
        hits = 0
        for number in range(100):
            key, stamp = (f"/{number}", True), (1, KIB, 1, 1)
            hits += cache.get_if_unchanged(key, stamp) is not None
            cache.add_and_evict_others(key, stamp, held(str(number)))
        assert len(cache) == 10
    assert hits >= 9


def test_changed_file_misses_the_cache() -> None:
    cache = DocumentCache()
    cache.add_and_evict_others(("/a", True), (1, 1, 1, 1), held("a"))
    assert cache.get_if_unchanged(("/a", True), (1, 1, 1, 1)) is not None
    assert cache.get_if_unchanged(("/a", True), (1, 1, 1, 2)) is None
    assert cache.get_if_unchanged(("/a", False), (1, 1, 1, 1)) is None


def test_removed_and_oversized_documents_are_not_cached() -> None:
    cache = DocumentCache(4 * KIB)
    cache.add_and_evict_others(("/a", True), (1, 1, 1, 1), held("a"))
    cache.remove_file(("/a", True))
    cache.add_and_evict_others(("/b", True), (1, 5 * KIB, 1, 1), held("b"))
    assert len(cache) == 0
