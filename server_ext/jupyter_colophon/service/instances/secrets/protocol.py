"""The seam of secret stores: what is written in a secret's place, and how its value is had again."""

from typing import Any, Protocol


class SecretStore(Protocol):
    """Keeps secrets. Each call is safe from any thread.

    In a document a secret is its value, or a reference `{"$secret": "<store>:<key>"}` to it.
    """

    #: The part of references before the colon.
    name: str
    #: Whether people may write references to it themselves: its keys are names that they know.
    is_named_by_people: bool

    def keep(self, place: str, value: Any) -> str | None:
        """Keep a new secret and return the key to it; None where its value may stand in the document.

        `place` tells people what it belongs to, such as `runtimes/kfp-qa/metadata/api_password`. No key is ever used
        twice. Raises SecretUnavailable where it cannot be kept, InvalidSecret for what this store does not take.
        """

    def fetch(self, key: str) -> Any:
        """The value. Raises SecretUnavailable."""

    def forget(self, key: str) -> None:
        """The value is needed no more. What cannot be forgotten now stays: nothing is raised."""
