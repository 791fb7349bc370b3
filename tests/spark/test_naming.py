"""The names of what Spark touches."""

import pytest
from jupyter_colophon.spark import naming, schema


def urn(platform: str, name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:{platform},{name},PROD)"


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ({"table": "Orders", "database": "Shop", "catalog": "spark_catalog"}, "shop.orders"),
        ({"table": "orders", "database": "shop"}, "shop.orders"),
        ({"table": "orders"}, "default.orders"),
        ({"table": "orders", "database": "shop", "catalog": "Lake"}, "lake/shop.orders"),
        ({"table": "a,b (c)%", "database": "shop"}, "shop.a%2Cb %28c%29%25"),
    ],
)
def test_a_table_is_named_by_database_and_table_in_lower_case(identifier: dict[str, str], name: str) -> None:
    assert naming.table(identifier) == urn("spark", name)


@pytest.mark.parametrize(
    ("location", "platform", "name"),
    [
        ("file:/data/X.parquet", "file", "/data/X.parquet"),
        ("file:///data/x/", "file", "/data/x"),
        ("file:/", "file", "/"),
        ("/data/x", "file", "/data/x"),
        ("file:/data/a,b (1).csv", "file", "/data/a%2Cb %281%29.csv"),
        ("s3a://bucket/k/p", "s3", "bucket/k/p"),
        ("s3://bucket", "s3", "bucket"),
        ("gs://bucket/k", "gcs", "bucket/k"),
        ("abfss://box@account.dfs.core.windows.net/k", "abs", "box/k"),
        ("hdfs://node:8020/data/x", "hdfs", "/data/x"),
    ],
)
def test_a_file_is_named_by_its_place(location: str, platform: str, name: str) -> None:
    assert naming.file(location) == urn(platform, name)


@pytest.mark.parametrize(
    ("location", "place", "part"),
    [
        ("file:/t/day=mon", "file:/t", "/day=mon"),
        ("file:/t/day=mon/hour=3/", "file:/t", "/day=mon/hour=3"),
        ("s3a://bucket/day=mon", "s3a://bucket", "/day=mon"),
        ("/t/v=1.5", "/t", "/v=1.5"),
        ("file:/a=b/t/day=mon", "file:/a=b/t", "/day=mon"),
        ("file:/t/day=mon/x", "file:/t/day=mon/x", ""),
        ("file:/t/a=b.csv.gz", "file:/t/a=b.csv.gz", ""),
        ("file:/t/a=b=c", "file:/t/a=b=c", ""),
        ("file:/t/=b", "file:/t/=b", ""),
        ("file:/t/a=", "file:/t/a=", ""),
        ("file:/day=mon", "file:/day=mon", ""),
    ],
)
def test_the_last_folders_that_are_called_so_are_partitions(location: str, place: str, part: str) -> None:
    assert naming.whole(location) == (place, part)


@pytest.mark.parametrize(
    ("url", "table", "platform", "name"),
    [
        ("jdbc:postgresql://host:5432/db?user=a&password=b", "public.t", "postgres", "db.public.t"),
        ("jdbc:mysql://host/db", "`t`", "mysql", "db.t"),
        ("jdbc:sqlserver://host;databaseName=db;password=x", "dbo.t", "mssql", "db.dbo.t"),
        ("jdbc:oracle:thin:@host:1521:sid", "T", "oracle", "sid.T"),
    ],
)
def test_a_table_behind_jdbc_is_named_by_its_database(url: str, table: str, platform: str, name: str) -> None:
    assert naming.jdbc(url, table) == urn(platform, name)


def test_a_query_over_jdbc_and_a_url_that_is_none_have_no_name() -> None:
    assert naming.jdbc("jdbc:mysql://host/db", "(SELECT 1) AS q") is None
    assert naming.jdbc("http://host/db", "t") is None


def test_a_name_that_fits_no_urn_is_left_out() -> None:
    assert naming.file(f"file:/{'x' * 600}") is None


def test_types_are_written_as_spark_sql_writes_them() -> None:
    nested = {
        "type": "map",
        "keyType": "integer",
        "valueType": {"type": "array", "elementType": {"type": "udt", "sqlType": "short"}, "containsNull": True},
        "valueContainsNull": True,
    }
    assert schema.type_name(nested) == "map<int,array<smallint>>"
