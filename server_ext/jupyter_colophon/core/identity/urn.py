"""The grammar of URNs: `urn:li:<type>:<key>`, one canonical text for each name.

A key is simple (`sales`) or compound (`(a,b,...)`). A part of a compound key is text or another URN. Text is
percent-encoded only where it has a character that the grammar reserves (spec ID-3).
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from jupyter_colophon.core.errors import InvalidName

PREFIX: Final = "urn:li:"
URN_BYTES_MAX: Final = 4096
NAME_BYTES_MAX: Final = 512
# A job's id is `<type>.<id>`, and the id alone may have 512 bytes (spec ID-4).
JOB_BYTES_MAX: Final = NAME_BYTES_MAX + 16
# The deepest URN that we or DataHub build has two levels; the limit keeps hostile ones cheap.
DEPTH_MAX: Final = 4

_HEAD = re.compile(r"urn:li:([A-Za-z]{1,64}):(.+)", re.DOTALL)
_TYPE = re.compile(r"[A-Za-z]{1,64}")
_NAMESPACE = re.compile(r"[A-Za-z0-9_]+")
_FABRIC = re.compile(r"[A-Z][A-Z0-9_]{0,31}")
_RESERVED = re.compile("[%,()\u241f]")
_UNENCODED = re.compile("[,()\u241f]")
_STRUCTURE = re.compile(r"[(),]")
_FIELD = f"{PREFIX}schemaField:("
#: A path of a field that is not encoded.
_PLAIN = re.compile(r"[A-Za-z0-9_.\[\]=-]+")
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


@dataclass(frozen=True, slots=True)
class Urn:
    """The canonical name of a thing. `str()` returns the text, `Urn.parse` parses it.

    `parts` are decoded; a part that is itself a URN is that URN's canonical text. A simple key is one part. Equality is
    exact and case-sensitive (spec ID-2). Creating an invalid URN raises InvalidName.
    """

    type: str
    parts: tuple[str, ...]
    compound: bool = True
    text: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not _TYPE.fullmatch(self.type):
            raise InvalidName("URN", self.type, "use only ASCII letters in the entity type")
        if not self.parts or not (self.compound or len(self.parts) == 1):
            raise InvalidName("URN", self.type, "a simple key has one part, a compound one at least one")
        for part in self.parts:
            if not (part and part.isprintable()):
                require_valid_text("URN", part)
        write = (
            encode_custom_key_part
            if self.type == "custom"
            else encode_compound_key_part
            if self.compound
            else encode_urn_text
        )
        key = ",".join(map(write, self.parts))
        text = f"{PREFIX}{self.type}:({key})" if self.compound else f"{PREFIX}{self.type}:{key}"
        require_bytes_at_most("URN", text, URN_BYTES_MAX)
        if self.type in _CHECKS:
            _CHECKS[self.type](self)
        object.__setattr__(self, "text", text)

    def __str__(self) -> str:
        return self.text

    @classmethod
    def parse(cls, text: str) -> "Urn":
        """Parse a URN. Raises InvalidName.

        Unnecessary escapes are decoded; `%` without two hexadecimal digits stands for itself, as in DataHub's clients.
        """
        if len(text) > URN_BYTES_MAX:
            raise InvalidName("URN", text, f"it is longer than {URN_BYTES_MAX} bytes")
        return _parse_urn(text)

    def parse_part_as_urn(self, index: int) -> "Urn":
        """Parse the URN in a part. Raises InvalidName if the part is text."""
        return Urn.parse(self.parts[index])


def canonicalize_urn(text: str) -> str:
    """Return the canonical text of a URN. Raises InvalidName. Fast for fields, of which there may be thousands."""
    data, _, path = text.removeprefix(_FIELD).removesuffix(")").rpartition(",")
    is_field = text == f"{_FIELD}{data},{path})" and data.startswith(f"{PREFIX}dataset:") and _PLAIN.fullmatch(path)
    if is_field and _is_canonical_text(data) and len(text.encode()) <= URN_BYTES_MAX:
        return text
    return str(Urn.parse(text))


def make_single_key_urn(type_: str, key: str) -> Urn:
    """Return a URN with a simple key."""
    return Urn(type_, (key,), compound=False)


def require_valid_text(kind: str, text: str) -> None:
    """Raise InvalidName for text that no name may have: empty text, control characters, lone surrogates (spec ID-4)."""
    if not text:
        raise InvalidName(kind, text, "a name or a part of one is empty")
    if text.isprintable():
        return
    for character in text:
        if unicodedata.category(character) in ("Cc", "Cs"):
            raise InvalidName(kind, text, "control characters and lone surrogates are not allowed")


def require_bytes_at_most(kind: str, text: str, bytes_max: int) -> None:
    """Raise InvalidName for a text whose UTF-8 encoding exceeds the limit."""
    if len(text.encode()) > bytes_max:
        raise InvalidName(kind, text, f"it is longer than {bytes_max} bytes")


def is_valid_namespace_name(text: str) -> bool:
    """Return whether a text can be the name of a namespace."""
    return _NAMESPACE.fullmatch(text) is not None and len(text) <= NAME_BYTES_MAX


def encode_urn_text(text: str) -> str:
    """Encode text as a part of a URN: reserved characters are percent-encoded."""
    return text if _RESERVED.search(text) is None else _RESERVED.sub(_escape_match, text)


def decode_urn_text(text: str) -> str:
    """Decode the text of a part of a URN. Raises InvalidName if its escapes are not UTF-8."""
    if "%" not in text:
        return text
    try:
        return _ESCAPES.sub(_unescape_match, text)
    except UnicodeDecodeError:
        raise InvalidName("URN", text, "its percent escapes are not UTF-8") from None


def encode_compound_key_part(text: str) -> str:
    """Encode a part of a compound key: a URN is unchanged, text is encoded.

    The first colon of text that begins like a URN but is not one is escaped, so that it is not parsed as one.
    """
    if not text.startswith(PREFIX):
        return encode_urn_text(text)
    if _is_canonical_text(text):
        return text
    return encode_urn_text(text).replace(":", "%3A", 1)


def encode_custom_key_part(text: str) -> str:
    """Encode a part of a custom key: the type, or `key=value`, where only the first `=` is not escaped."""
    key, equals, value = text.partition("=")
    return encode_urn_text(key) + equals + encode_urn_text(value).replace("=", "%3D")


def _escape_match(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode())


def _unescape_match(match: re.Match[str]) -> str:
    return bytes.fromhex(match.group().replace("%", "")).decode()


# The URNs of platforms and flows recur as parts of others.
@lru_cache(maxsize=512)
def _is_canonical_text(text: str) -> bool:
    try:
        return str(Urn.parse(text)) == text
    except InvalidName:
        return False


@lru_cache(maxsize=2048)
def _parse_urn(text: str) -> Urn:
    head = _HEAD.fullmatch(text)
    if head is None:
        raise InvalidName("URN", text, "expected urn:li:<type>:<key>")
    type_, key = head.groups()
    if not key.startswith("("):
        return make_single_key_urn(type_, _decode_text_part(text, key))
    return Urn(type_, tuple([_parse_key_part(text, raw) for raw in _split_compound_key(text, key)]))


def _parse_key_part(text: str, raw: str) -> str:
    return str(Urn.parse(raw)) if raw.startswith(PREFIX) else _decode_text_part(text, raw)


def _decode_text_part(text: str, raw: str) -> str:
    if _UNENCODED.search(raw):
        raise InvalidName("URN", text, "comma, parentheses and U+241F must be percent-encoded inside a part")
    return decode_urn_text(raw)


def _split_compound_key(text: str, key: str) -> Iterable[str]:
    """Return the raw parts of a compound key, split at the commas of its own level."""
    is_flat = key.find("(", 1) < 0 and key.find(")") == len(key) - 1
    return key[1:-1].split(",") if is_flat else _iterate_parts_of_nested_key(text, key)


def _iterate_parts_of_nested_key(text: str, key: str) -> Iterator[str]:
    depth, start = 0, 1
    for match in _STRUCTURE.finditer(key):
        depth += {"(": 1, ")": -1, ",": 0}[match.group()]
        at_end = depth == 0
        if depth > DEPTH_MAX:
            raise InvalidName("URN", text, f"it is nested deeper than {DEPTH_MAX} levels")
        if at_end and match.end() != len(key):
            raise InvalidName("URN", text, "something follows the closing parenthesis")
        if at_end or (depth == 1 and match.group() == ","):
            yield key[start : match.start()]
            start = match.end()
    if depth != 0:
        raise InvalidName("URN", text, "a parenthesis is not closed")


def _require_part_count(urn: Urn, count: int) -> None:
    if not urn.compound or len(urn.parts) != count:
        raise InvalidName(f"{urn.type} URN", ",".join(urn.parts), f"its key must have {count} parts in parentheses")


def _require_urn_of_type(urn: Urn, type_: str) -> None:
    if not urn.parts[0].startswith(f"{PREFIX}{type_}") or not _is_canonical_text(urn.parts[0]):
        raise InvalidName(f"{urn.type} URN", urn.parts[0], f"its first part must be a URN {PREFIX}{type_}…")


def _require_valid_dataset_urn(urn: Urn) -> None:
    _require_part_count(urn, 3)
    _require_urn_of_type(urn, "dataPlatform:")
    require_bytes_at_most("dataset name", urn.parts[1], NAME_BYTES_MAX)
    if not _FABRIC.fullmatch(urn.parts[2]):
        raise InvalidName("fabric", urn.parts[2], "use capital letters, such as PROD")


def _require_valid_field_urn(urn: Urn) -> None:
    _require_part_count(urn, 2)
    _require_urn_of_type(urn, "")


def _require_valid_flow_urn(urn: Urn) -> None:
    _require_part_count(urn, 3)
    for part in urn.parts:
        require_bytes_at_most("dataFlow part", part, NAME_BYTES_MAX)


def _require_valid_job_urn(urn: Urn) -> None:
    _require_part_count(urn, 2)
    _require_urn_of_type(urn, "dataFlow:")
    require_bytes_at_most("dataJob name", urn.parts[1], JOB_BYTES_MAX)


def _require_valid_namespace_urn(urn: Urn) -> None:
    if urn.compound or not is_valid_namespace_name(urn.parts[0]):
        raise InvalidName("namespace", urn.parts[0], "use only ASCII letters, digits and _")


def _require_valid_instance_urn(urn: Urn) -> None:
    _require_part_count(urn, 2)


def _require_valid_custom_urn(urn: Urn) -> None:
    if not urn.compound or len(urn.parts) < 2:
        raise InvalidName("custom URN", ",".join(urn.parts), "expected (<type>,<key>=<value>,…)")
    keys = [part.partition("=")[0] for part in urn.parts[1:]]
    for part in urn.parts[1:]:
        if not part.partition("=")[2]:
            raise InvalidName("custom URN", part, "expected <key>=<value> with a value")
        require_bytes_at_most("custom value", part, NAME_BYTES_MAX)
    for word in (urn.parts[0], *keys):
        if not word or any(c in "=:/" for c in word) or word != word.casefold():
            raise InvalidName("key of a custom URN", word, "use lower case without = : /")
    if len(set(keys)) != len(keys) or urn.parts[0] not in keys:
        raise InvalidName(
            "custom URN", ",".join(urn.parts), "each key must occur once, and the type must be one of them"
        )


_CHECKS: Final[dict[str, Callable[[Urn], None]]] = {
    "custom": _require_valid_custom_urn,
    "dataFlow": _require_valid_flow_urn,
    "dataJob": _require_valid_job_urn,
    "dataset": _require_valid_dataset_urn,
    "instance": _require_valid_instance_urn,
    "namespace": _require_valid_namespace_urn,
    "schemaField": _require_valid_field_urn,
}
