"""The document of `/colophon/v3` is valid and complete, and matches the server's answers."""

import re
from typing import Any

from openapi_spec_validator import OpenAPIV31SpecValidator, validate
from support import openapi_contract

METHODS = ("get", "post", "put", "delete")


def test_document_is_openapi_3_1() -> None:
    validate(openapi_contract.V3.document, cls=OpenAPIV31SpecValidator)


async def test_document_is_served_with_the_url_of_the_api(v3: Any, jp_base_url: str) -> None:
    found = (await v3("GET", "openapi.json")).body
    assert found["servers"] == [{"url": f"{jp_base_url}colophon/v3"}]
    assert found["paths"] == openapi_contract.V3.document["paths"]


def test_every_operation_has_id_summary_and_path_parameters() -> None:
    found = [
        (path, item[method])
        for path, item in openapi_contract.V3.document["paths"].items()
        for method in METHODS
        if method in item
    ]
    ids = [operation["operationId"] for _, operation in found]
    assert len(ids) == len(set(ids)) > 40
    for path, operation in found:
        assert operation["summary"], path
        in_path = [parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "path"]
        assert in_path == re.findall(r"\{([a-z]+)\}", path)
        assert all(parameter["description"].endswith(".") for parameter in operation["parameters"]), path
