"""Names of instances: the grammar, and names generated from display names (spec INST-6)."""

import re
from hashlib import sha256
from unicodedata import normalize

from jupyter_colophon.core.errors import InvalidInstanceName

#: The longest name; a file with this name and the suffix that a save adds temporarily fits every file system.
MAX_LENGTH = 200

_NAME = re.compile(r"[a-z]([a-z0-9_-]{0,198}[a-z0-9])?")
_DROPPED = re.compile(r"[^a-z0-9_-]+")
_REPORTING = re.compile(r"[a-z0-9]")
#: The number of hexadecimal digits of the digest in a generated name.
_DIGEST = 8


def require_instance_name(text: str) -> str:
    """Return the text if it is a valid instance name. Raises InvalidInstanceName."""
    if not _NAME.fullmatch(text):
        raise InvalidInstanceName(text)
    return text


def generate_instance_name(display_name: str) -> str:
    """Generate the name of a new instance from its display name by Elyra's rule, without collisions.

    In lower case, with `_` for white space, other characters dropped; `a_` is put before a name that does not begin
    with a letter, `_0` after one that ends in `-` or `_`. If nothing meaningful is left ("日本語", "!!!"), or too much, a
    digest of the display name is added: truncated display names never collide. Raises InvalidInstanceName for "".
    """
    if not display_name:
        raise InvalidInstanceName(display_name)
    spaced = re.sub(r"\s+", "_", normalize("NFC", display_name).lower())
    letters = _DROPPED.sub("", spaced)
    if letters != spaced and not _REPORTING.search(letters):
        return f"a_{_hash_name(display_name)}"
    name = letters if letters[0].isalpha() else f"a_{letters}"
    if len(name) > MAX_LENGTH - 2:
        return f"{name[: MAX_LENGTH - _DIGEST - 1]}_{_hash_name(display_name)}"
    return name if name[-1].isalnum() else f"{name}_0"


def _hash_name(text: str) -> str:
    return sha256(normalize("NFC", text).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
