"""The protocol of secret stores: which reference replaces a secret, and how its value is fetched."""

from typing import Any, Protocol


class SecretStore(Protocol):
    """Stores secrets. All methods are thread-safe.

    In a document a secret is its value, or a reference `{"$secret": "<store>:<key>"}` to it.
    """

    #: The part of references before the colon.
    name: str
    #: Whether users may write references to it themselves, because its keys are known names.
    is_named_by_people: bool

    def keep(self, place: str, value: Any) -> str | None:
        """Store a new secret and return its key; None if its value may stay in the document.

        `place` describes its location, such as `runtimes/kfp-qa/metadata/api_password`. Keys are never reused. Raises
        SecretUnavailable if it cannot be stored, InvalidSecret for a value that this store does not accept.
        """

    def fetch(self, key: str) -> Any:
        """Return the value. Raises SecretUnavailable."""

    def forget(self, key: str) -> None:
        """Delete a value that is no longer needed; failures are ignored."""
