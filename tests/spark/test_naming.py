"""Names of the datasets that Spark reads and writes."""

import pytest
from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.spark.plans import schema


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
def test_table_name_is_lower_case_database_and_table(identifier: dict[str, str], name: str) -> None:
    assert dataset_names.build_table_urn(identifier) == urn("spark", name)


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
        ("s3a://key:hunter2@bucket/k", "s3", "bucket/k"),
        ("abfss://box:hunter2@account.dfs.core.windows.net/k", "abs", "box/k"),
        ("wasbs://box@account.blob.core.windows.net/k?sv=1&sig=hunter2", "abs", "box/k"),
        ("https://bob:hunter2@host/k?token=hunter2", "https", "/k"),
    ],
)
def test_file_is_named_by_its_path(location: str, platform: str, name: str) -> None:
    assert dataset_names.build_file_urn(location) == urn(platform, name)


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
def test_trailing_key_value_folders_are_partitions(location: str, place: str, part: str) -> None:
    assert dataset_names.split_partition_folders(location) == (place, part)


SECRET = "hunter2"


@pytest.mark.parametrize("location", ["s3a://key:hunter2/x@bucket/k", "mongodb://bob:hunter2/x@host/k"])
def test_location_that_may_contain_secret_has_no_name(location: str) -> None:
    assert dataset_names.build_file_urn(location) is None
    assert dataset_names.strip_credentials(location) is None


@pytest.mark.parametrize(
    ("url", "table", "platform", "name"),
    [
        ("jdbc:postgresql://Host:5433/db?user=a&password=hunter2", "public.t", "postgres", "host:5433/db.public.t"),
        ("jdbc:postgresql://prod/shop", "t", "postgres", "prod:5432/shop.public.t"),
        ("jdbc:postgresql://staging/shop", '"public"."t"', "postgres", "staging:5432/shop.public.t"),
        ("jdbc:postgresql://bob:hunter2@h1,h2:99/db", "t", "postgres", "h1:5432%2Ch2:99/db.public.t"),
        ("jdbc:postgresql:db?password=hunter2", "t", "postgres", "localhost:5432/db.public.t"),
        ("jdbc:postgresql://[::1]:5432/db", "t", "postgres", "[::1]:5432/db.public.t"),
        ("jdbc:postgresql://prod/shop?currentSchema=raw,public", "t", "postgres", "prod:5432/shop.raw.t"),
        ("jdbc:postgresql://host/db", "other.public.t", "postgres", "host:5432/other.public.t"),
        ("jdbc:mysql://bob:hunter2@host/db", "`t`", "mysql", "host:3306/db.t"),
        ("jdbc:mysql:loadbalance://h1,h2/db?user=bob&password=p@hunter2", "t", "mysql", "h1:3306%2Ch2:3306/db.t"),
        ("jdbc:mysql://host/db", "other.t", "mysql", "host:3306/other.t"),
        ("jdbc:mysql://host/", "other.t", "mysql", "host:3306/other.t"),
        ("jdbc:mariadb://host:3307/db", "t", "mariadb", "host:3307/db.t"),
        ("jdbc:sqlserver://host;databaseName=db;password=hunter2", "dbo.t", "mssql", "host:1433/db.dbo.t"),
        ("jdbc:sqlserver://host:99;password={hunter2;a=b};database=db", "dbo.t", "mssql", "host:99/db.dbo.t"),
        ("jdbc:sqlserver://host\\Prod;databaseName=db", "dbo.t", "mssql", "host\\prod/db.dbo.t"),
        ("jdbc:sqlserver://;serverName=host;instanceName=p;databaseName=db", "dbo.t", "mssql", "host\\p/db.dbo.t"),
        ("jdbc:jtds:sqlserver://host:1433/db;user=bob;password=hunter2", "dbo.t", "mssql", "host:1433/db.dbo.t"),
        ("jdbc:oracle:thin:@host:1521:sid", "T", "oracle", "host:1521/sid.T"),
        ("jdbc:oracle:thin:scott/hunter2@//Host/shop", "APP.T", "oracle", "host:1521/shop.APP.T"),
        ("jdbc:oracle:thin:scott/hunter2@host:1522/shop:dedicated/x", "APP.T", "oracle", "host:1522/shop.APP.T"),
        ("jdbc:oracle:thin:@tcps://host:2484/shop?wallet_location=/w", "APP.T", "oracle", "host:2484/shop.APP.T"),
        ("jdbc:oracle:thin:scott/hunter2@PROD", "APP.T", "oracle", "PROD/APP.T"),
        ('jdbc:oracle:thin:scott/"hun@ter2"@PROD', "APP.T", "oracle", "PROD/APP.T"),
        (
            "jdbc:oracle:oci:scott/hunter2@(DESCRIPTION=(ADDRESS=(PROTOCOL=tcp)(HOST=h)(PORT=1526))"
            "(CONNECT_DATA=(SERVICE_NAME=shop)))",
            "APP.T",
            "oracle",
            "h:1526/shop.APP.T",
        ),
        ("jdbc:db2://host:50001/DB:user=bob;password=hunter2;", "S.T", "db2", "host:50001/DB.S.T"),
        ("jdbc:teradata://host/USER=bob,PASSWORD=hunter2,DATABASE=shop", "t", "teradata", "host:1025/shop.t"),
        ("jdbc:teradata://host/DBS_PORT=99,PASSWORD='a,hunter2'", "shop.t", "teradata", "host:99/shop.t"),
        (
            "jdbc:snowflake://org-acc.snowflakecomputing.com/?user=bob&password=hunter2&db=SHOP&schema=PUBLIC",
            "T",
            "snowflake",
            "org-acc/SHOP.PUBLIC.T",
        ),
        (
            "jdbc:redshift://prod.abc123.eu-west-1.redshift.amazonaws.com:5439/shop?password=hunter2",
            "public.t",
            "redshift",
            "prod.eu-west-1:5439/shop.public.t",
        ),
        ("jdbc:redshift:iam://host:5440/shop", "public.t", "redshift", "host:5440/shop.public.t"),
        ("jdbc:trino://host:443/hive/shop?user=bob&password=hunter2", "t", "trino", "host:443/hive.shop.t"),
        ("jdbc:trino://host/hive/shop", "other.t", "trino", "host:8080/hive.other.t"),
        ("jdbc:clickhouse://host?password=hunter2", "t", "clickhouse", "host:8123/default.t"),
        ("jdbc:ch:https://bob:hunter2@host:8443/shop", "t", "clickhouse", "host:8443/shop.t"),
        (
            "jdbc:hive2://h1:10000,h2:10001/shop;user=bob;password=hunter2?a=b#c=d",
            "t",
            "hive",
            "h1:10000%2Ch2:10001/shop.t",
        ),
        ("jdbc:sqlite:/data/shop.db?password=hunter2", "t", "sqlite", "/data/shop.db.t"),
        ("jdbc:h2:file:/data/shop;USER=sa;PASSWORD=hunter2", "PUBLIC.T", "h2", "/data/shop.PUBLIC.T"),
        ("jdbc:h2:tcp://host/shop;PASSWORD=hunter2", "PUBLIC.T", "h2", "host:9092/shop.PUBLIC.T"),
        ("jdbc:derby:/data/shop;create=true;password=hunter2", "APP.T", "derby", "/data/shop.APP.T"),
        ("jdbc:derby://host/shop;password=hunter2", "APP.T", "derby", "host:1527/shop.APP.T"),
        ("jdbc:derby:memory:shop;password=hunter2", "T", "derby", "shop.T"),
        ("jdbc:duckdb:/data/shop.duckdb", "main.t", "duckdb", "/data/shop.duckdb.main.t"),
        ("jdbc:duckdb:/data/shop.duckdb", "t", "duckdb", "/data/shop.duckdb.main.t"),
        ("jdbc:duckdb:/data/shop.duckdb", "shop.raw.t", "duckdb", "/data/shop.duckdb.raw.t"),
        ("jdbc:sqlite:/data/shop.db", "main.t", "sqlite", "/data/shop.db.t"),
        ("jdbc:newdb://bob:hunter2@host:12/shop?password=hunter2", "a.t", "newdb", "host:12/shop.a.t"),
    ],
)
def test_jdbc_table_is_named_by_server_and_database(url: str, table: str, platform: str, name: str) -> None:
    assert dataset_names.build_jdbc_urn(url, table) == urn(platform, name)
    assert SECRET not in name


