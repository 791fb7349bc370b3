"""The values of a key in several namespaces."""

from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.search.search import ValuesRequest
from jupyter_colophon.service.search.key_stats import SCANNED_MAX
from support.catalog import ADA, write_metadata
from support.urns import build_table_urn

_TAGS_OF_ONE = 500


def test_values_are_partial_if_one_namespace_has_too_many(catalog: Catalog) -> None:
    for number in range(SCANNED_MAX // _TAGS_OF_ONE):
        tags = [f"tag-{number}-{at}" for at in range(_TAGS_OF_ONE)]
        write_metadata(catalog, build_table_urn(f"t{number}", "aaa"), tags=tags)
    write_metadata(catalog, build_table_urn("last", "zzz"), tags=["last"])
    question = ValuesRequest("tags", scopes=("SYSTEM",))
    assert catalog.keys.list_values_with_counts(question, 10, ADA)[1] is True
    only_last = ValuesRequest("tags", namespace="zzz", scopes=("SYSTEM",))
    assert catalog.keys.list_values_with_counts(only_last, 10, ADA) == ([("last", 1)], False)
