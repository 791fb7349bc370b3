"""Find the documents that ship with the package: JSON Schemas, the registry, the schemas of schemaspaces."""

import json
from pathlib import Path
from typing import Any


def find_schemas_dir() -> Path:
    """Return the folder of the JSON Schemas: in the package if it is installed from a wheel, else in the checkout."""
    package = Path(__file__).parents[1]
    packaged = package / "schemas"
    return packaged if packaged.is_dir() else package.parents[1] / "schemas"


def load_schema_documents(folder: str) -> dict[str, Any]:
    """Return the documents in a folder of schemas, by file name."""
    return {
        path.stem: json.loads(path.read_text("utf-8")) for path in sorted((find_schemas_dir() / folder).glob("*.json"))
    }
