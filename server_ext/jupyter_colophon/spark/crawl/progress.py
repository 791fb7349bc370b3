"""A text progress bar."""

_WIDTH = 24


def format_bar(done: int, total: int, name: str) -> str:
    """Return `[######      ] 12/48 name`."""
    filled = _WIDTH * done // total if total else _WIDTH
    # Replace control characters in names.
    printable = "".join(character if character.isprintable() else "\ufffd" for character in name)
    return f"[{'#' * filled}{' ' * (_WIDTH - filled)}] {done}/{total} {printable[-60:]}"
