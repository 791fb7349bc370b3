"""How long versions of aspects are kept (spec MODEL-18): by number, by age, or, where no rule fits, for ever.

A rule for every aspect (`*`) is for what machines say: what people wrote is let go only where its aspect is named. The present
version always stays; so do keys, and what lineage is made of.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.core.model.declared_lineage import declaring_aspects
from jupyter_colophon.core.model.registry import AspectSpec

ANY: Final = "*"
_MEMBERS: Final = {"version": "maxVersions", "time": "maxAgeInSeconds"}


@dataclass(frozen=True, slots=True)
class Kept:
    """At most so many versions, the present one among them; none that was last in force longer ago than so many ms."""

    versions: int | None = None
    age_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Retention:
    """Rules by type of entity and aspect; each may be ANY."""

    rules: Mapping[tuple[str, str], Kept] = field(default_factory=dict)

    def of(self, kind: str, spec: AspectSpec) -> Kept | None:
        """The rule for an aspect; None where all versions are kept."""
        if not self.rules or spec.key or spec.name in declaring_aspects(kind):
            return None
        named = [(kind, spec.name), (ANY, spec.name)]
        places = [*named, (kind, ANY), (ANY, ANY)] if spec.scope == "SYSTEM" else named
        found = next((self.rules[place] for place in places if place in self.rules), None)
        return None if found == Kept() else found


#: Nothing is let go.
ALL_KEPT: Final = Retention(MappingProxyType({}))


def retention(told: Iterable[Any]) -> Retention:
    """Rules as DataHub writes them. Raises InvalidConfiguration."""
    rules = {}
    for one in told:
        try:
            rules[str(one.get("entity", ANY)), str(one.get("aspect", ANY))] = _kept(one["config"]["retention"])
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            wrong = "the setting c.Colophon.retention is a list of {entity, aspect, config: {retention: {version: {maxVersions}}}}"
            raise InvalidConfiguration(wrong) from error
    return Retention(rules)


def _kept(told: Mapping[str, Any]) -> Kept:
    if told.keys() - {*_MEMBERS, "indefinite"}:
        raise ValueError(told)
    versions, seconds = (_number(told[name][member]) if name in told else None for name, member in _MEMBERS.items())
    return Kept(versions, None if seconds is None else seconds * 1_000)


def _number(told: Any) -> int:
    if not isinstance(told, int) or isinstance(told, bool) or told < 1:
        raise ValueError(told)
    return told
