"""Directives that encode, decode and hash texts."""

import base64
import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote, unquote

from jupyter_colophon.wrangling.directive import (
    Directive,
    DirectiveParameter,
    Example,
    ValueDirective,
    define_column,
    get_text,
)

_Convert = Callable[[bytes], bytes]
_HASHES: Final = ("sha256", "sha384", "sha512", "sha1", "md5")
_ENCODERS: Final[Mapping[str, tuple[_Convert, _Convert]]] = {
    "base64": (base64.b64encode, lambda data: base64.b64decode(data, validate=True)),
    "base32": (base64.b32encode, base64.b32decode),
    "hex": (base64.b16encode, lambda data: base64.b16decode(data, casefold=True)),
}
_ENCODING: Final = DirectiveParameter("encoding", "choice", "The encoding", tuple(_ENCODERS))


class HashTexts(ValueDirective):
    """Replace texts by digests."""

    name = "hash"
    description = "Replaces texts by their digest in hexadecimal. Digests of guessable texts, such as numbers of phones, hide nothing."
    parameters = (define_column(), DirectiveParameter("algorithm", "choice", "The algorithm", _HASHES))
    example = Example(
        "hash :a md5", [{"a": "colophon"}], [{"a": hashlib.md5(b"colophon", usedforsecurity=False).hexdigest()}]
    )

    def convert_value(self, value: Any) -> Any:
        """Return the digest."""
        return hashlib.new(self.arguments["algorithm"], get_text(value).encode(), usedforsecurity=False).hexdigest()


class EncodeTexts(ValueDirective):
    """Encode texts."""

    name = "encode"
    description = "Encodes texts, as UTF-8, in Base64, Base32 or hexadecimal."
    parameters = (define_column(), _ENCODING)
    example = Example("encode :a base64", [{"a": "é"}], [{"a": "w6k="}])

    def convert_value(self, value: Any) -> Any:
        """Return the encoded text."""
        return _ENCODERS[self.arguments["encoding"]][0](get_text(value).encode()).decode()


class DecodeTexts(ValueDirective):
    """Decode texts."""

    name = "decode"
    description = "Decodes texts in UTF-8 from Base64, Base32 or hexadecimal. Rows with other texts are rejected."
    parameters = (define_column(), _ENCODING)
    example = Example("decode :a hex", [{"a": "c3a9"}, {"a": "?"}], [{"a": "é"}])

    def convert_value(self, value: Any) -> Any:
        """Return the decoded text."""
        return _ENCODERS[self.arguments["encoding"]][1](get_text(value).encode()).decode()


class EncodeUrl(ValueDirective):
    """Encode texts for URLs."""

    name = "url-encode"
    description = "Encodes texts for URLs by percent signs."
    parameters = (define_column(),)
    example = Example("url-encode :a", [{"a": "a b/ü"}], [{"a": "a%20b%2F%C3%BC"}])

    def convert_value(self, value: Any) -> Any:
        """Return the encoded text."""
        return quote(get_text(value), safe="")


class DecodeUrl(ValueDirective):
    """Decode texts of URLs."""

    name = "url-decode"
    description = "Decodes texts that are encoded for URLs by percent signs."
    parameters = (define_column(),)
    example = Example("url-decode :a", [{"a": "a%20b"}], [{"a": "a b"}])

    def convert_value(self, value: Any) -> Any:
        """Return the decoded text."""
        return unquote(get_text(value), errors="strict")


DIRECTIVES: tuple[type[Directive], ...] = (HashTexts, EncodeTexts, DecodeTexts, EncodeUrl, DecodeUrl)
