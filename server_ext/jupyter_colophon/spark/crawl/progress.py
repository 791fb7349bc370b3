"""How far a crawl is, as a bar of text."""

_WIDTH = 24


def bar(done: int, total: int, name: str) -> str:
    """`[######      ] 12/48 name`."""
    filled = _WIDTH * done // total if total else _WIDTH
    # A name may hold anything: a terminal is given no control characters.
    shown = "".join(character if character.isprintable() else "\ufffd" for character in name)
    return f"[{'#' * filled}{' ' * (_WIDTH - filled)}] {done}/{total} {shown[-60:]}"
