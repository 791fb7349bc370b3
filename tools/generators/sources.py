"""Where generators read the OpenAPI documents. Only this module imports the operations."""

from typing import Any

from jupyter_colophon.operations.datahub.api import DATAHUB
from jupyter_colophon.operations.elyra.api import ELYRA
from jupyter_colophon.operations.native.api import NATIVE
from jupyter_colophon.operations.openapi import OpenApiGenerator
from jupyter_colophon.operations.openlineage.api import OPENLINEAGE
from jupyter_colophon.operations.v3.api import V3

Document = dict[str, Any]
#: A constant, so that generated files do not change with the version of the package.
_VERSION = "1"


def build_native_document() -> Document:
    """Return the OpenAPI document of the native API."""
    return OpenApiGenerator(NATIVE).build_document(_VERSION)


def build_documents() -> dict[str, Document]:
    """Return the OpenAPI documents of all APIs, by their prefixes below the server's base URL."""
    return {
        api.prefix: OpenApiGenerator(api).build_document(_VERSION) for api in (NATIVE, V3, DATAHUB, OPENLINEAGE, ELYRA)
    }
