"""Where JupyterLab asks for instances: paths below the native API, and instances made there."""

from typing import Any

from support.snippets import SPACE

BASE = ("schemaspaces", SPACE)
INSTANCES = (*BASE, "instances")
HELLO = (*INSTANCES, "hello")
URN = "urn:li:instance:(code-snippets,hello)"


async def made(api: Any, *documents: dict[str, Any]) -> list[Any]:
    """The answers to their creation."""
    return [(await api("POST", *INSTANCES, body=one, answers="instance")).body for one in documents]
