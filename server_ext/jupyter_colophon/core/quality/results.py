"""The aspect `quality` of a dataset: the newest result of each expectation, a bounded history, and a summary."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

EXPECTATIONS: Final = "expectations"
QUALITY: Final = "quality"
#: The severity of expectations whose failures do not make the quality of their dataset failing.
WARNING: Final = "warning"
#: The members of an expectation that do not affect its result.
_INCIDENTAL: Final = frozenset({"description", "severity"})
#: Checks of other tools, which nothing here evaluates.
OTHER: Final = "other"
#: What a result has of its expectation.
_DESCRIBING: Final = ("kind", "column", "name", "severity")
HISTORY_MAX: Final = 30
RESULTS_MAX: Final = 400
SAMPLES_MAX: Final = 5
#: The members of a result that may have values of the data.
REVEALING_MEMBERS: Final = frozenset({"observed", "samples"})

#: An expectation, a result, or the aspect of either kind.
Document = Mapping[str, Any]


def add_results(quality: Document | None, results: Mapping[str, Document]) -> dict[str, Any]:
    """Return the quality with these results, which have no `history`, in whatever order they arrive."""
    stored: dict[str, Document] = dict((quality or {}).get("results", {}))
    for id_, result in results.items():
        stored[id_] = _add_to_history(stored.get(id_), result)
    return summarize_results(stored)


def adapt_to_changed_expectations(quality: Document, old: Document | None, new: Document | None) -> dict[str, Any]:
    """Return the quality without results of expectations that are removed or different, and with their new severities."""
    before, after = list_expectations(old), list_expectations(new)
    kept: dict[str, Document] = {}
    for id_, result in quality["results"].items():
        expectation = after.get(id_)
        if id_ not in before:
            kept[id_] = result
        elif expectation is not None and _select_evaluated(expectation) == _select_evaluated(before[id_]):
            kept[id_] = set_severity(result, expectation)
    return summarize_results(kept)


def summarize_results(results: Mapping[str, Document]) -> dict[str, Any]:
    """Return the value of the aspect with these results, of at most `RESULTS_MAX` of them the newest."""
    newest = sorted(results.items(), key=lambda item: (-item[1]["time"], item[0]))[:RESULTS_MAX]
    counts = Counter(WARNING if is_warning(result, result) else result["status"] for _, result in newest)
    summary: dict[str, Any] = {
        "status": decide_status(counts),
        "passed": counts["passed"],
        "failed": counts["failed"],
        "errors": counts["error"],
        "warnings": counts[WARNING],
        "results": dict(newest),
    }
    return summary | ({"time": newest[0][1]["time"]} if newest else {})


def decide_status(counts: Mapping[str, int]) -> str:
    """Return the status of a dataset from its numbers of results that are `passed`, `failed`, `error` and `warning`."""
    if counts.get("failed") or counts.get("error"):
        return "failing"
    return WARNING if counts.get(WARNING) else "passing" if counts.get("passed") else "unknown"


def is_warning(result: Document, expectation: Document) -> bool:
    """Return whether a result did not pass, and its expectation has the severity warning."""
    return result["status"] != "passed" and expectation.get("severity") == WARNING


def set_severity(result: Document, expectation: Document) -> dict[str, Any]:
    """Return a result with the severity of its expectation."""
    others = {name: value for name, value in result.items() if name != "severity"}
    return others | {name: expectation[name] for name in ("severity",) if name in expectation}


def describe_result(result: Document, about: Document) -> dict[str, Any]:
    """Return a result with the kind, column, name and severity of `about`: its expectation, or the result if it has none."""
    named = {name: about[name] for name in _DESCRIBING if name in about}
    return {**named, **{name: value for name, value in result.items() if name not in _DESCRIBING}}


def find_turned_results(old: Document | None, new: Document | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids of results that started to fail, and of those that pass again, between two values of the aspect."""
    before, after = ((quality or {}).get("results", {}) for quality in (old, new))
    failing = {id_ for id_, result in before.items() if result["status"] != "passed"}
    started = tuple(id_ for id_, result in after.items() if result["status"] != "passed" and id_ not in failing)
    passing = tuple(id_ for id_, result in after.items() if result["status"] == "passed" and id_ in failing)
    return started, passing


def list_expectations(aspect: Document | None) -> Mapping[str, Document]:
    """Return the expectations of a value of the aspect by their ids."""
    expectations: Mapping[str, Document] = (aspect or {}).get("expectations", {})
    return expectations


def remove_values_from_result(result: Document) -> Document:
    """Return a result without values of the data."""
    return {name: value for name, value in result.items() if name not in REVEALING_MEMBERS}


def _select_evaluated(expectation: Document) -> Document:
    return {name: value for name, value in expectation.items() if name not in _INCIDENTAL}


def _add_to_history(old: Document | None, new: Document) -> Document:
    entry = {"time": new["time"], "status": new["status"]}
    by_time = {item["time"]: item for item in (*(old or {}).get("history", ()), entry)}
    history = [by_time[time] for time in sorted(by_time, reverse=True)][:HISTORY_MAX]
    current = new if old is None or new["time"] >= old["time"] else old
    return {**current, "history": history}
