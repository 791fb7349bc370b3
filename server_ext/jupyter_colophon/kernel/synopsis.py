"""What `%metadata help` tells: a paragraph for each command, and what the words in capitals stand for."""

ENTRIES = {
    "tag": "%metadata tag NAME TAG…             put tags on data",
    "untag": "%metadata untag NAME TAG…           take tags away",
    "set": """\
%metadata set NAME KEY=VALUE…       set properties; quote a value with spaces: "refresh=every morning\"""",
    "unset": "%metadata unset NAME KEY…           remove properties",
    "show": """\
%metadata show NAME                 all that is known: what people wrote, what machines wrote, schema, runs""",
    "search": """\
%metadata search QUERY…             find: words, word*, key:value, tag:…, owner:…   [--limit N]""",
    "lineage": """\
%metadata lineage NAME              what it was made from and what was made of it
                                    [--levels N] [--direction both|upstream|downstream] [--start T] [--end T]""",
    "pipeline": """\
%metadata pipeline list             pipelines; also: validate NAME, preview NAME, run NAME, with NAME=VALUE… for arguments""",
    "keys": "%metadata keys [PREFIX]             metadata keys in use",
    "health": """\
%metadata health                    is the catalog there, and does it record this notebook (also: status)""",
    "connect": """\
%metadata connect URL               use this server (asks for the token, or takes COLOPHON_TOKEN)""",
    "help": "%metadata help [COMMAND]            this, or what it says of one command (also: %metadata COMMAND --help)",
}

CELL = """\
%%metadata [--tag TAG]… [--set KEY=VALUE]…
    runs the cell; what it writes gets the tags and properties"""

_NAME = "NAME is database.table, the path of a file (from /), or a URN."
_WORD = "Tags and keys are letters, digits, _ and -, at most 50 of them; the key tags is taken."
_TIME = "T is 2026-11-20T12:00 (local time), or now-1d."

SYNOPSIS = "\n".join([*ENTRIES.values(), "", CELL, "", f"{_NAME} {_TIME}", _WORD])


def help_on(command: str | None) -> str:
    """The paragraph of a command with the notes that it needs; the whole synopsis where none is named."""
    if command is None:
        return SYNOPSIS
    entry = ENTRIES["health" if command == "status" else command]
    notes = ((" NAME", _NAME), (" T]", _TIME), (" TAG", _WORD), (" KEY", _WORD))
    return "\n".join([entry, *(note for word, note in notes if word in entry)])
