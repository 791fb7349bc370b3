"""Where the targets of dbt have their tables, and that other clients name them in the same way."""

from typing import Any

import pytest
from jupyter_colophon.capture.names.dataset_names import build_jdbc_urn, build_table_urn
from jupyter_colophon.core.dbt.artifacts import DbtArtifacts
from jupyter_colophon.core.dbt.connections import UnknownConnection, find_connection
from jupyter_colophon.core.dbt.nodes import DbtNode, read_nodes
from jupyter_colophon.core.dbt.profiles import render_template, select_target
from jupyter_colophon.core.dbt.runs import describe_failure
from jupyter_colophon.core.identity.names import IdentityRules

_IDENTITY = IdentityRules()


def _read_node(adapter: str, **members: Any) -> DbtNode:
    node = {"resource_type": "model", "name": "orders", "alias": "orders"} | members
    manifest = {"metadata": {"adapter_type": adapter, "project_name": "shop"}, "nodes": {"model.shop.orders": node}}
    return read_nodes(DbtArtifacts(manifest, None, None))["model.shop.orders"]


def _make_urn(adapter: str, settings: dict[str, Any], **place: str) -> str:
    connection = find_connection(adapter, settings, "/projects/shop", lambda text: text)
    return str(connection.make_dataset_urn(_read_node(adapter, **place), _IDENTITY))


@pytest.mark.parametrize(
    ("adapter", "settings", "database", "schema", "url", "table"),
    [
        ("postgres", {"host": "Prod", "port": 5433}, "shop", "public", "jdbc:postgresql://prod:5433/shop", "public.orders"),
        ("postgres", {"host": "prod"}, "shop", "public", "jdbc:postgresql://prod/shop", "public.orders"),
        (
            "redshift",
            {"host": "prod.abc123.eu-west-1.redshift.amazonaws.com", "port": 5439},
            "shop",
            "public",
            "jdbc:redshift://prod.abc123.eu-west-1.redshift.amazonaws.com:5439/shop",
            "public.orders",
        ),
        (
            "snowflake",
            {"account": "org-acc"},
            "SHOP",
            "PUBLIC",
            "jdbc:snowflake://org-acc.snowflakecomputing.com/?db=SHOP&schema=PUBLIC",
            "ORDERS",
        ),
        ("duckdb", {"path": "data/shop.duckdb"}, "shop", "main", "jdbc:duckdb:/projects/shop/data/shop.duckdb", "orders"),
        ("sqlite", {"schemas_and_paths": {"main": "shop.db"}}, "database", "main", "jdbc:sqlite:/projects/shop/shop.db", "orders"),
        ("mysql", {"server": "prod"}, "", "shop", "jdbc:mysql://prod/shop", "orders"),
        ("sqlserver", {"server": "prod", "port": 1433}, "shop", "dbo", "jdbc:sqlserver://prod;databaseName=shop", "dbo.orders"),
        ("trino", {"host": "prod", "port": 443}, "hive", "shop", "jdbc:trino://prod:443/hive/shop", "orders"),
        ("clickhouse", {"host": "prod", "port": 8123}, "", "shop", "jdbc:clickhouse://prod/shop", "orders"),
        (
            "databricks",
            {"host": "dbc-1.cloud.databricks.com"},
            "main",
            "shop",
            "jdbc:databricks://dbc-1.cloud.databricks.com:443;ConnCatalog=main;ConnSchema=shop",
            "orders",
        ),
    ],
)  # fmt: skip
def test_a_table_is_the_one_that_spark_reads_over_jdbc(
    adapter: str, settings: dict[str, Any], database: str, schema: str, url: str, table: str
) -> None:
    assert _make_urn(adapter, settings, database=database, schema=schema) == build_jdbc_urn(url, table)


def test_a_table_of_spark_is_the_one_in_its_catalog() -> None:
    urn = build_table_urn({"database": "sales", "table": "orders"})
    assert _make_urn("spark", {"host": "thrift", "method": "thrift"}, schema="Sales") == urn


