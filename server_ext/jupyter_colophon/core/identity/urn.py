"""The grammar of a URN: `urn:li:<type>:<key>`, one canonical text for each name.

A key is simple (`sales`) or compound (`(a,b,...)`). A part of a compound key is text or another URN.
Text is percent-encoded where it holds a character that the grammar needs (spec ID-3), and nowhere else.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from jupyter_colophon.core.errors import InvalidName

PREFIX: Final = "urn:li:"
URN_BYTES_MAX: Final = 4096
NAME_BYTES_MAX: Final = 512
# A job's id is `<type>.<id>`, and the id alone may have 512 bytes (spec ID-4).
JOB_BYTES_MAX: Final = NAME_BYTES_MAX + 16
# The deepest URN that we or DataHub build has two levels; the bound keeps hostile ones cheap.
DEPTH_MAX: Final = 4

_HEAD = re.compile(r"urn:li:([A-Za-z]{1,64}):(.+)", re.DOTALL)
_TYPE = re.compile(r"[A-Za-z]{1,64}")
_NAMESPACE = re.compile(r"[A-Za-z0-9_]+")
_FABRIC = re.compile(r"[A-Z][A-Z0-9_]{0,31}")
_RESERVED = re.compile("[%,()\u241f]")
_UNENCODED = re.compile("[,()\u241f]")
_STRUCTURE = re.compile(r"[(),]")
_FIELD = f"{PREFIX}schemaField:("
#: A path of a field that is written as it is.
_PLAIN = re.compile(r"[A-Za-z0-9_.\[\]=-]+")
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


@dataclass(frozen=True, slots=True)
class Urn:
    """One thing's canonical name. `str()` gives the text, `Urn.parse` takes it back.

    `parts` are decoded; a part that is itself a URN is that URN's canonical text. A simple key is one part.
    Equality is exact, letter case included (spec ID-2). Building one that breaks the grammar raises `InvalidName`.
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
            check_text("URN", part)
        write = custom_part if self.type == "custom" else written_part if self.compound else encoded
        key = ",".join(map(write, self.parts))
        text = f"{PREFIX}{self.type}:({key})" if self.compound else f"{PREFIX}{self.type}:{key}"
        check_bytes("URN", text, URN_BYTES_MAX)
        if self.type in _SHAPES:
            _SHAPES[self.type](self)
        object.__setattr__(self, "text", text)

    def __str__(self) -> str:
        return self.text

    @classmethod
    def parse(cls, text: str) -> "Urn":
        """Read a URN. Raises `InvalidName` for anything that is none.

        An escape of a character that needs none is taken and written plainly; `%` without two hexadecimal
        digits behind it stands for itself, as DataHub's clients mean it.
        """
        if len(text) > URN_BYTES_MAX:
            raise InvalidName("URN", text, f"it is longer than {URN_BYTES_MAX} bytes")
        return _parsed(text)

    def nested(self, index: int) -> "Urn":
        """The URN that stands at a part. Raises `InvalidName` where that part is text."""
        return Urn.parse(self.parts[index])


def canonical(text: str) -> str:
    """The text that a URN is known by. Raises `InvalidName`. Quick for the fields of data, which may be thousands."""
    data, _, path = text.removeprefix(_FIELD).removesuffix(")").rpartition(",")
    is_field = text == f"{_FIELD}{data},{path})" and data.startswith(f"{PREFIX}dataset:") and _PLAIN.fullmatch(path)
    if is_field and _is_canonical(data) and len(text.encode()) <= URN_BYTES_MAX:
        return text
    return str(Urn.parse(text))


def simple(type_: str, key: str) -> Urn:
    """A URN with a simple key."""
    return Urn(type_, (key,), compound=False)


def check_text(kind: str, text: str) -> None:
    """Refuse what no name may hold: nothing, control characters, lone surrogates (spec ID-4)."""
    if not text:
        raise InvalidName(kind, text, "a name or a part of one is empty")
    if text.isprintable():
        return
    for character in text:
        if unicodedata.category(character) in ("Cc", "Cs"):
            raise InvalidName(kind, text, "control characters and lone surrogates are not allowed")


def check_bytes(kind: str, text: str, bytes_max: int) -> None:
    """Refuse a text whose UTF-8 form is longer than the limit."""
    if len(text.encode()) > bytes_max:
        raise InvalidName(kind, text, f"it is longer than {bytes_max} bytes")


def fits_namespace(text: str) -> bool:
    """Whether a text can be the name of a namespace."""
    return _NAMESPACE.fullmatch(text) is not None and len(text) <= NAME_BYTES_MAX


def encoded(text: str) -> str:
    """Text as a part of a URN: the reserved characters percent-encoded."""
    return _RESERVED.sub(_escape, text)


