"""A namespace as lines that people can read, compare and keep under version control.

The first line says what it is; each other one is an aspect, `{"aspect", "digest", "urn", "value"}`. The digest is that
of the value when it was written: it tells later whether the line was edited, and what from.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from jupyter_colophon.core.documents.json_parsing import compact, parse
from jupyter_colophon.core.errors import InvalidName, MalformedBody
from jupyter_colophon.core.identity.names import Urn, namespace

FORMAT, VERSION = "jupyter-colophon-namespace", 1
_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Line:
    """One aspect of one entity. `digest` is empty where the line does not tell it, `number` counts the head as 1."""

    urn: Urn
    aspect: str
    value: Any
    digest: str
    number: int


def digest(value: object) -> str:
    """What tells a value from others."""
    return sha256(compact(value).encode()).hexdigest()[:_DIGITS]


def head(name: str) -> str:
    """The first line of a namespace."""
    return compact({"format": FORMAT, "namespace": name, "version": VERSION})


def written(urn: str, aspect: str, value: Mapping[str, Any]) -> str:
    """The line of an aspect."""
    return compact({"aspect": aspect, "digest": digest(value), "urn": urn, "value": value})


def read_head(lines: Iterator[bytes]) -> str:
    """The namespace that the first line names. Raises MalformedBody."""
    told = _parsed(next(lines, b""), 1)
    if not isinstance(told, dict) or (told.get("format"), told.get("version")) != (FORMAT, VERSION):
        raise MalformedBody(f"line 1: it is no export of a namespace ({FORMAT}, version {VERSION})")
    try:
        return namespace(str(told.get("namespace"))).parts[0]
    except InvalidName as error:
        raise MalformedBody(f"line 1: {error.detail}") from None


def read(lines: Iterable[bytes]) -> Iterator[Line]:
    """The lines behind the first; empty ones are left out. Raises MalformedBody with the number of the wrong one."""
    for number, text in enumerate(lines, 2):
        if not text.strip():
            continue
        told = _parsed(text, number)
        if not isinstance(told, dict) or told.keys() - {"digest"} != {"aspect", "urn", "value"}:
            raise MalformedBody(f"line {number}: it has not exactly the members aspect, urn, value and digest")
        urn, aspect, known = told["urn"], told["aspect"], told.get("digest", "")
        if not all(isinstance(one, str) for one in (urn, aspect, known)):
            raise MalformedBody(f"line {number}: aspect, urn and digest are texts")
        try:
            yield Line(Urn.parse(urn), aspect, told["value"], known, number)
        except InvalidName as error:
            raise MalformedBody(f"line {number}: {error.detail}") from None


def chunks(lines: Iterable[bytes], size: int) -> Iterator[bytes]:
    """All lines in parts of about so many bytes, each behind the first line."""
    source = iter(lines)
    first = next(source, b"")
    part, length = [first], 0
    for line in source:
        if length and length + len(line) > size:
            yield b"".join(part)
            part, length = [first], 0
        part.append(line)
        length += len(line)
    yield b"".join(part)


def _parsed(text: bytes, number: int) -> Any:
    try:
        return parse(text, "it")
    except MalformedBody as error:
        raise MalformedBody(f"line {number}: {error.detail}") from error