@pytest.mark.parametrize(
    ("relation", "name"),
    [
        ("shop.public.orders", "org-acc/SHOP.PUBLIC.ORDERS"),
        ('shop."Public"."or""ders"', 'org-acc/SHOP.Public.or"ders'),
        (None, "org-acc/SHOP.PUBLIC.ORDERS"),
    ],
)
def test_names_without_quotes_are_in_upper_case_in_snowflake(relation: str | None, name: str) -> None:
    place: dict[str, Any] = {"database": "shop", "schema": "public", "relation_name": relation}
    assert (
        _make_urn("snowflake", {"account": "org-acc"}, **place)
        == f"urn:li:dataset:(urn:li:dataPlatform:snowflake,{name},PROD)"
    )


@pytest.mark.parametrize(
    ("adapter", "settings", "place", "name"),
    [
        ("bigquery", {"project": "p"}, {"database": "p", "schema": "d"}, "bigquery,p.d.orders"),
        ("athena", {"region_name": "eu-west-1"}, {"database": "c", "schema": "d"}, "athena,c.d.orders"),
        (
            "duckdb",
            {"path": "/a.duckdb", "attach": [{"path": "/b.duckdb", "alias": "b"}]},
            {"database": "b", "schema": "raw"},
            "duckdb,/b.duckdb.raw.orders",
        ),
    ],
)
def test_other_adapters_follow_openlineage(
    adapter: str, settings: dict[str, Any], place: dict[str, str], name: str
) -> None:
    assert _make_urn(adapter, settings, **place) == f"urn:li:dataset:(urn:li:dataPlatform:{name},PROD)"


@pytest.mark.parametrize(
    ("adapter", "settings", "message"),
    [
        ("postgres", {}, "has no `host`"),
        ("snowflake", {}, "has no `account`"),
        ("sqlite", {}, "has no `schemas_and_paths`"),
        ("duckdb", {"path": ":memory:"}, "in memory"),
        ("teradata", {}, "unknown here"),
    ],
)
def test_a_target_without_a_place_is_refused(adapter: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UnknownConnection, match=message):
        find_connection(adapter, settings, "/", lambda text: text)


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("{{ env_var('HOST') }}", "prod"),
        ('{{ env_var("NONE", "db") }}:{{env_var("PORT")|int}}', "db:5433"),
        ("{{- env_var('PORT', '1') | as_number -}}", "5433"),
        ("plain", "plain"),
    ],
)
def test_environment_variables_of_a_profile_are_read(text: str, rendered: str) -> None:
    assert render_template(text, {"HOST": "prod", "PORT": "5433"}) == rendered


@pytest.mark.parametrize(
    ("profile", "target", "selected"), [("shop", "", "prod"), ("shop", "dev", "dev"), ("", "", "prod")]
)
def test_the_target_of_a_profile_is_selected(profile: str, target: str, selected: str) -> None:
    text = (
        "config: {}\nshop:\n  target: \"{{ env_var('TARGET', 'prod') }}\"\n  outputs: {dev: {type: a}, prod: {type: b}}"
    )
    assert select_target(text, profile, target, {})[0] == selected


@pytest.mark.parametrize(
    ("message", "described"),
    [
        (
            "Runtime Error in model m (m.sql)\n  Conversion Error: Could not convert string 'ada' to INT32",
            "Runtime Error in model m (m.sql): Conversion Error",
        ),
        ("Database Error in model m (m.sql)\n  division by zero", "Database Error in model m (m.sql)"),
        ("Database Error in model m\n  Key (id)=(5) already exists: x", "Database Error in model m"),
        ("invalid input 'ada'", ""),
        (None, ""),
    ],
)
def test_a_failure_is_described_without_values(message: str | None, described: str) -> None:
    assert describe_failure(message) == described
