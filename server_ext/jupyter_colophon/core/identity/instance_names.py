"""Names of instances: the grammar, and the name that is made of a display name (spec INST-6)."""

import re
from hashlib import sha256
from unicodedata import normalize

from jupyter_colophon.core.errors import InvalidInstanceName

#: The longest name; a file name of it, with what a save adds for a moment, fits every file system.
MAX_LENGTH = 200

_NAME = re.compile(r"[a-z]([a-z0-9_-]{0,198}[a-z0-9])?")
_DROPPED = re.compile(r"[^a-z0-9_-]+")
_TELLING = re.compile(r"[a-z0-9]")
#: So many hexadecimal digits stand for what a name cannot say.
_DIGEST = 8


def require_instance_name(text: str) -> str:
    """The text, if an instance may have it as its name; else InvalidInstanceName is raised."""
    if not _NAME.fullmatch(text):
        raise InvalidInstanceName(text)
    return text


def normalized(display_name: str) -> str:
    """The name of a new instance, made of its display name by Elyra's rule, without that rule's gaps.

    In small letters, `_` for white space, the rest dropped; `a_` before what does not begin with a letter, `_0` after
    what ends in `-` or `_`. Where nothing telling is left ("日本語", "!!!"), or too much, a digest of the display name
    makes the difference: two display names never become one name by being cut. Raises InvalidInstanceName for "".
    """
    if not display_name:
        raise InvalidInstanceName(display_name)
    spaced = re.sub(r"\s+", "_", normalize("NFC", display_name).lower())
    kept = _DROPPED.sub("", spaced)
    if kept != spaced and not _TELLING.search(kept):
        return f"a_{_digest(display_name)}"
    name = kept if kept[0].isalpha() else f"a_{kept}"
    if len(name) > MAX_LENGTH - 2:
        return f"{name[: MAX_LENGTH - _DIGEST - 1]}_{_digest(display_name)}"
    return name if name[-1].isalnum() else f"{name}_0"


def _digest(text: str) -> str:
    return sha256(normalize("NFC", text).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
