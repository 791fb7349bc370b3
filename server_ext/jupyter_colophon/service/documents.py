"""Where the documents are that we ship: JSON Schemas, the registry, the schemaspaces' schemas."""

from pathlib import Path


def schemas_dir() -> Path:
    """Where the JSON Schemas are: in the package when installed from a wheel, else in the checkout."""
    package = Path(__file__).parents[1]
    packaged = package / "schemas"
    return packaged if packaged.is_dir() else package.parents[1] / "schemas"