@pytest.mark.parametrize(
    "url",
    [
        "http://host/db",
        "jdbc:postgresql://bob:hunter2/x@host/db",
        "jdbc:postgresql://bob:123/hunter2@host/db",
        "jdbc:postgresql://bob:123?hunter2@host/db",
        "jdbc:postgresql://bob:p@hunter2?x=1@host/db",
        "jdbc:postgresql://host",
        "jdbc:mysql://address=(host=h)(user=bob)(password=hunter2)/db",
        "jdbc:sqlserver://bob:hunter2@host;databaseName=db",
        "jdbc:oracle:thin:scott/hun@ter2@host:1521/shop",
        "jdbc:oracle:thin:scott/hunter2",
        "jdbc:oracle:thin:@ldap://host/cn=x,dc=hunter2",
        "jdbc:db2:alias",
        "jdbc:sqlite::memory:",
        "jdbc:h2:mem:",
        "jdbc:h2:zip:/x.zip!/db",
        "jdbc:bigquery://https://host/v2:443;ProjectId=p;OAuthPvtKey=hunter2",
        "jdbc:newdb:hunter2",
        "jdbc:newdb://host/hunter2@x",
    ],
)
def test_ambiguous_jdbc_url_has_no_name(url: str) -> None:
    assert dataset_names.build_jdbc_urn(url, "t") is None


def test_jdbc_query_has_no_name() -> None:
    assert dataset_names.build_jdbc_urn("jdbc:mysql://host/db", "(SELECT 1) AS q") is None


def test_too_long_name_has_no_urn() -> None:
    assert dataset_names.build_file_urn(f"file:/{'x' * 600}") is None


def test_types_are_formatted_as_spark_sql() -> None:
    nested = {
        "type": "map",
        "keyType": "integer",
        "valueType": {"type": "array", "elementType": {"type": "udt", "sqlType": "short"}, "containsNull": True},
        "valueContainsNull": True,
    }
    assert schema.format_type(nested) == "map<int,array<smallint>>"
