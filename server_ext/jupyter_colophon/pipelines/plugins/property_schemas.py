"""JSON Schemas for properties of several plugins."""

from typing import Any

PropertySchema = dict[str, Any]


def define_text(title: str, description: str, **keywords: Any) -> PropertySchema:
    """Return the schema of a non-empty string."""
    return {"title": title, "description": description, "type": "string", "minLength": 1, **keywords}


def define_list(title: str, description: str, **keywords: Any) -> PropertySchema:
    """Return the schema of a list of unique strings."""
    items = {"type": "string", "minLength": 1}
    return {
        "title": title,
        "description": description,
        "type": "array",
        "items": items,
        "uniqueItems": True,
        **keywords,
    }


def define_mapping(title: str, description: str, **keywords: Any) -> PropertySchema:
    """Return the schema of strings by name."""
    values = {"type": "string"}
    return {"title": title, "description": description, "type": "object", "additionalProperties": values, **keywords}


def define_choice(title: str, description: str, *of: str, **keywords: Any) -> PropertySchema:
    """Return the schema of one of several values."""
    return {"title": title, "description": description, "type": "string", "enum": list(of), **keywords}


MODE = define_choice(
    "Mode",
    "The treatment of existing data",
    "append",
    "overwrite",
    "error",
    "ignore",
    default="error",
)
OPTIONS = define_mapping("Options", "Options of Spark's data source")
SCHEMA = define_text(
    "Schema", "The columns in Spark SQL syntax: id BIGINT, name STRING. They allow checks before the run"
)
