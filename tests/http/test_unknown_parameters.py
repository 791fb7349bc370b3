"""A query parameter that an operation does not declare is refused by our API, and ignored by those of other products (spec SEC-23)."""

from dataclasses import replace
from typing import Any

import pytest
from support.urns import ORDERS


@pytest.mark.parametrize(
    ("path", "name", "detail"),
    [
        (["entities"], "removed", "unknown parameter 'removed'; did you mean 'includeRemoved'? Known parameters: "),
        (["search"], "Limit", "unknown parameter 'Limit'; did you mean 'limit'? Known parameters: q, "),
        (["entities", ORDERS], "aspect", "unknown parameter 'aspect'; did you mean 'aspects'? Known parameters: "),
        (["runs"], "colour", "unknown parameter 'colour'. Known parameters: program, data, start, end, status, "),
        (["me"], "verbose", "unknown parameter 'verbose'. This operation has no query parameters."),
        (["me"], "x" * 300, f"unknown parameter '{'x' * 200}…'. This operation has no query parameters."),
        (["me"], "1700000000000x", "unknown parameter '1700000000000x'. This operation has no query parameters."),
    ],
)
async def test_unknown_parameter_returns_400_with_known_ones(
    api: Any, sales: None, path: list[str], name: str, detail: str
) -> None:
    answer = await api("GET", *path, params={"q": "orders", name: "1"} if path == ["search"] else {name: "1"})

    assert answer.status == 400
    assert answer.body["type"].endswith(":invalid-query")
    assert answer.body["detail"].startswith(detail)


async def test_unknown_parameter_prevents_the_write(api: Any, sales: None) -> None:
    proposals = {"proposals": [{"urn": ORDERS, "aspect": "status", "operation": "upsert", "value": {"removed": True}}]}

    answer = await api("POST", "proposals", params={"asynch": "true"}, body=proposals)

    assert answer.status == 400
    assert "did you mean 'async'?" in answer.body["detail"]
    assert (await api("GET", "entities", ORDERS, "aspects", "status")).body["value"] == {"removed": False}


async def test_unknown_parameter_returns_403_without_permission(api: Any, jp_serverapp: Any) -> None:
    answer = await api("GET", "me", params={"verbose": "1"}, anonymous=True, documented=False)

    assert answer.status == 403


@pytest.mark.parametrize("parameters", [{"1700000000000": ""}, {"_xsrf": "x"}])
async def test_cache_buster_and_xsrf_parameter_are_accepted(api: Any, parameters: dict[str, str]) -> None:
    assert (await api("GET", "search", params={"q": "*"} | parameters)).status == 200


async def test_token_parameter_authenticates(api: Any, jp_serverapp: Any) -> None:
    token = jp_serverapp.identity_provider.token
    answer = await api("GET", "search", params={"q": "*", "token": token}, anonymous=True)

    assert answer.status == 200


async def test_urn_is_accepted_only_if_path_names_an_entity(api: Any, sales: None) -> None:
    assert (await api("GET", "entities", "-", params={"urn": ORDERS})).status == 200
    assert (await api("GET", "registry", params={"urn": ORDERS})).status == 400


async def test_other_products_apis_ignore_unknown_parameters(
    api: Any, sales: None, elyra: Any, datahub: Any, openlineage: Any, jp_base_url: str
) -> None:
    unknown = {"colour": "red"}
    v3 = replace(api, prefix=f"{jp_base_url}colophon/v3")
    answers = [
        await elyra("GET", "metadata", "code-snippets", params=unknown),
        await v3(
            "GET", "namespaces", "sales", "metadata", "search", params={"query": "orders"} | unknown, documented=False
        ),
        await datahub("GET", "entitiesV2", ORDERS, params=unknown),
        await openlineage("GET", "api", "v1", "search", params={"q": "orders"} | unknown),
    ]

    assert [one.status for one in answers] == [200, 200, 200, 200]
