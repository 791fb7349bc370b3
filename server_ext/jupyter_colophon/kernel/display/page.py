"""What a command answers: blocks of words, before anyone decides how they look."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from jupyter_colophon.kernel.display import rich, terminal
from jupyter_colophon.kernel.display.elements import Block, Preformatted


@dataclass(frozen=True, slots=True)
class Page:
    """An answer for IPython's `display`. `extra` holds further MIME types; with `drawn` one of them replaces the HTML."""

    blocks: tuple[Block, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)
    drawn: bool = False

    def __repr__(self) -> str:
        return terminal.text_of(self.blocks)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """All representations at once: Jupyter takes the richest that it knows."""
        bundle = {"text/plain": terminal.text_of(self.blocks)}
        if not self.drawn:
            bundle["text/html"] = rich.html_of(self.blocks)
        return bundle | dict(self.extra)


def document_page(document: Mapping[str, Any]) -> Page:
    """A document as it came: JupyterLab unfolds it, a terminal has its text."""
    text = json.dumps(document, ensure_ascii=False, indent=2)
    return Page((Preformatted(text),), {"application/json": dict(document)}, drawn=True)
