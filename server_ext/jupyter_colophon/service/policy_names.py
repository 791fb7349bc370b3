"""Names in the rules of a policy that nothing has: they are often misspelled, and such a rule matches nothing."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from jupyter_colophon.core.errors import Problem, quote_and_truncate_text
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.search_index_terms import encode_filter_term
from jupyter_colophon.storage.spi import TableContext, TextQuery

#: The most names that are reported of one policy.
_NAMES_MAX: Final = 100
_GROUP: Final = "group:"
#: The beginning of the URN of what each condition names, whose values are terms of the search index.
_PREFIXES: Final = {"namespace": "urn:li:namespace:", "tag": "urn:li:tag:", "domain": "urn:li:domain:"}
#: Namespaces that always exist.
_OWN_NAMESPACES: Final = frozenset({"default", "system"})


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The names that are not in the store."""

    registry: Registry
    #: Those of the settings; None if only the identity provider has groups.
    groups: Collection[str] | None


def find_unknown_names(tx: TableContext, document: Mapping[str, Any], known: KnownNames) -> list[Problem]:
    """Return the names in the rules of a valid document that nothing has, at most 100."""
    return list(islice(_NameSearch(tx, known).find_all(document), _NAMES_MAX))


class _NameSearch:
    """The lookups of one policy; a name that occurs again is not looked up again."""

    def __init__(self, tx: TableContext, known: KnownNames) -> None:
        self._tx, self._known = tx, known
        self._found: dict[tuple[str, str], bool] = {}

    def find_all(self, document: Mapping[str, Any]) -> Iterator[Problem]:
        for index, rule in enumerate(document["rules"]):
            for at, subject in enumerate(rule["to"]):
                if subject.startswith(_GROUP) and not self._exists("group", subject.removeprefix(_GROUP)):
                    yield _create_problem(f"/rules/{index}/to/{at}", "group", subject.removeprefix(_GROUP))
            for condition, values in rule.get("on", {}).items():
                # `certified` has no names.
                for at, value in enumerate(values if isinstance(values, Sequence) else ()):
                    if not self._exists(condition, value):
                        yield _create_problem(f"/rules/{index}/on/{condition}/{at}", condition, value)

    def _exists(self, kind: str, name: str) -> bool:
        key = (kind, name)
        if key not in self._found:
            self._found[key] = self._find_name(kind, name)
        return self._found[key]

    def _find_name(self, kind: str, name: str) -> bool:
        if kind == "group":
            groups = self._known.groups
            return groups is None or name in groups or self._is_entity(f"urn:li:corpGroup:{name}")
        if kind == "type":
            return self._known.registry.has_type(name)
        if kind in _PREFIXES:
            urn = name if name.startswith("urn:li:") else _PREFIXES[kind] + name
            return (kind == "namespace" and name in _OWN_NAMESPACES) or self._is_entity(urn) or self._has(kind, name)
        # Any text may be the beginning of a URN, and any name that of an owner. Schemaspaces run the code of packages:
        # they are not loaded for this.
        return True

    def _is_entity(self, urn: str) -> bool:
        return bool(self._tx.search.read_matches([urn]))

    def _has(self, kind: str, name: str) -> bool:
        """Return whether an entity has this value."""
        return bool(self._tx.search.find_matches(TextQuery(terms=(encode_filter_term(kind, name),)), 1))


#: Names of conditions in messages, where they differ.
_WORDS: Final = {"type": "entity type"}


def _create_problem(pointer: str, kind: str, name: str) -> Problem:
    word = _WORDS.get(kind, kind)
    return Problem(pointer, f"there is no {word} {quote_and_truncate_text(name)}: this rule matches nothing by it")
