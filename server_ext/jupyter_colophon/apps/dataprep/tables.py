"""The tables of the application. Each row belongs to the namespace `context`."""

from typing import Final

from jupyter_colophon.apps import TableSpec

#: `properties` is JSON. Earlier versions had the folder of a connection to files instead.
CONNECTIONS: Final = TableSpec(
    "connections",
    {
        "context": "string",
        "name": "string",
        "type": "string",
        "folder": "string",
        "properties": "string",
        "description": "string",
        "created_by": "string",
        "updated_by": "string",
    },
    ("context", "name"),
)
#: `source` is JSON: where the sample was read. `current` and `newest` are numbers of recipes.
WORKSPACES: Final = TableSpec(
    "workspaces",
    {
        "context": "string",
        "id": "string",
        "name": "string",
        "source": "string",
        "current": "long",
        "newest": "long",
        "oldest": "long",
        "created_by": "string",
        "created_ms": "long",
        "updated_by": "string",
        "updated_ms": "long",
    },
    ("context", "id"),
)
#: Samples are large, and are not read with a list of workspaces. `columns` and `rows` are JSON.
SAMPLES: Final = TableSpec(
    "samples",
    {"context": "string", "workspace": "string", "columns": "string", "rows": "string"},
    ("context", "workspace"),
)
#: The recipes of a workspace, for undo and redo.
RECIPES: Final = TableSpec(
    "recipes",
    {"context": "string", "workspace": "string", "number": "long", "recipe": "string"},
    ("context", "workspace", "number"),
)
