"""The data of experiments: files and folders that the operator permits, and their columns."""

import json
import math
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.apps import BadRequest, InvalidName, NotFound, Problem, ServiceContext, Urn, make_dataset_urn
from jupyter_colophon.apps.shipped.bodies import Body
from jupyter_colophon.apps.shipped.folders import require_permitted_folder, resolve_inside
from jupyter_colophon.apps.shipped.samples import FORMATS_BY_SUFFIX, SampleOptions, read_sample
from jupyter_colophon.wrangling.normalization import decode_value, format_json_value
from jupyter_colophon.wrangling.path_patterns import PATTERN_PROBLEM, has_pattern_characters

FORMATS: Final = ("csv", "tsv", "json", "jsonl", "parquet")
TYPES: Final = ("numeric", "categorical")
_SAMPLE_ROWS, _EXAMPLES, _FILES_MAX = 1_000, 3, 10_000
_TEXT_MAX: Final = 100
_FILE_PLATFORM: Final = "urn:li:dataPlatform:file"


@dataclass(frozen=True, slots=True)
class Source:
    """A file, or a folder of files that Spark wrote."""

    path: str
    format: str
    header: bool
    dataset: str

    @classmethod
    def from_document(cls, context: ServiceContext, document: Any) -> "Source":
        """Return the source that a request describes. Raises BadRequest."""
        body = Body(document, ("path", "dataset", "format", "header"))
        path = _parse_file_dataset(body.get_text("dataset")) if "dataset" in body.document else body.get_text("path")
        real = find_permitted_path(context, path)
        named = next((file for file in _list_data_files(real)), real)
        format_ = body.get_choice("format", FORMATS, FORMATS_BY_SUFFIX.get(named.suffix.lower(), "parquet"))
        header = body.get_boolean("header", default=True)
        return cls(str(real), format_, header, str(make_dataset_urn("file", str(real))))

    def to_document(self) -> dict[str, Any]:
        """Return the source as JSON."""
        return asdict(self)


def refuse(pointer: str, message: str) -> BadRequest:
    """Return the error for a member of a body."""
    return BadRequest(f"{pointer.removeprefix('/') or 'the body'}: {message}", (Problem(pointer, message),))


def find_permitted_path(context: ServiceContext, path: str) -> Path:
    """Return the real path of a file or folder in a permitted folder. Raises BadRequest."""
    folder, name = os.path.split(path.rstrip("/") or path)
    try:
        real = resolve_inside(require_permitted_folder(context, folder), name)
    except NotFound:
        raise refuse("/source/path", f"there is neither a file nor a folder {path[:200]!r}") from None
    except BadRequest as error:
        raise refuse("/source/path", error.detail) from None
    if not real.is_file() and not real.is_dir():
        raise refuse("/source/path", f"{path[:200]!r} is neither a file nor a folder")
    require_literal_path("/source/path", real.as_posix())
    return real


def require_literal_path(pointer: str, path: str) -> None:
    """Raise BadRequest for a path that Spark would take for a pattern of several, perhaps other, files."""
    if has_pattern_characters(path):
        raise refuse(pointer, f"{path[:200]!r} {PATTERN_PROBLEM}")


def inspect_columns(source: Source) -> list[dict[str, Any]]:
    """Return the columns of the first rows, with their types and examples. Raises BadRequest."""
    path = next(iter(_list_data_files(Path(source.path))), None)
    if path is None:
        raise refuse("/source/path", "the folder has no files")
    # A folder of JSON that Spark wrote has JSON lines.
    format_ = "jsonl" if source.format == "json" and Path(source.path).is_dir() else source.format
    options = SampleOptions(path.name, format_, source.header, "utf-8", "first", _SAMPLE_ROWS, 0)
    sample = read_sample(path, options, lambda: math.inf)
    return [
        _describe_column(name, [_convert_value(row[at]) for row in sample.rows])
        for at, name in enumerate(sample.columns)
    ]


def require_columns(columns: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> None:
    """Raise BadRequest unless the data has each of the columns, which are given by the pointers that name them."""
    known = {column["name"] for column in columns}
    for pointer, name in names.items():
        if name not in known:
            raise refuse(pointer, f"the data has no column {name[:80]!r}")


def _parse_file_dataset(text: str) -> str:
    try:
        urn = Urn.parse(text)
    except InvalidName as error:
        raise refuse("/source/dataset", error.detail) from None
    if urn.type != "dataset" or urn.parts[0] != _FILE_PLATFORM:
        raise refuse("/source/dataset", "only datasets of the platform file have a location that can be read")
    return str(urn.parts[1])


def _list_data_files(path: Path) -> list[Path]:
    """Return the files of a folder as Spark reads them, or the file. Raises BadRequest for links and special files."""
    if not path.is_dir():
        return [path]
    found: list[Path] = []
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        if any(os.path.islink(os.path.join(folder, name)) for name in (*folders, *files)):
            raise refuse("/source/path", "the folder has links")
        found += [Path(folder, name) for name in sorted(files) if not name.startswith((".", "_"))]
        # A named pipe would never end.
        if any(not stat.S_ISREG(file.lstat().st_mode) for file in found):
            raise refuse("/source/path", "the folder has special files")
        if len(found) > _FILES_MAX:
            raise refuse("/source/path", f"the folder has more than {_FILES_MAX} files")
    return found


def _convert_value(value: Any) -> Any:
    """Return a value of a sample as Spark has it as a number or text; null for numbers that are not finite."""
    decoded = decode_value(value)
    if isinstance(decoded, float) and not math.isfinite(decoded):
        return None
    shown = format_json_value(decoded)
    return json.dumps(shown, ensure_ascii=False) if isinstance(shown, (dict, list)) else shown


def _describe_column(name: str, values: Sequence[Any]) -> dict[str, Any]:
    present = [value for value in values if value not in (None, "")]
    distinct = {str(value) for value in present}
    return {
        "name": name,
        "type": "numeric" if present and all(map(_is_number, present)) else "categorical",
        "distinct": len(distinct),
        "nulls": len(values) - len(present),
        "examples": [str(value)[:_TEXT_MAX] for value in dict.fromkeys(present)][:_EXAMPLES],
    }


def _is_number(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError):
        return False
