"""OpenLineage's names as ours."""

import pytest
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.core.identity.openlineage_names import Symlink, openlineage_dataset, openlineage_job

IDENTITY = Identity()


@pytest.mark.parametrize(
    ("namespace", "name", "platform", "ours"),
    [
        ("postgres://h:5432", "db.s.t", "postgres", "h:5432/db.s.t"),
        ("postgres://prod", "db.s.t", "postgres", "prod:5432/db.s.t"),
        ("mysql://A,B:3307", "db.t", "mysql", "a:3306,b:3307/db.t"),
        ("mssql://h\\one", "db.s.t", "mssql", "h\\one/db.s.t"),
        ("postgres://[::1]", "db.s.t", "postgres", "[::1]:5432/db.s.t"),
        ("snowflake://org-acc", "DB.S.T", "snowflake", "org-acc/DB.S.T"),
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
def test_the_platform_of_a_dataset_is_the_scheme_of_its_namespace(
    namespace: str, name: str, platform: str, ours: str
) -> None:
    assert openlineage_dataset(namespace, name, IDENTITY) == names.dataset(platform, ours)


@pytest.mark.parametrize(
    ("link", "urn"),
    [
        (Symlink("hive://metastore:9083", "sales.orders"), names.home_dataset("sales", "orders")),
        (Symlink("file:/tmp/warehouse", "sales.orders"), names.home_dataset("sales", "orders")),
        (Symlink("file:/tmp/warehouse", "spark_catalog.sales.orders"), names.home_dataset("sales", "orders")),
        (Symlink("s3a://lake/warehouse", "sales.orders", "table"), names.home_dataset("sales", "orders")),
        (Symlink("file", "/tmp/x.y", "LOCATION"), names.dataset("file", "/tmp/w/orders")),
        (Symlink("awsglue://42", "sales.orders"), names.dataset("file", "/tmp/w/orders")),
        (Symlink("hive://m", "orders"), names.dataset("file", "/tmp/w/orders")),
    ],
)
def test_a_symlink_to_a_table_of_the_catalog_wins_over_the_place_of_its_files(link: Symlink, urn: Urn) -> None:
    assert openlineage_dataset("file", "/tmp/w/orders", IDENTITY, [link]) == urn


def test_two_servers_of_one_platform_are_told_apart_by_a_prefix() -> None:
    identity = Identity(platform_instances=(("postgres://east*", "east"), ("postgres://*", "west")))
    assert openlineage_dataset("postgres://east:5432", "d.s.t", identity) == names.dataset("postgres", "east.d.s.t")
    assert openlineage_dataset("postgres://other", "d.s.t", identity) == names.dataset("postgres", "west.d.s.t")
    assert openlineage_dataset("mysql://east", "d.t", identity) == names.dataset("mysql", "east:3306/d.t")


def test_a_job_belongs_to_the_flow_of_its_engine_and_namespace() -> None:
    assert (
        str(openlineage_job("s3://jobs", "a.b", "Spark"))
        == "urn:li:dataJob:(urn:li:dataFlow:(spark,s3://jobs,PROD),a.b)"
    )
    assert str(openlineage_job("ns (x)", "j")) == "urn:li:dataJob:(urn:li:dataFlow:(openlineage,ns %28x%29,PROD),j)"


@pytest.mark.parametrize(
    ("namespace", "name"), [("", "t"), ("://h", "t"), ("file", ""), ("file", "a\nb"), ("\x00", "t")]
)
def test_names_that_nothing_can_have_are_refused(namespace: str, name: str) -> None:
    with pytest.raises(InvalidName):
        openlineage_dataset(namespace, name, IDENTITY)
    with pytest.raises(InvalidName):
        openlineage_job(namespace.replace("://h", ""), name)
