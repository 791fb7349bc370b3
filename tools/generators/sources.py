"""Where generators read the OpenAPI documents. Only this module imports the operations."""

from typing import Any

from jupyter_colophon.operations.native.api import NATIVE
from jupyter_colophon.operations.openapi import OpenApi

Document = dict[str, Any]
#: Generated files do not change with the version of the package.
_VERSION = "1"


def native_document() -> Document:
    """Return the OpenAPI document of the native API."""
    return OpenApi(NATIVE).document(_VERSION)
