"""Decide how long versions of aspects are kept (spec MODEL-18): by number, by age, or without limit if no rule matches.

A rule for every aspect (`*`) applies to scope SYSTEM; versions of scope USER are deleted only if a rule names the
aspect. A rule for the namespace of an entity precedes those for every namespace. The present version is always kept,
and so are keys and declared lineage.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.core.model.declared_lineage import list_declaring_aspects
from jupyter_colophon.core.model.registry import AspectSpec

ANY: Final = "*"
_MEMBERS: Final = {"version": "maxVersions", "time": "maxAgeInSeconds"}


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """The most versions to keep, including the present one, and the most ms since a version was last in force."""

    versions: int | None = None
    age_ms: int | None = None


@dataclass(frozen=True, slots=True)
class ExpiredVersions:
    """The number of versions of an aspect, of entities of one type in one namespace, that need not be kept."""

    namespace: str
    type: str
    aspect: str
    versions: int


@dataclass(frozen=True, slots=True)
class Retention:
    """Rules by namespace, entity type and aspect; each may be ANY."""

    rules: Mapping[tuple[str, str, str], RetentionRule] = field(default_factory=dict)

    def find_rule(self, namespace: str, kind: str, spec: AspectSpec) -> RetentionRule | None:
        """Return the rule for an aspect, None if all its versions are kept."""
        if not self.rules or spec.key or spec.name in list_declaring_aspects(kind):
            return None
        named = [(kind, spec.name), (ANY, spec.name)]
        described = [*named, (kind, ANY), (ANY, ANY)] if spec.scope == "SYSTEM" else named
        places = ((of, *place) for of in (namespace, ANY) for place in described)
        rule = next((self.rules[place] for place in places if place in self.rules), None)
        return None if rule == RetentionRule() else rule


#: Keep every version.
KEEP_ALL: Final = Retention(MappingProxyType({}))


def parse_retention_rules(entries: Iterable[Any]) -> Retention:
    """Parse rules in DataHub's format, which may have a `namespace` too. Raises InvalidConfiguration."""
    rules = {}
    for entry in entries:
        try:
            namespace, entity, aspect = (str(entry.get(name, ANY)) for name in ("namespace", "entity", "aspect"))
            rules[namespace, entity, aspect] = _parse_retention_rule(entry["config"]["retention"])
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            wrong = "the setting c.Colophon.retention must be a list of {namespace, entity, aspect, config: {retention: {version: {maxVersions}}}}"
            raise InvalidConfiguration(wrong) from error
    return Retention(rules)


def _parse_retention_rule(config: Mapping[str, Any]) -> RetentionRule:
    if config.keys() - {*_MEMBERS, "indefinite"}:
        raise ValueError(config)
    versions, seconds = (
        _parse_number_of_rule(config[name][member]) if name in config else None for name, member in _MEMBERS.items()
    )
    return RetentionRule(versions, None if seconds is None else seconds * 1_000)


def _parse_number_of_rule(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(value)
    return value
