"""The aspect `quality` of a dataset: the newest result of each expectation, a bounded history, and a summary."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

EXPECTATIONS: Final = "expectations"
QUALITY: Final = "quality"
#: Checks of other tools, which nothing here evaluates.
OTHER: Final = "other"
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


def remove_results_of_changed_expectations(
    quality: Document, old: Document | None, new: Document | None
) -> dict[str, Any]:
    """Return the quality without results of expectations that are removed or different."""
    before, after = list_expectations(old), list_expectations(new)
    changed = {id_ for id_, expectation in before.items() if after.get(id_) != expectation}
    return summarize_results({id_: item for id_, item in quality["results"].items() if id_ not in changed})


def summarize_results(results: Mapping[str, Document]) -> dict[str, Any]:
    """Return the value of the aspect with these results, of at most `RESULTS_MAX` of them the newest."""
    newest = sorted(results.items(), key=lambda item: (-item[1]["time"], item[0]))[:RESULTS_MAX]
    counts = Counter(result["status"] for _, result in newest)
    status = "failing" if counts["failed"] or counts["error"] else "passing" if counts["passed"] else "unknown"
    summary: dict[str, Any] = {
        "status": status,
        "passed": counts["passed"],
        "failed": counts["failed"],
        "errors": counts["error"],
        "results": dict(newest),
    }
    return summary | ({"time": newest[0][1]["time"]} if newest else {})


def list_expectations(aspect: Document | None) -> Mapping[str, Document]:
    """Return the expectations of a value of the aspect by their ids."""
    expectations: Mapping[str, Document] = (aspect or {}).get("expectations", {})
    return expectations


def remove_values_from_result(result: Document) -> Document:
    """Return a result without values of the data."""
    return {name: value for name, value in result.items() if name not in REVEALING_MEMBERS}


def _add_to_history(old: Document | None, new: Document) -> Document:
    entry = {"time": new["time"], "status": new["status"]}
    by_time = {item["time"]: item for item in (*(old or {}).get("history", ()), entry)}
    history = [by_time[time] for time in sorted(by_time, reverse=True)][:HISTORY_MAX]
    current = new if old is None or new["time"] >= old["time"] else old
    return {**current, "history": history}
