"""Which changes of one principal require review, by the rules of the policies."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from jupyter_colophon.core.access import Permission, Resource
from jupyter_colophon.core.policies.policy import EVERYONE, Rule, Terms
from jupyter_colophon.core.policies.rights import choose_terms, list_owner_terms


@dataclass(frozen=True, slots=True)
class ReviewRules:
    """The rules that require review of changes of one principal, with the terms of their conditions on metadata."""

    rules: tuple[tuple[Rule, Terms], ...]

    def list_candidates(self, permission: Permission, resource: Resource) -> list[tuple[Rule, Terms]]:
        """Return the rules that require review if their conditions on metadata hold."""
        return [
            (rule, terms)
            for rule, terms in self.rules
            if permission in rule.permissions and rule.matches_resource(resource)
        ]


def select_review_rules(rules: Iterable[Rule], user: str, groups: Collection[str]) -> ReviewRules:
    """Return the review rules that concern a user with these groups."""
    actors = {EVERYONE, f"user:{user}", *(f"group:{group}" for group in groups)}
    owner_terms = list_owner_terms(user, groups)
    chosen = ((rule, choose_terms(rule, actors, owner_terms)) for rule in rules)
    return ReviewRules(tuple((rule, terms) for rule, terms in chosen if terms is not None))
