"""Code snippets as documents, and the folder in which a test server stores them."""

import json
from pathlib import Path
from typing import Any

from jupyter_core.paths import jupyter_data_dir

SPACE = "code-snippets"
SPACE_ID = "aa60988f-8f7c-4d09-a243-c54ef9c2f7fb"


def build_snippet(display_name: str = "Hello", **metadata: Any) -> dict[str, Any]:
    """Build a valid instance of `code-snippet`; members of `metadata` that are None are omitted."""
    members = {"language": "Python", "code": ["print('hello')"]} | metadata
    kept = {key: value for key, value in members.items() if value is not None}
    return {"display_name": display_name, "schema_name": "code-snippet", "metadata": kept}


def get_snippet_folder(space: str = SPACE) -> Path:
    """Return the folder of instances in the user's own data folder."""
    return Path(jupyter_data_dir()) / "metadata" / space


def write_instance_file(name: str, content: Any, space: str = SPACE) -> Path:
    """Write a file as another program does, atomically, since the server may read it at any moment; text is written
    unchanged.
    """
    path = get_snippet_folder(space) / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = path.parent.with_suffix(".being-written")
    whole.write_text(content if isinstance(content, str) else json.dumps(content))
    return whole.replace(path)
