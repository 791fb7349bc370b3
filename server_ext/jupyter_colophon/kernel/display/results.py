"""`%metadata search`, `keys`, `health`: lists."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.client.urns import shown
from jupyter_colophon.kernel.counts import counted
from jupyter_colophon.kernel.display.elements import Line, Table, Title
from jupyter_colophon.kernel.display.page import Page


def search_page(answer: Mapping[str, Any]) -> Page:
    """A page from `SearchAnswer`."""
    hits, total = answer["hits"], answer["total"]
    found = "nothing found" if not hits else f"{'at least ' if answer['isLowerBound'] else ''}{total} found"
    title = Title(answer["query"], found)
    if not hits:
        return Page((title,))
    rows = tuple(
        (shown(hit["urn"]), hit["type"], ", ".join(hit["tags"]), hit["owner"] or "", _reasons(hit["matches"]))
        for hit in hits
    )
    more = (Line(f"{total - len(hits)} more", quiet=True),) if total > len(hits) else ()
    return Page((title, Table("", ("name", "type", "tags", "owner", "matched"), rows), *more))


def _reasons(matches: list[Mapping[str, Any]]) -> str:
    return ", ".join(dict.fromkeys(f"{match['key']}:{match['value']}" for match in matches))


def keys_page(prefix: str, answer: Mapping[str, Any]) -> Page:
    """A page from `Keys`."""
    rows = tuple((key["key"], key["kind"], key["scope"], str(key["entities"])) for key in answer["keys"])
    if not rows:
        return Page((Line(f"no key begins with {prefix}" if prefix else "no keys yet"),))
    return Page((Table("metadata keys", ("key", "kind", "scope", "entities"), rows),))


def values_page(answer: Mapping[str, Any]) -> Page:
    """A page from `KeyValues`."""
    rows = tuple((one["value"], str(one["entities"])) for one in answer["values"])
    if not rows:
        return Page((Line(f"{answer['key']} has no such value"),))
    return Page((Table(f"values of {answer['key']}", ("value", "entities"), rows),))


def health_page(health: Mapping[str, Any], facts: Mapping[str, str]) -> Page:
    """A page from `Health` and what the kernel knows of itself."""
    store, head = health["store"], health["changeLog"]["head"]
    rows = [
        ("catalog", f"{health['status']}, version {health['version']}"),
        ("store", " ".join(word for word in (store["provider"], store["status"], store["detail"]) if word)),
        ("change log", counted(head, "change") if head is not None else "not known"),
        *facts.items(),
    ]
    return Page((Table("health", ("part", "state"), tuple(rows)),))
