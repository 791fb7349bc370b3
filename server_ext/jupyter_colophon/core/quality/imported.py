"""Expectations and results that another tool wrote, by dataset."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final, Literal

from jupyter_colophon.core.quality.results import OTHER, SAMPLES_MAX, list_expectations

Tool = Literal["great-expectations", "dbt"]
_ID_MAX: Final = 128
_NOT_IN_IDS: Final = re.compile(r"[^A-Za-z0-9_.:-]")
_TEXT_MAX, _SAMPLE_MAX, _NAME_MAX = 2000, 200, 512


class UnreadableResults(ValueError):
    """A document of another tool does not have the expected form. `pointer` is the place in it."""

    def __init__(self, message: str, pointer: str = "") -> None:
        super().__init__(message)
        self.pointer = pointer


@dataclass(slots=True)
class ImportedDataset:
    """What a tool has about a dataset: name and id there, expectations and results by id, and the time of the newest (ms)."""

    name: str
    time: int = 0
    expectations: dict[str, dict[str, Any]] = field(default_factory=dict)
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    id: str = ""

    def add(self, id_: str, expectation: Mapping[str, Any], result: Mapping[str, Any] | None, time: int) -> None:
        """Add an expectation, and its result unless a newer one was added."""
        self.expectations[id_] = dict(expectation)
        if result is not None and (id_ not in self.results or time >= self.time):
            self.results[id_] = dict(result)
        self.time = max(self.time, time)

    def replace_expectations(self, stored: Mapping[str, Any] | None, tool: str) -> dict[str, Any]:
        """Return a value of the aspect `expectations` in which those of the tool are these; others are kept."""
        kept = {id_: one for id_, one in list_expectations(stored).items() if one.get("origin") != tool}
        return {"expectations": {**kept, **self.expectations}}


def get_mapping_or_empty(value: object) -> Mapping[str, Any]:
    """Return a part of a document; an empty one if it is absent or of another type."""
    return value if isinstance(value, Mapping) else {}


def make_id(prefix: str, name: str) -> str:
    """Return an id with only allowed characters; long names end with a hash."""
    id_ = f"{prefix}:{_NOT_IN_IDS.sub('_', name)}"
    if len(id_) <= _ID_MAX:
        return id_
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return f"{id_[: _ID_MAX - len(digest) - 1]}.{digest}"


def build_other_expectation(name: str, column: object, parameters: Mapping[str, Any], origin: Tool) -> dict[str, Any]:
    """Return an expectation that is kept and not evaluated."""
    about = {"column": column} if isinstance(column, str) and column else {}
    kept = dict(islice(parameters.items(), 100))
    return {"kind": OTHER, "name": name[:_NAME_MAX], **about, "parameters": kept, "origin": origin}


def build_result(
    status: str,
    *,
    failing: object = None,
    rows: object = None,
    observed: object = None,
    samples: Iterable[object] = (),
    message: object = None,
) -> dict[str, Any]:
    """Return a result with those members that have a value."""
    result: dict[str, Any] = {"status": status}
    result |= {
        name: number
        for name, number in (("failing", failing), ("rows", rows))
        if isinstance(number, int) and not isinstance(number, bool) and number >= 0
    }
    if isinstance(observed, str | int | float) and observed != "":
        result["observed"] = str(observed)[:_TEXT_MAX]
    if texts := [str(value)[:_SAMPLE_MAX] for value in islice(samples, SAMPLES_MAX)]:
        result["samples"] = texts
    if isinstance(message, str) and message:
        result["message"] = message[:_TEXT_MAX]
    return result


def parse_time_of_tool(text: object) -> int:
    """Return a time in ms, 0 if there is none; one without a time zone is in UTC."""
    try:
        time = datetime.fromisoformat(str(text))
    except ValueError:
        return 0
    return int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1000)
