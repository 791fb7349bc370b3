"""An independent model of access policies: it evaluates documents, rule by rule, on entities as plain values."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

ROLES = {
    "viewer": {"read"},
    "contributor": {"read", "annotate", "emit", "edit"},
    "steward": {"read", "annotate", "emit", "edit", "govern", "delete"},
    "admin": {"read", "annotate", "emit", "edit", "govern", "delete", "admin"},
    "agent": {"read", "emit"},
}


@dataclass(frozen=True)
class Thing:
    """An entity; owners are user names and URNs, as the catalog stores them."""

    urn: str
    type: str
    namespace: str
    schemaspace: str = ""
    tags: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    owners: frozenset[str] = frozenset()
    #: What decides on it: the dataset of a column, or what a request is about.
    of: "Thing | None" = None


@dataclass(frozen=True)
class Person:
    user: str
    groups: frozenset[str] = frozenset()


def may(person: Person, permission: str, thing: Thing, documents: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether a person may do this, by these policies."""
    while thing.of is not None:
        thing = thing.of
    if thing.type == "accessPolicy" and permission != "read":
        permission = "admin"
    rules = [rule for document in documents if document.get("enabled", True) for rule in document["rules"]]
    matching = [rule for rule in rules if _concerns(rule, person, thing) and _matches(rule.get("on", {}), thing)]
    if any(permission in rule.get("deny", ()) for rule in matching):
        return False
    return any("role" in rule and permission in ROLES[rule["role"]] for rule in matching)


def _concerns(rule: Mapping[str, Any], person: Person, thing: Thing) -> bool:
    names = {"*", f"user:{person.user}", *(f"group:{group}" for group in person.groups)}
    return bool(names & set(rule["to"])) or ("owner" in rule["to"] and _owns(person, thing))


def _owns(person: Person, thing: Thing) -> bool:
    return bool(
        {person.user, f"urn:li:corpuser:{person.user}", *(f"urn:li:corpGroup:{group}" for group in person.groups)}
        & thing.owners
    )


def _matches(conditions: Mapping[str, Any], thing: Thing) -> bool:
    checks = {
        "namespace": lambda values: thing.namespace in values,
        "type": lambda values: thing.type in values,
        "schemaspace": lambda values: thing.schemaspace in values,
        "urnPrefix": lambda values: any(thing.urn[: len(value)] == value for value in values),
        "tag": lambda values: _shares(values, thing.tags),
        "domain": lambda values: _shares(values, thing.domains),
        "owner": lambda values: _shares(values, thing.owners),
    }
    return all(checks[name](values) for name, values in conditions.items())


def _shares(values: Collection[str], own: Collection[str]) -> bool:
    return not {value.lower() for value in values}.isdisjoint(value.lower() for value in own)


def walk_downstream(start: str, edges: Collection[tuple[str, str]], visible: Collection[str]) -> set[str]:
    """Return what can be reached by these edges without a node that is not visible."""
    reached, todo = {start}, [start]
    while todo:
        at = todo.pop()
        for source, target in edges:
            if source == at and target in visible and target not in reached:
                reached.add(target)
                todo.append(target)
    return reached
