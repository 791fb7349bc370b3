"""Completion of `%metadata …` and `%%metadata …`: commands, options, names of data, keys and values."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

from IPython.core.completer import SimpleCompletion, context_matcher

from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.kernel.arguments import CELL_OPTIONS, COMMANDS, OPTIONS
from jupyter_colophon.kernel.pipelines import VERBS
from jupyter_colophon.kernel.urns import shown

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext, SimpleMatcherResult

    from jupyter_colophon.client.catalog import Catalog
    from jupyter_colophon.kernel.companion import Companion

#: Who types does not wait longer.
TIMEOUT_S = 1.0

_NAMED = {"tag", "untag", "set", "unset", "show", "lineage"}
_VALUES = {"--direction": ("both", "upstream", "downstream")}


def matcher(companion: "Companion") -> "Callable[[CompletionContext], SimpleMatcherResult]":
    """A matcher for IPython's completer (its matcher API, version 2), to be put among its `custom_matchers`."""
    completer = Completer(companion)

    @context_matcher(identifier="colophon_metadata")  # type: ignore[untyped-decorator]
    def metadata_matcher(context: "CompletionContext") -> "SimpleMatcherResult":
        return completer.matches(context)

    return cast("Callable[[CompletionContext], SimpleMatcherResult]", metadata_matcher)


class Completer:
    """Completes the lines of our magics, and no others."""

    def __init__(self, companion: "Companion") -> None:
        self._companion = companion

    def matches(self, context: "CompletionContext") -> "SimpleMatcherResult":
        """What may stand where the cursor is; Python's own names are kept out then."""
        line = context.text_until_cursor
        words = line.split()
        typed = words.pop() if words and not line[-1].isspace() else ""
        if not words or words[0] not in {"%metadata", "%%metadata"}:
            return {"completions": []}
        try:
            found = self._candidates(words, typed)
        except ClientError:
            found = ()
        fitting = sorted({word for word in found if word.startswith(typed)})
        return {
            "completions": [SimpleCompletion(text=word, type="metadata") for word in fitting],
            "matched_fragment": typed,
            "suppress": True,
        }

    def _candidates(self, words: list[str], typed: str) -> Iterable[str]:
        if words[0] == "%%metadata":
            return self._in_cell(words, typed)
        if len(words) == 1:
            return COMMANDS
        command, given = words[1], words[2:]
        if given and given[-1] in _VALUES:
            return _VALUES[given[-1]]
        if typed.startswith("-"):
            return OPTIONS.get(command, ())
        return self._operands(command, given, typed)

    def _in_cell(self, words: list[str], typed: str) -> Iterable[str]:
        if words[-1] == "--tag":
            return self._tags(typed)
        if words[-1] == "--set":
            return self._pairs(typed)
        return CELL_OPTIONS

    def _operands(self, command: str, given: list[str], typed: str) -> Iterable[str]:
        if command in _NAMED and not given:
            return self._names(typed)
        if command in {"tag", "untag"}:
            return self._tags(typed)
        if command == "set":
            return self._pairs(typed)
        if command in {"unset", "keys"}:
            return self._keys(typed)
        if command == "pipeline":
            return self._pipelines(given)
        if command == "help":
            return COMMANDS
        return self._query(typed) if command == "search" else ()

    def _catalog(self) -> "Catalog | None":
        return self._companion.catalog

    def _names(self, typed: str) -> list[str]:
        catalog = self._catalog()
        if catalog is None:
            return []
        return [shown(entity["urn"]) for entity in _known(catalog, typed)]

    def _pipelines(self, given: list[str]) -> list[str]:
        catalog = self._catalog()
        if not given or catalog is None:
            return [] if given else list(VERBS)
        return [one["name"] for one in catalog.instances("pipelines", timeout_s=TIMEOUT_S)] if len(given) == 1 else []

    def _keys(self, typed: str) -> list[str]:
        return [row["key"] for row in self._key_rows(typed) if row["kind"] == "property"]

    def _tags(self, typed: str) -> list[str]:
        catalog = self._catalog()
        if catalog is None:
            return []
        return [row["value"] for row in catalog.key_values("tags", typed, timeout_s=TIMEOUT_S)["values"]]

    def _pairs(self, typed: str) -> list[str]:
        key, equals, value = typed.partition("=")
        if not equals:
            return [f"{name}=" for name in self._keys(typed)]
        return [f"{key}={word}" for word in self._values(key, value) if " " not in word]

    def _query(self, typed: str) -> list[str]:
        key, colon, value = typed.partition(":")
        if not colon:
            return [f"{name}:" for name in dict.fromkeys(row["key"] for row in self._key_rows(typed))]
        return [f"{key}:{word}" for word in self._values(key, value)]

    def _key_rows(self, typed: str) -> list[dict[str, Any]]:
        catalog = self._catalog()
        return list(catalog.keys(typed, timeout_s=TIMEOUT_S)["keys"]) if catalog is not None else []

    def _values(self, key: str, prefix: str) -> list[str]:
        catalog = self._catalog()
        if catalog is None:
            return []
        return [row["value"] for row in catalog.key_values(key, prefix, timeout_s=TIMEOUT_S)["values"]]


def _known(catalog: "Catalog", typed: str) -> list[dict[str, Any]]:
    """Datasets whose name begins so: the database first, as long as only that is typed."""
    database, dot, table = typed.partition(".")
    if dot:
        page = catalog.entities(type="dataset", namespace=database, prefix=table or None, timeout_s=TIMEOUT_S)
    else:
        page = catalog.entities(type="dataset", timeout_s=TIMEOUT_S, limit=500)
    return list(page["entities"])
