"""Read a sample of a file: its first rows, or random ones."""

import csv
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from jupyter_colophon.apps import BadRequest
from jupyter_colophon.apps.shipped.bodies import Body
from jupyter_colophon.wrangling.column_names import make_names_unique, name_values
from jupyter_colophon.wrangling.normalization import encode_value, normalize_row

FORMATS: Final = ("csv", "tsv", "json", "jsonl", "parquet", "text")
_ENCODINGS: Final = ("utf-8", "utf-16", "latin-1", "cp1252")
_DELIMITERS: Final = (",", ";", "\t", "|")
#: Limits of a sample: rows, columns, and characters of JSON.
ROWS_MAX, COLUMNS_MAX, CHARACTERS_MAX = 10_000, 1_000, 4 * 2**20
ROWS_DEFAULT: Final = 1_000
#: Limits of a line, and of a file that is one JSON document.
_LINE_MAX, _DOCUMENT_MAX = 2**20, 32 * 2**20
#: After how many rows the time is checked.
_CHECKED: Final = 1_000
#: The members of a body that describe how files are read, and with them a sample.
READING_MEMBERS: Final = ("format", "header", "delimiter", "encoding")
MEMBERS: Final = ("path", *READING_MEMBERS, "sampling", "limit", "seed")
FORMATS_BY_SUFFIX: Final = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
#: Formats that Spark reads, and this module does not, by the suffix of a file.
_OTHER_FORMATS: Final = {".avro": "avro", ".orc": "orc"}
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """How a file is read."""

    path: str
    format: str
    header: bool
    encoding: str
    sampling: str
    limit: int
    seed: int
    delimiter: str = ","

    @classmethod
    def from_body(cls, body: Body) -> "SampleOptions":
        """Return the options of a body. Raises BadRequest."""
        path = body.get_text("path")
        format_ = body.get_choice("format", FORMATS, "text") if "format" in body.document else _detect_format(path)
        return cls(
            path,
            format_,
            body.get_boolean("header", default=True),
            body.get_choice("encoding", _ENCODINGS, "utf-8"),
            body.get_choice("sampling", ("first", "random"), "first"),
            body.get_number("limit", ROWS_DEFAULT, ROWS_MAX, 1),
            body.get_number("seed", 0, 2**31),
            _parse_delimiter(body),
        )

    @property
    def separator(self) -> str:
        """Return what separates the values of a line."""
        return "\t" if self.format == "tsv" else self.delimiter


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows with the same columns, whose values are encoded for JSON."""

    columns: list[str]
    rows: list[list[Any]]


def parse_reading_members(body: Body) -> dict[str, Any]:
    """Return how files are read, as far as a body has it. Raises BadRequest."""
    members = {
        "format": body.get_choice("format", FORMATS, "text"),
        "header": body.get_boolean("header", default=True),
        "delimiter": _parse_delimiter(body),
        "encoding": body.get_choice("encoding", _ENCODINGS, "utf-8"),
    }
    return {name: value for name, value in members.items() if name in body.document}


def read_sample(file: Path, options: SampleOptions, get_remaining_seconds: Callable[[], float]) -> Sample:
    """Read a sample of a file, until no time remains. Raises BadRequest."""
    try:
        with file.open("rb") as stream:
            rows = _limit_time(_READERS[options.format](stream, options), get_remaining_seconds)
            chosen = _choose_randomly(rows, options) if options.sampling == "random" else islice(rows, options.limit)
            return build_sample(chosen)
    except UnicodeDecodeError:
        raise BadRequest(f"{options.path} is not a text in {options.encoding}: choose another encoding") from None
    except (ValueError, csv.Error, RecursionError) as error:
        raise BadRequest(f"{options.path} cannot be read as {options.format}: {str(error)[:200]}") from None
    except OSError as error:
        raise BadRequest(f"{options.path} cannot be read ({type(error).__name__})") from None


def build_sample(rows: Iterable[Row]) -> Sample:
    """Return rows as a sample. Raises BadRequest for one that is too large, or too deeply nested."""
    columns: dict[str, None] = {}
    encoded: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        encoded.append(_encode_row(row))
        columns.update(dict.fromkeys(encoded[-1]))
        size += len(json.dumps([*encoded[-1].values()]))
        if size > CHARACTERS_MAX:
            raise BadRequest(
                f"the sample has more than {CHARACTERS_MAX} characters: use a smaller limit than {len(encoded)} rows"
            )
        if len(columns) > COLUMNS_MAX:
            raise BadRequest(f"the sample has more than {COLUMNS_MAX} columns")
    return Sample([*columns], [[row.get(column) for column in columns] for row in encoded])


def _encode_row(row: Row) -> dict[str, Any]:
    try:
        return {name: encode_value(value) for name, value in normalize_row(row).items()}
    except RecursionError:
        raise BadRequest("a value is nested too deeply") from None


def _parse_delimiter(body: Body) -> str:
    delimiter = body.document.get("delimiter", ",")
    if delimiter not in _DELIMITERS:
        raise BadRequest("the member delimiter must be a comma, a semicolon, a tab or a vertical bar")
    return str(delimiter)


def _detect_format(path: str) -> str:
    """Return the format of the suffix of a file. Raises BadRequest for one that cannot be sampled."""
    suffix = Path(path).suffix.lower()
    if (other := _OTHER_FORMATS.get(suffix)) is not None:
        raise BadRequest(
            f"{path} cannot be sampled: {other} is not one of the formats {', '.join(FORMATS)}. Convert it to Parquet, for "
            f"example by a pipeline whose source has the format {other}"
        )
    return FORMATS_BY_SUFFIX.get(suffix, "text")


def _limit_time(rows: Iterator[Row], get_remaining_seconds: Callable[[], float]) -> Iterator[Row]:
    for number, row in enumerate(rows):
        if number % _CHECKED == 0 and not get_remaining_seconds():
            raise BadRequest("reading the file took too long: use the first rows, or a smaller file")
        yield row


def _choose_randomly(rows: Iterator[Row], options: SampleOptions) -> list[Row]:
    """Return rows that are chosen with equal probability, in their order (reservoir sampling)."""
    generator = random.Random(options.seed)  # noqa: S311  a sample, no secret
    chosen = [*enumerate(islice(rows, options.limit))]
    for number, row in enumerate(rows, options.limit):
        at = generator.randrange(number + 1)
        if at < options.limit:
            chosen[at] = (number, row)
    return [row for _, row in sorted(chosen, key=lambda pair: pair[0])]


def _read_delimited(stream: BinaryIO, options: SampleOptions) -> Iterator[Row]:
    reader = csv.reader(_iterate_lines(stream, options), delimiter=options.separator)
    names = make_names_unique(next(reader, [])) if options.header else []
    for values in reader:
        if values:
            yield name_values(names, values, "column")


def _read_json_lines(stream: BinaryIO, options: SampleOptions) -> Iterator[Row]:
    for line in _iterate_lines(stream, options):
        if line.strip():
            yield _require_object(json.loads(line))


def _read_json_document(stream: BinaryIO, options: SampleOptions) -> Iterator[Row]:
    data = stream.read(_DOCUMENT_MAX + 1)
    if len(data) > _DOCUMENT_MAX:
        raise BadRequest(f"{options.path} has more than {_DOCUMENT_MAX} bytes: use JSON lines for larger files")
    document = json.loads(data.decode(options.encoding).removeprefix("\ufeff"))
    yield from map(_require_object, document if isinstance(document, list) else [document])


def _read_parquet(stream: BinaryIO, options: SampleOptions) -> Iterator[Row]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise BadRequest("Parquet cannot be read: the package pyarrow is not installed in the server") from None
    try:
        for batch in parquet.ParquetFile(stream).iter_batches(ROWS_DEFAULT):
            yield from batch.to_pylist()
    # Python lacks some dates, and the server may lack a time zone.
    except (ArrowException, LookupError, OverflowError) as error:
        raise ValueError(str(error)) from None


def _read_text(stream: BinaryIO, options: SampleOptions) -> Iterator[Row]:
    """Yield lines in the column `value`, as Spark does."""
    return ({"value": line.rstrip("\r\n")} for line in _iterate_lines(stream, options))


def _iterate_lines(stream: BinaryIO, options: SampleOptions) -> Iterator[str]:
    with TextIOWrapper(stream, options.encoding, newline="") as text:
        for number, line in enumerate(iter(lambda: text.readline(_LINE_MAX), "")):
            if len(line) == _LINE_MAX:
                raise BadRequest(f"{options.path} has a line of more than {_LINE_MAX} characters")
            yield line if number else line.removeprefix("\ufeff")


def _require_object(value: Any) -> Row:
    if not isinstance(value, dict):
        raise ValueError("each row must be a JSON object")
    return value


_READERS: Final[Mapping[str, Callable[[BinaryIO, SampleOptions], Iterator[Row]]]] = {
    "csv": _read_delimited,
    "tsv": _read_delimited,
    "json": _read_json_document,
    "jsonl": _read_json_lines,
    "parquet": _read_parquet,
    "text": _read_text,
}
