"""JSON Schemas that the properties of several plugins are made of."""

from typing import Any

Shape = dict[str, Any]


def text(title: str, description: str, **more: Any) -> Shape:
    """A text that says something."""
    return {"title": title, "description": description, "type": "string", "minLength": 1, **more}


def texts(title: str, description: str, **more: Any) -> Shape:
    """A list of texts, each once."""
    items = {"type": "string", "minLength": 1}
    return {"title": title, "description": description, "type": "array", "items": items, "uniqueItems": True, **more}


def words(title: str, description: str, **more: Any) -> Shape:
    """Texts by their names."""
    values = {"type": "string"}
    return {"title": title, "description": description, "type": "object", "additionalProperties": values, **more}


def choice(title: str, description: str, *of: str, **more: Any) -> Shape:
    """One of some words."""
    return {"title": title, "description": description, "type": "string", "enum": list(of), **more}


MODE = choice(
    "Mode",
    "What becomes of data that is there",
    "append",
    "overwrite",
    "error",
    "ignore",
    default="error",
)
OPTIONS = words("Options", "Options of Spark's data source")
SCHEMA = text(
    "Schema", "The columns as Spark SQL writes them: id BIGINT, name STRING. Known so, they are checked at once"
)
