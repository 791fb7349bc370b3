"""How Spark reads the whole of what a sample was read from: as a stage of a pipeline, or in a cell."""

import re
from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.apps import BadRequest, ServiceContext, ServiceRequest
from jupyter_colophon.apps.dataprep.recipes import run_recipe
from jupyter_colophon.apps.dataprep.workspaces import read_sample_of_workspace
from jupyter_colophon.wrangling.path_patterns import PATTERN_PROBLEM, has_pattern_characters

_FORMATS: Final = {"tsv": "csv", "jsonl": "json"}
_DRIVERS: Final = {"postgresql": "org.postgresql.Driver", "sqlite": "org.sqlite.JDBC"}
_DDL: Final = {"integer": "BIGINT", "double": "DOUBLE", "boolean": "BOOLEAN"}
#: The columns of the stage `kafka`, from those of Spark.
_MESSAGE: Final = (
    "CAST(key AS STRING) AS key",
    "CAST(value AS STRING) AS value",
    "topic",
    "partition",
    "offset",
    "timestamp",
)


def describe_source_stage(
    context: ServiceContext, request: ServiceRequest, source: Mapping[str, Any]
) -> tuple[str, dict[str, Any], dict[str, str]]:
    """Return the plugin of a source stage, its properties, and arguments of the pipeline. Raises BadRequest."""
    if source.get("type") == "jdbc":
        table = source["table"].replace("${", "$${")
        properties = {"url": source["url"], "table": table, "driver": _get_driver(source)}
        properties |= {"user": source["user"]} if "user" in source else {}
        variable = _get_variable(source)
        return "jdbc", properties | ({"password_from": variable} if variable else {}), {}
    if source.get("type") == "kafka":
        schema = _build_schema_of_messages(context, request, source)
        options, variables = _build_kafka_options(source)
        optional = {"options": options, "options_from": variables, "schema": schema}
        properties = {"servers": source["servers"], "topic": source["path"]}
        return "kafka", properties | {name: value for name, value in optional.items() if value}, {}
    format_, options, schema = _describe_file(context, request, source)
    read = {"path": "${source}", "format": format_, "options": options, **({"schema": schema} if schema else {})}
    return "file", read, {"source": source["file"]}


def write_spark_read(context: ServiceContext, request: ServiceRequest, source: Mapping[str, Any]) -> list[str]:
    """Return the lines of code that assign `data`. Raises BadRequest."""
    variable = _get_variable(source)
    if source.get("type") == "jdbc":
        options = {"url": source["url"], "dbtable": source["table"], "driver": _get_driver(source)}
        options |= {"user": source["user"]} if "user" in source else {}
        password = f".option('password', os.environ[{variable!r}])" if variable else ""
        return [f"data = spark.read.format('jdbc').options(**{options!r}){password}.load()"]
    if source.get("type") == "kafka":
        schema = _build_schema_of_messages(context, request, source)
        options, _ = _build_kafka_options(source)
        options |= {"kafka.bootstrap.servers": source["servers"], "subscribe": source["path"]}
        login = f".option('kafka.sasl.jaas.config', os.environ[{variable!r}])" if variable else ""
        lines = [
            f"data = spark.read.format('kafka').options(**{options!r}){login}.load()",
            f"data = data.selectExpr(*{_MESSAGE!r})",
        ]
        parsed = f"data = data.selectExpr({f'from_json(value, {_quote_sql(schema)}) AS parsed'!r}).select('parsed.*')"
        return [*lines, parsed] if schema else lines
    format_, options, schema = _describe_file(context, request, source)
    schema_code = f".schema({schema!r})" if schema else ""
    return [f"data = spark.read.format({format_!r}).options(**{options!r}){schema_code}.load({source['file']!r})"]


def get_delimiter(source: Mapping[str, Any]) -> str:
    """Return what separates the values of a file. Earlier versions did not store it."""
    return str(source.get("delimiter", "\t" if source["format"] == "tsv" else ","))


def _get_driver(source: Mapping[str, Any]) -> str:
    """Return the class of the driver: Java finds none by the URL alone if it is in a jar that Spark has downloaded."""
    return _DRIVERS[source["url"].split(":")[1]]


def _get_variable(source: Mapping[str, Any]) -> str:
    """Return the environment variable from which a run takes the password; empty without one."""
    name = source.get("passwordSecret", "")
    return "COLOPHON_SECRET_" + re.sub(r"[^A-Za-z0-9]", "_", name).upper() if name else ""


def _build_kafka_options(source: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return options of Spark's data source, and options by environment variables."""
    if source.get("security", "PLAINTEXT") == "PLAINTEXT":
        return {}, {}
    options = {"kafka.security.protocol": source["security"]}
    options |= {"kafka.sasl.mechanism": source["mechanism"]} if "mechanism" in source else {}
    variable = _get_variable(source)
    return options, {"kafka.sasl.jaas.config": variable} if variable else {}


def _build_schema_of_messages(context: ServiceContext, request: ServiceRequest, source: Mapping[str, Any]) -> str:
    """Return the columns of messages that are JSON objects; empty for texts. Raises BadRequest for CSV."""
    if source["format"] == "csv":
        raise BadRequest(
            "the stage kafka reads no CSV: sample the topic with the format text, and split the column value by a directive"
        )
    if source["format"] == "text":
        return ""
    page = run_recipe(context, request.path["workspace"], "", kind="rows", offset=0, limit=1)
    return ", ".join(
        f"`{column['name'].replace('`', '``')}` {_DDL.get(column['type'], 'STRING')}" for column in page["columns"]
    )


def _quote_sql(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _describe_file(
    context: ServiceContext, request: ServiceRequest, source: Mapping[str, Any]
) -> tuple[str, dict[str, str], str]:
    """Return the format, the options and the schema with which Spark reads a file. Raises BadRequest."""
    if has_pattern_characters(source["file"]):
        raise BadRequest(f"{source['file'][:200]!r} {PATTERN_PROBLEM}: rename the file, or make a cell for pandas")
    format_ = source["format"]
    options: dict[str, str] = {} if format_ == "parquet" else {"encoding": source["encoding"]}
    schema = ""
    if format_ in ("csv", "tsv"):
        options |= {"header": str(source["header"]).lower(), "multiLine": "true", "escape": '"'}
        delimiter = get_delimiter(source)
        options |= {"sep": delimiter} if delimiter != "," else {}
        if not source["header"]:
            columns = read_sample_of_workspace(context, request.path["workspace"]).columns
            schema = ", ".join(f"`{name.replace('`', '``')}` STRING" for name in columns)
    if format_ == "json":
        options["multiLine"] = "true"
    return _FORMATS.get(format_, format_), options, schema
