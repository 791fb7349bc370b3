"""An access policy: the document, and its rules."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Final

from jupyter_colophon.core.access import Permission, Resource
from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.errors import InvalidInstance, Problem
from jupyter_colophon.core.model.search_index_terms import encode_filter_term

#: The entity type of a policy, and its aspect.
POLICY_TYPE: Final = "accessPolicy"
POLICY_ASPECT: Final = "accessRules"

#: The permissions of each role.
ROLES: Final[Mapping[str, frozenset[Permission]]] = {
    "viewer": frozenset({"read"}),
    "contributor": frozenset({"read", "annotate", "emit", "edit"}),
    "steward": frozenset({"read", "annotate", "emit", "edit", "govern", "delete"}),
    "admin": frozenset({"read", "annotate", "emit", "edit", "govern", "delete", "admin"}),
    "agent": frozenset({"read", "emit"}),
}
PERMISSIONS: Final[frozenset[Permission]] = ROLES["admin"]
EVERYONE: Final = "*"
OWNER: Final = "owner"
#: The conditions on metadata, by the facet of search that has their values.
_FACETS: Final = {"tag": "tag", "domain": "domain", "owner": "owner"}
#: The most combinations of namespaces, types and schemaspaces in one rule.
_COMBINATIONS_MAX: Final = 10_000
#: A dimension of a rule that has no condition.
ANY: Final = None

#: (namespace, type, schemaspace); None is any.
Cell = tuple[str | None, str | None, str | None]
#: Sets of encoded terms of the search index: an entity must have one of each set.
Terms = tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A grant of a role, a denial of permissions, or a review of their use: to whom, on what.

    All conditions must hold; empty ones always do.
    """

    #: The policy and the position of the rule in it, for answers.
    policy: str
    index: int
    permissions: frozenset[Permission]
    denies: bool
    to: tuple[str, ...]
    role: str = ""
    namespaces: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    schemaspaces: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    terms: Terms = ()
    #: The line of the rule in its file; 0 if it is not in a file.
    line: int = 0
    #: Whether the use of the permissions requires review, and if so, of certified entities only.
    reviews: bool = False
    certified: bool = False

    def list_cells(self) -> Iterator[Cell]:
        """Yield the combinations of namespace, type and schemaspace that the rule names."""
        return product(self.namespaces or (ANY,), self.types or (ANY,), self.schemaspaces or (ANY,))

    def matches_resource(self, resource: Resource) -> bool:
        """Return whether the rule's conditions hold, besides those on metadata."""
        return (
            (not self.namespaces or resource.namespace in self.namespaces)
            and (not self.types or resource.type in self.types)
            and (not self.schemaspaces or resource.schemaspace in self.schemaspaces)
            and (not self.prefixes or resource.urn.startswith(self.prefixes))
        )

    @property
    def has_conditions(self) -> bool:
        """Whether the rule concerns only a part of the catalog."""
        return bool(self.namespaces or self.types or self.schemaspaces or self.prefixes or self.terms)

    def describe(self) -> str:
        """Return where the rule is: the file and the line, or the policy and the number of the rule in it."""
        return f"{self.policy}:{self.line}" if self.line else f"{self.policy}, rule {self.index + 1}"


def make_policy_urn(name: str) -> str:
    """Return the URN of the stored policy with a name; a URN is returned unchanged."""
    return name if name.startswith("urn:li:") else f"urn:li:{POLICY_TYPE}:{name}"


def parse_policy(policy: str, document: Mapping[str, Any], schema: Schema) -> tuple[Rule, ...]:
    """Return the rules of a policy's document; none of a disabled one. Raises InvalidInstance."""
    schema.require_valid(document, policy)
    if document.get("enabled") is False:
        return ()
    return tuple(_parse_rule(policy, index, rule) for index, rule in enumerate(document["rules"]))


def _parse_rule(policy: str, index: int, document: Mapping[str, Any]) -> Rule:
    conditions = document.get("on", {})
    rule = Rule(
        policy,
        index,
        ROLES[document["role"]] if "role" in document else frozenset(document.get("deny") or document["review"]),
        "deny" in document,
        tuple(document["to"]),
        document.get("role", ""),
        tuple(conditions.get("namespace", ())),
        tuple(conditions.get("type", ())),
        tuple(conditions.get("schemaspace", ())),
        tuple(conditions.get("urnPrefix", ())),
        tuple(
            frozenset(encode_filter_term(facet, value) for value in conditions[name])
            for name, facet in _FACETS.items()
            if name in conditions
        ),
        reviews="review" in document,
        certified="certified" in conditions,
    )
    if prod(len(part) or 1 for part in (rule.namespaces, rule.types, rule.schemaspaces)) > _COMBINATIONS_MAX:
        message = (
            f"names more than {_COMBINATIONS_MAX} combinations of namespaces, types and schemaspaces: split the rule"
        )
        raise InvalidInstance(policy, (Problem(f"/rules/{index}/on", message),))
    return rule
