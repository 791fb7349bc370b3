"""OpenLineage names converted to URNs."""

import pytest
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.identity.openlineage_names import (
    Symlink,
    make_openlineage_dataset_urn,
    make_openlineage_job_urn,
)

IDENTITY = IdentityRules()


@pytest.mark.parametrize(
    ("namespace", "name", "platform", "ours"),
    [
        ("postgres://h:5432", "db.s.t", "postgres", "h:5432/db.s.t"),
        ("postgres://prod", "db.s.t", "postgres", "prod:5432/db.s.t"),
        ("mysql://A,B:3307", "db.t", "mysql", "a:3306,b:3307/db.t"),
        ("mssql://h\\one", "db.s.t", "mssql", "h\\one/db.s.t"),
        ("postgres://[::1]", "db.s.t", "postgres", "[::1]:5432/db.s.t"),
        ("snowflake://org-acc", "DB.S.T", "snowflake", "org-acc/DB.S.T"),
        ("duckdb:///data/shop.duckdb", "shop.main.t", "duckdb", "/data/shop.duckdb.main.t"),
        ("duckdb:///data/shop.duckdb", "t", "duckdb", "/data/shop.duckdb.main.t"),
        ("duckdb://shop.duckdb", "shop.main.t", "duckdb", "shop.main.t"),
        ("sqlite:///data/shop.db", "main.t", "sqlite", "/data/shop.db.t"),
        ("postgres", "db.s.t", "postgres", "db.s.t"),
        ("postgres://", "db.s.t", "postgres", "db.s.t"),
        ("postgres://u:p@h:5432", "db.s.t", "postgres", "db.s.t"),
        ("hive://metastore:9083", "db.t", "hive", "db.t"),
        ("s3://bucket", "k/p", "s3", "bucket/k/p"),
        ("s3a://bucket", "/k/p", "s3", "bucket/k/p"),
        ("gs://bucket", "k", "gcs", "bucket/k"),
        ("abfss://box@account.dfs.core.windows.net", "k", "abs", "box@account.dfs.core.windows.net/k"),
        ("file", "/data/x.parquet", "file", "/data/x.parquet"),
        ("file:/tmp/warehouse", "/tmp/warehouse/t", "file", "/tmp/warehouse/t"),
        ("hdfs://nn", "/a/b", "hdfs", "/a/b"),
        ("hdfs://nn:8020", "/a/b", "hdfs", "/a/b"),
        ("bigquery", "p.d.t", "bigquery", "p.d.t"),
        ("sqlserver://h;database=d", "s.t", "mssql", "s.t"),
        ("kafka://b:9092", "topic", "kafka", "topic"),
        ("Postgres://h", "db.s.t", "postgres", "h:5432/db.s.t"),
        ("arn:aws:glue:eu-1:42", "table/d/t", "arn", "table/d/t"),
        ("my, (lake)", "t", "my, (lake)", "t"),
    ],
)
def test_platform_is_scheme_of_openlineage_namespace(namespace: str, name: str, platform: str, ours: str) -> None:
    assert make_openlineage_dataset_urn(namespace, name, IDENTITY) == names.make_dataset_urn(platform, ours)


@pytest.mark.parametrize(
    ("link", "urn"),
    [
        (Symlink("hive://metastore:9083", "sales.orders"), names.make_home_dataset_urn("sales", "orders")),
        (Symlink("file:/tmp/warehouse", "sales.orders"), names.make_home_dataset_urn("sales", "orders")),
        (Symlink("file:/tmp/warehouse", "spark_catalog.sales.orders"), names.make_home_dataset_urn("sales", "orders")),
        (Symlink("s3a://lake/warehouse", "sales.orders", "table"), names.make_home_dataset_urn("sales", "orders")),
        (Symlink("file", "/tmp/x.y", "LOCATION"), names.make_dataset_urn("file", "/tmp/w/orders")),
        (Symlink("awsglue://42", "sales.orders"), names.make_dataset_urn("file", "/tmp/w/orders")),
        (Symlink("hive://m", "orders"), names.make_dataset_urn("file", "/tmp/w/orders")),
    ],
)
def test_table_symlink_wins_over_file_location(link: Symlink, urn: Urn) -> None:
    assert make_openlineage_dataset_urn("file", "/tmp/w/orders", IDENTITY, [link]) == urn


def test_platform_instances_prefix_dataset_names() -> None:
    identity = IdentityRules(platform_instances=(("postgres://east*", "east"), ("postgres://*", "west")))
    assert make_openlineage_dataset_urn("postgres://east:5432", "d.s.t", identity) == names.make_dataset_urn(
        "postgres", "east.d.s.t"
    )
    assert make_openlineage_dataset_urn("postgres://other", "d.s.t", identity) == names.make_dataset_urn(
        "postgres", "west.d.s.t"
    )
    assert make_openlineage_dataset_urn("mysql://east", "d.t", identity) == names.make_dataset_urn(
        "mysql", "east:3306/d.t"
    )


def test_job_belongs_to_flow_of_engine_and_namespace() -> None:
    assert (
        str(make_openlineage_job_urn("s3://jobs", "a.b", "Spark"))
        == "urn:li:dataJob:(urn:li:dataFlow:(spark,s3://jobs,PROD),a.b)"
    )
    assert (
        str(make_openlineage_job_urn("ns (x)", "j"))
        == "urn:li:dataJob:(urn:li:dataFlow:(openlineage,ns %28x%29,PROD),j)"
    )


@pytest.mark.parametrize(
    ("namespace", "name"), [("", "t"), ("://h", "t"), ("file", ""), ("file", "a\nb"), ("\x00", "t")]
)
def test_impossible_names_raise_invalid_name(namespace: str, name: str) -> None:
    with pytest.raises(InvalidName):
        make_openlineage_dataset_urn(namespace, name, IDENTITY)
    with pytest.raises(InvalidName):
        make_openlineage_job_urn(namespace.replace("://h", ""), name)
