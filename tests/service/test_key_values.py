"""The values of a key over several namespaces."""

from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.search.search import ValuesQuestion
from jupyter_colophon.service.search.key_stats import SCANNED_MAX
from support.catalog import ADA, say
from support.urns import table

_TAGS_OF_ONE = 500


def test_values_are_partial_if_one_namespace_has_too_many(catalog: Catalog) -> None:
    for number in range(SCANNED_MAX // _TAGS_OF_ONE):
        tags = [f"tag-{number}-{at}" for at in range(_TAGS_OF_ONE)]
        say(catalog, table(f"t{number}", "aaa"), tags=tags)
    say(catalog, table("last", "zzz"), tags=["last"])
    question = ValuesQuestion("tags", scopes=("SYSTEM",))
    assert catalog.keys.values(question, 10, ADA)[1] is True
    only_last = ValuesQuestion("tags", namespace="zzz", scopes=("SYSTEM",))
    assert catalog.keys.values(only_last, 10, ADA) == ([("last", 1)], False)
