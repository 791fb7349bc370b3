"""Where generators read the OpenAPI documents. Only this module imports the server."""

from typing import Any

from jupyter_colophon.http.native.description import document as native

Document = dict[str, Any]
#: Generated files do not change with the version of the package.
_VERSION = "1"


def native_document() -> Document:
    """Return the OpenAPI document of the native API."""
    return native(_VERSION)
