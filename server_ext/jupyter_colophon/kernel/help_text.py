"""The text of `%metadata help`: a paragraph for each command, and notes on the arguments."""

from collections.abc import Mapping

CELL = """\
%%metadata [--tag TAG]… [--set KEY=VALUE]… [--owner WHO] [--describe TEXT] [--name STEP] [--reads DATA]… [--writes DATA]…
    runs the cell and sets the tags and properties on the data it writes; STEP names the cell in lineage; DATA is a path, a URL
    or a NAME that the cell reads or writes in a way that is not captured"""

_NAME = "NAME is database.table, a table of the namespace in use, the path of a file (from /), or a URN."
_WORD = "Tags and keys are letters (A to Z, a to z), digits, _ and -, at most 50 characters; the key tags is reserved."
_TIME = "T is 2026-11-20T12:00 (local time), or now-1d."
_FORM = "--json returns a document; x = %metadata … --dataframe returns a pandas DataFrame."

#: Help on the arguments that all commands share.
NOTES = (_NAME, _TIME, _WORD, _FORM)


def build_help_text(command: str | None, entries: Mapping[str, str]) -> str:
    """Return the paragraph of a command with the notes that it needs; the whole help if `command` is None."""
    if command is None:
        return "\n".join([*dict.fromkeys(entries.values()), "", CELL, "", f"{_NAME} {_TIME}", _WORD, _FORM])
    entry = entries[command]
    notes = ((" NAME", _NAME), ("SOURCE", _NAME), (" T]", _TIME), (" T;", _TIME), (" TAG", _WORD), (" KEY", _WORD))
    return "\n".join([entry, *dict.fromkeys(note for word, note in notes if word in entry)])
