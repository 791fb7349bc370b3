"""What is shown of an access policy: where it is from, whom its rules concern, and why it cannot be used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

#: The catalog, or a file in the folder of the setting `policy_folder`.
PolicyOrigin = Literal["catalog", "file"]
#: How much of the description is shown, and of how many users and groups the names.
_DESCRIPTION_MAX: Final = 200
_TO_MAX: Final = 20


@dataclass(frozen=True, slots=True)
class PolicySummary:
    """A policy in a list of policies."""

    #: The URN, or the path of the file.
    policy: str
    name: str
    origin: PolicyOrigin
    description: str = ""
    enabled: bool = True
    #: The number of rules, and the first of those whom they concern.
    rules: int = 0
    to: tuple[str, ...] = ()
    #: Why it cannot be used; empty if it can.
    problem: str = ""


@dataclass(frozen=True, slots=True)
class PolicyContent:
    """The document of a policy."""

    policy: str
    name: str
    origin: PolicyOrigin
    #: None if the file cannot be read, or its content is not an object.
    document: Mapping[str, Any] | None
    #: The line of each rule in its file; empty for a stored policy.
    lines: Sequence[int] = ()
    problem: str = ""

    def summarize(self) -> PolicySummary:
        """Return the policy as an item of a list."""
        document: Mapping[str, Any] = self.document or {}
        rules = document.get("rules")
        description = document.get("description", "")
        text = description if isinstance(description, str) else ""
        return PolicySummary(
            self.policy,
            self.name,
            self.origin,
            text if len(text) <= _DESCRIPTION_MAX else text[:_DESCRIPTION_MAX] + "…",
            document.get("enabled") is not False,
            len(rules) if isinstance(rules, list) else 0,
            tuple(list_subjects(document))[:_TO_MAX],
            self.problem,
        )


def list_subjects(document: Mapping[str, Any]) -> list[str]:
    """Return whom the rules of a document concern, each once, in the order of the rules; invalid rules are left out."""
    rules = document.get("rules")
    lists = [rule.get("to") for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []
    names = (name for names in lists if isinstance(names, list) for name in names if isinstance(name, str))
    return list(dict.fromkeys(names))
