"""What `%metadata help` tells: a paragraph for each command, and what the words in capitals stand for."""

from collections.abc import Mapping

CELL = """\
%%metadata [--tag TAG]… [--set KEY=VALUE]… [--owner WHO] [--describe TEXT] [--name STEP]
    runs the cell; what it writes gets the tags and properties; the step's name stands for the cell in lineage"""

_NAME = "NAME is database.table, a table of the namespace in use, the path of a file (from /), or a URN."
_WORD = "Tags and keys are letters (A to Z, a to z), digits, _ and -, at most 50 of them; the key tags is taken."
_TIME = "T is 2026-11-20T12:00 (local time), or now-1d."
_FORM = "--json answers a document; x = %metadata … --dataframe a DataFrame of pandas."


def help_on(command: str | None, entries: Mapping[str, str]) -> str:
    """The paragraph of a command with the notes that it needs; the whole synopsis where none is named."""
    if command is None:
        return "\n".join([*dict.fromkeys(entries.values()), "", CELL, "", f"{_NAME} {_TIME}", _WORD, _FORM])
    entry = entries[command]
    notes = ((" NAME", _NAME), ("SOURCE", _NAME), (" T]", _TIME), (" T;", _TIME), (" TAG", _WORD), (" KEY", _WORD))
    return "\n".join([entry, *dict.fromkeys(note for word, note in notes if word in entry)])
