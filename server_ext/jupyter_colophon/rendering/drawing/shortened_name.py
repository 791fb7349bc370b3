"""Shorten names in their middle, so that names which only differ in their ends stay different.

labextension/src/lineage/shorten-name.ts has the same rules.
"""

import re

from jupyter_colophon.rendering.drawing.text_width import ELLIPSIS

#: The endings of files: names differ in them least, so they are cut first.
_EXTENSION = re.compile(
    r"(?:\.(?:arrow|avro|bz2|csv|feather|gz|h5|hdf5|ipynb|joblib|jsonl?|ndjson|npy|npz|orc|parquet|pdf|pickle|pkl|png|py|sql"
    r"|svg|tsv|txt|xlsx?|xml|zip|zst))+\Z",
    re.IGNORECASE | re.ASCII,
)
#: How many letters of the end of a name are kept the longest.
_TAIL_LETTERS = 5
#: Shorter words are not cut in their middle.
_MIN_LETTERS = 10


def shorten_name(name: str, count: int) -> str:
    """Return `count` letters of a name, with an ellipsis wherever others are left out.

    The extension is cut first, then the end of the head, then the start of the tail.
    """
    head, tail, extension = _split_name(name)
    start = head[: max(0, count - len(tail))]
    end = tail[max(0, len(tail) - count) :]
    ending = extension[: max(0, count - len(head) - len(tail))]
    gap = ELLIPSIS if len(start) < len(head) else ""
    is_end_cut = len(ending) < len(extension) and (not gap or bool(end))
    return f"{start}{gap}{end}{ending}{ELLIPSIS if is_end_cut else ''}"


def _split_name(name: str) -> tuple[str, str, str]:
    """Return the head, the tail, which is empty if the last word of the name is short, and the extension."""
    match = _EXTENSION.search(name)
    extension = match.group() if match else ""
    stem = name[: len(name) - len(extension)]
    word = len(stem) - 1 - stem.rfind(" ")
    end = len(stem) if word < _MIN_LETTERS else len(stem) - _TAIL_LETTERS
    return stem[:end], stem[end:], extension
