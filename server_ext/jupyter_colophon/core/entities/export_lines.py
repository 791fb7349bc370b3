"""Write a namespace as text lines that can be read, compared and kept under version control, and read them.

The first line is a header; every other one is an aspect, `{"aspect", "digest", "urn", "value"}`. The digest is that
of the value when it was exported, so an import can detect edits and their base.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_json
from jupyter_colophon.core.errors import InvalidName, MalformedBody
from jupyter_colophon.core.identity.names import Urn, make_namespace_urn

FORMAT, VERSION = "jupyter-colophon-namespace", 1
_DIGITS = 32


@dataclass(frozen=True, slots=True)
class ExportLine:
    """One aspect of one entity. `digest` is empty if the line has none; `number` counts the header as 1."""

    urn: Urn
    aspect: str
    value: Any
    digest: str
    number: int


def compute_value_digest(value: object) -> str:
    """Return the digest of a value."""
    return sha256(encode_canonical_json(value).encode()).hexdigest()[:_DIGITS]


def format_export_header(name: str) -> str:
    """Return the header line of a namespace."""
    return encode_canonical_json({"format": FORMAT, "namespace": name, "version": VERSION})


def format_export_line(urn: str, aspect: str, value: Mapping[str, Any]) -> str:
    """Return the line of an aspect."""
    return encode_canonical_json({"aspect": aspect, "digest": compute_value_digest(value), "urn": urn, "value": value})


def parse_export_header(lines: Iterator[bytes]) -> str:
    """Return the namespace in the header line. Raises MalformedBody."""
    header = _parse_export_line(next(lines, b""), 1)
    if not isinstance(header, dict) or (header.get("format"), header.get("version")) != (FORMAT, VERSION):
        raise MalformedBody(f"line 1: not an export of a namespace ({FORMAT}, version {VERSION})")
    try:
        return make_namespace_urn(str(header.get("namespace"))).parts[0]
    except InvalidName as error:
        raise MalformedBody(f"line 1: {error.detail}") from None


def parse_export_lines(lines: Iterable[bytes]) -> Iterator[ExportLine]:
    """Yield the lines after the header, skipping empty ones. Raises MalformedBody with the number of the invalid line."""
    for number, text in enumerate(lines, 2):
        if not text.strip():
            continue
        entry = _parse_export_line(text, number)
        if not isinstance(entry, dict) or entry.keys() - {"digest"} != {"aspect", "urn", "value"}:
            raise MalformedBody(f"line {number}: the members must be exactly aspect, urn, value and optionally digest")
        urn, aspect, digest_ = entry["urn"], entry["aspect"], entry.get("digest", "")
        if not all(isinstance(member, str) for member in (urn, aspect, digest_)):
            raise MalformedBody(f"line {number}: aspect, urn and digest must be strings")
        try:
            yield ExportLine(Urn.parse(urn), aspect, entry["value"], digest_, number)
        except InvalidName as error:
            raise MalformedBody(f"line {number}: {error.detail}") from None


def split_lines_into_chunks_with_header(lines: Iterable[bytes], size: int) -> Iterator[bytes]:
    """Split the lines into parts of about `size` bytes, each with the header line."""
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


def _parse_export_line(text: bytes, number: int) -> Any:
    try:
        return parse_json(text, "it")
    except MalformedBody as error:
        raise MalformedBody(f"line {number}: {error.detail}") from error
