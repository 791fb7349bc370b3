"""The texts on the cards of a lineage graph."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from jupyter_colophon.core.display_text import format_count_with_noun
from jupyter_colophon.core.lineage.written_data_name import format_written_data_name, get_last_part_of_path

Document = Mapping[str, Any]

_CELL = re.compile(r"(?:.*/)?([^/]+)#([^#]+)")
#: The random ids of cells in JupyterLab, of which eight characters are sufficient.
_RANDOM_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TYPES = {"mlModel": "model", "dataJob": "program", "custom": "other entity"}
#: From this number on, the server may have stopped counting.
_COUNT_LIMIT = 1000


def format_card_name(node: Document) -> str:
    """Return the title of a node, else the last part of its path; of a cluster, the number of its nodes."""
    if "members" in node:
        return f"{_count_members(node['members'])} ▸"
    cell = _parse_cell(node)
    return node.get("title") or (cell[0] if cell else get_last_part_of_path(node["name"]))


def format_card_place(node: Document) -> str:
    """Return what distinguishes a node from others of the same name."""
    if "members" in node:
        return "show the next ones"
    if cell := _parse_cell(node):
        return " · ".join([*([cell[0]] if node.get("title") else []), f"cell {cell[1]}"])
    second = (node["platform"] or "") if node["type"] == "dataset" else _TYPES.get(node["type"], node["type"])
    return " · ".join(filter(None, (_get_folder(node) or node["namespace"], second)))


def format_hidden_count(node: Document, side: str) -> str:
    """Return the number of neighbours on a side that are not in the document; empty if there are none."""
    count = node["notShown"][side]
    is_lower_bound = node["notShown"].get("isLowerBound") and count >= _COUNT_LIMIT
    return f"+{count:,}{'+' if is_lower_bound else ''}" if count else ""


def name_cells(nodes: Sequence[Document], edges: Iterable[Document]) -> Iterator[Document]:
    """Yield the nodes; cells without a title of their own are named by the data that they write."""
    written: defaultdict[str, list[str]] = defaultdict(list)
    for edge in edges:
        if edge["access"] != "unknown":
            written[edge["source"]].append(edge["target"])
    # Cells below one heading have the same title.
    titles = Counter(node.get("title") for node in nodes if _parse_cell(node))
    for node in nodes:
        title = node.get("title")
        is_unnamed_cell = _parse_cell(node) is not None and (not title or titles[title] > 1)
        name = format_written_data_name(written[node["urn"]]) if is_unnamed_cell else ""
        yield {**node, "title": name} if name else node


def _count_members(members: Sequence[Document]) -> str:
    types = {member["type"] for member in members}
    noun = {"dataJob": "program", "dataset": "dataset"}.get(min(types), "node") if len(types) == 1 else "node"
    return format_count_with_noun(len(members), noun)


def _get_folder(node: Document) -> str:
    """Return the last folder of the path of data; empty for other names."""
    parts = list(filter(None, node["name"].split("/"))) if node["type"] in ("dataset", "mlModel") else []
    return f"…/{parts[-2]}" if len(parts) > 1 else ""


def _parse_cell(node: Document) -> tuple[str, str] | None:
    """Return the file and the id of a notebook cell; None for other nodes."""
    match = _CELL.fullmatch(node["name"]) if node["type"] == "dataJob" else None
    if match is None:
        return None
    file, cell = match.groups()
    return file, cell[:8] if _RANDOM_ID.fullmatch(cell) else cell
