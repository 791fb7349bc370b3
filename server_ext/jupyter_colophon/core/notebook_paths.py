"""Paths of notebooks below the root of their server."""


def move_path(path: str, old: str, new: str) -> str:
    """Return a path after a rename of a file or a folder; unchanged if it is neither that nor below it."""
    if path == old:
        return new
    return new + path[len(old) :] if path.startswith(f"{old}/") else path
