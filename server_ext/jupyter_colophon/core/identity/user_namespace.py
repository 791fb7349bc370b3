"""The namespace of a user's notebooks in a shared catalog, where notebooks of many users have the same paths."""

from typing import Final

_PREFIX: Final = "user_"


def make_user_namespace(user: str) -> str:
    """Return the namespace of a user: `user_` and the name, in which other characters than a-z, A-Z, 0-9 are `_` and hexadecimal.

    Two users never have the same namespace: `a.b` is `user_a_2eb`, and `a_2eb` is `user_a_5f2eb`.
    """
    return _PREFIX + "".join(
        chr(byte) if chr(byte).isalnum() and byte < 128 else f"_{byte:02x}" for byte in user.encode()
    )