def decoded(text: str) -> str:
    """The text that a part of a URN stands for. Raises `InvalidName` if its escapes are no UTF-8."""
    try:
        return _ESCAPES.sub(_unescape, text)
    except UnicodeDecodeError:
        raise InvalidName("URN", text, "its percent escapes are not UTF-8") from None


def written_part(text: str) -> str:
    """A part as it stands in a compound key: a URN as it is, text encoded.

    Text that begins like a URN and is none has its first colon escaped, so that it is not read as one.
    """
    if not text.startswith(PREFIX):
        return encoded(text)
    if _is_canonical(text):
        return text
    return encoded(text).replace(":", "%3A", 1)


def custom_part(text: str) -> str:
    """A part of a custom key: the type, or `key=value` where only the first `=` is written plainly."""
    key, equals, value = text.partition("=")
    return encoded(key) + equals + encoded(value).replace("=", "%3D")


def _escape(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode())


def _unescape(match: re.Match[str]) -> str:
    return bytes.fromhex(match.group().replace("%", "")).decode()


def _is_canonical(text: str) -> bool:
    try:
        return str(Urn.parse(text)) == text
    except InvalidName:
        return False


@lru_cache(maxsize=2048)
def _parsed(text: str) -> Urn:
    head = _HEAD.fullmatch(text)
    if head is None:
        raise InvalidName("URN", text, "a URN is urn:li:<type>:<key>")
    type_, key = head.groups()
    if not key.startswith("("):
        return simple(type_, _plain(text, key))
    return Urn(type_, tuple(_part(text, raw) for raw in _split(text, key)))


def _part(text: str, raw: str) -> str:
    return str(Urn.parse(raw)) if raw.startswith(PREFIX) else _plain(text, raw)


def _plain(text: str, raw: str) -> str:
    if _UNENCODED.search(raw):
        raise InvalidName("URN", text, "inside a part, comma, parentheses and U+241F are percent-encoded")
    return decoded(raw)


def _split(text: str, key: str) -> Iterator[str]:
    """The raw parts of a compound key, split at the commas of its own level."""
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


def _expect(urn: Urn, count: int) -> None:
    if not urn.compound or len(urn.parts) != count:
        raise InvalidName(f"{urn.type} URN", ",".join(urn.parts), f"its key has {count} parts in parentheses")


def _expect_urn(urn: Urn, type_: str) -> None:
    if not urn.parts[0].startswith(f"{PREFIX}{type_}") or not _is_canonical(urn.parts[0]):
        raise InvalidName(f"{urn.type} URN", urn.parts[0], f"its first part is a URN {PREFIX}{type_}…")


def _check_dataset(urn: Urn) -> None:
    _expect(urn, 3)
    _expect_urn(urn, "dataPlatform:")
    check_bytes("dataset name", urn.parts[1], NAME_BYTES_MAX)
    if not _FABRIC.fullmatch(urn.parts[2]):
        raise InvalidName("fabric", urn.parts[2], "a fabric is in capitals, such as PROD")


def _check_field(urn: Urn) -> None:
    _expect(urn, 2)
    _expect_urn(urn, "")


def _check_flow(urn: Urn) -> None:
    _expect(urn, 3)
    for part in urn.parts:
        check_bytes("dataFlow part", part, NAME_BYTES_MAX)


def _check_job(urn: Urn) -> None:
    _expect(urn, 2)
    _expect_urn(urn, "dataFlow:")
    check_bytes("dataJob name", urn.parts[1], JOB_BYTES_MAX)


def _check_namespace(urn: Urn) -> None:
    if urn.compound or not fits_namespace(urn.parts[0]):
        raise InvalidName("namespace", urn.parts[0], "use only ASCII letters, digits and _")


def _check_instance(urn: Urn) -> None:
    _expect(urn, 2)


def _check_custom(urn: Urn) -> None:
    if not urn.compound or len(urn.parts) < 2:
        raise InvalidName("custom URN", ",".join(urn.parts), "it is (<type>,<key>=<value>,…)")
    keys = [part.partition("=")[0] for part in urn.parts[1:]]
    for part in urn.parts[1:]:
        if not part.partition("=")[2]:
            raise InvalidName("custom URN", part, "a pair is <key>=<value>, with a value")
        check_bytes("custom value", part, NAME_BYTES_MAX)
    for word in (urn.parts[0], *keys):
        if not word or any(c in "=:/" for c in word) or word != word.casefold():
            raise InvalidName("word of a custom URN", word, "it is in lower case and holds no = : /")
    if len(set(keys)) != len(keys) or urn.parts[0] not in keys:
        raise InvalidName("custom URN", ",".join(urn.parts), "each key occurs once, and the type is one of them")


_SHAPES: Final[dict[str, Callable[[Urn], None]]] = {
    "custom": _check_custom,
    "dataFlow": _check_flow,
    "dataJob": _check_job,
    "dataset": _check_dataset,
    "instance": _check_instance,
    "namespace": _check_namespace,
    "schemaField": _check_field,
}
