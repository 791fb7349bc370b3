"""Where the documents are that we ship: JSON Schemas, the registry, the schemaspaces' schemas."""

import json
from pathlib import Path
from typing import Any


def schemas_dir() -> Path:
    """Where the JSON Schemas are: in the package when installed from a wheel, else in the checkout."""
    package = Path(__file__).parents[1]
    packaged = package / "schemas"
    return packaged if packaged.is_dir() else package.parents[1] / "schemas"


def load_documents(folder: str) -> dict[str, Any]:
    """The documents of a folder of schemas, by their file names."""
    return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted((schemas_dir() / folder).glob("*.json"))}
