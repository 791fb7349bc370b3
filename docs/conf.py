"""Configuration of the documentation site (`make docs`).

Pages are Markdown that also reads well outside the site: links are relative paths of files. Before MyST parses a page,
links to files that the site shows elsewhere (README.md of a folder, GLOSSARY.md at the root) become links to their pages.
"""

import os
import re
from importlib.metadata import version as version_of
from pathlib import Path

from sphinx.application import Sphinx

DOCS = Path(__file__).parent
ROOT = DOCS.parent
#: Pages at the root of the repository, each shown in place of the page of docs/project that names it.
ROOT_PAGES = {
    "ARCHITECTURE": "project/architecture",
    "CHANGELOG": "project/changelog",
    "CONTRIBUTING": "project/contributing",
    "GLOSSARY": "project/glossary",
    "README": "index",
    "SECURITY": "project/security",
}
_SOURCES = {page: ROOT / f"{name}.md" for name, page in ROOT_PAGES.items() if page.startswith("project/")}
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#:]+)((?:#[^)\s]*)?)\)")

project = "Jupyter Colophon"
author = "The Jupyter Colophon developers"
copyright = f"2026, {author}"
release = version_of("jupyter-colophon")
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton", "sphinx_design"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_static"]
highlight_language = "none"
default_role = "code"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
add_module_names = False

copybutton_prompt_text = r"\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = project
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": project},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "quickstart": []}


def _read_source(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace a page of docs/project by the file that it shows, and point links at pages of the site."""
    path = DOCS / f"{docname}.md"
    if docname in _SOURCES:
        path = _SOURCES[docname]
        app.env.note_dependency(str(path))
        source[0] = path.read_text()
    here = (DOCS / docname).parent
    source[0] = _LINK.sub(lambda link: _link(link, path.parent, here), source[0])


def _link(link: re.Match[str], written_in: Path, shown_in: Path) -> str:
    """Return a link as the page needs it: to a page of the site, to a file to download, or for a folder its text alone."""
    text, name, fragment = link.groups()
    target = Path(os.path.normpath(written_in / name))
    if target.parent == ROOT and target.suffix == ".md" and target.stem in ROOT_PAGES:
        target = DOCS / f"{ROOT_PAGES[target.stem]}.md"
    if target.is_dir():
        target = target / "README.md"
    if not target.exists():
        return text if target.name == "README.md" else link.group()
    path = os.path.relpath(target, shown_in)
    if target.suffix == ".md" and not target.is_relative_to(DOCS):
        return f"{{download}}`{text} <{path}>`"
    return f"[{text}]({path}{fragment})"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the event of this file."""
    app.connect("source-read", _read_source)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
