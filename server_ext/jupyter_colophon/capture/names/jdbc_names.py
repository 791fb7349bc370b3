"""Names of JDBC tables by OpenLineage's naming specification: host, port and database, never credentials.

A URL is parsed by the rules of its driver. A URL that does not match has no name: a part of a password that contains `/` or
`@` must not be mistaken for a host or a database.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from jupyter_colophon.core.identity.database_names import (
    DEFAULT_PORTS,
    FILE_DATABASES,
    make_file_table_name,
    shorten_redshift_server,
)

_URL: Final = re.compile(r"jdbc:(?P<driver>[a-z0-9+-]{1,32}):(?P<rest>[^\x00-\x1f]{1,4096})", re.IGNORECASE)
_OF_CONNECTION: Final = re.compile(r"\A[a-z0-9+-]{1,20}:(?=//)", re.IGNORECASE)
_PLACE: Final = re.compile(r"//(?P<authority>[^/?;#]*)(?P<path>[^?;#:]*)(?P<more>.*)")
_HOST: Final = re.compile(r"(?P<host>[A-Za-z0-9._-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::(?P<port>\d{1,5}))?")
_INSTANCE: Final = re.compile(
    r"(?P<host>[A-Za-z0-9._-]{1,255})?(?:\\(?P<instance>[\w$-]{1,64}))?(?::(?P<port>\d{1,5}))?"
)
_WORD: Final = re.compile(r"[\w$ .-]{1,255}")
_FILE: Final = re.compile(r"[^?;@#\"'<>|*=]{1,1024}")
_TABLE: Final = re.compile(r'[\w$`"\[\].]+')
_ORACLE: Final = re.compile(r"(?:thin|oci8?):(?P<user>[^@]*)@(?P<at>[^@]*)", re.IGNORECASE)
_ORACLE_SERVICE: Final = re.compile(
    r"(?:(?:tcps?:)?//)?(?P<hosts>[^/?:@]+(?::\d{1,5})?)(?::(?P<sid>[\w$.-]+)|/(?P<service>[\w$.-]+)(?:[:/][\w$:/.-]*)?)(?:\?.*)?",
    re.IGNORECASE,
)
_ORACLE_ALIAS: Final = re.compile(r"(?P<alias>[A-Za-z][\w.-]{0,254})(?:\?.*)?")
_ORACLE_PART: Final = re.compile(r"\((HOST|PORT|SID|SERVICE_NAME)=([A-Za-z0-9._$-]{1,255})\)", re.IGNORECASE)

Properties: TypeAlias = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class JdbcDatabase:
    """A database: its platform, its server (`host:port`; empty for a file), and the qualifiers of a table name.

    `levels` is the number of parts of a full table name; the parts of a qualified table name replace the last of `name_parts`.
    `schema` is that of a table whose name has none, "" if it differs from user to user.
    """

    platform: str
    authority: str
    name_parts: tuple[str, ...]
    levels: int = 3
    schema: str = ""

    def format_full_table_name(self, table: str) -> str | None:
        """Return the full name of a table; None for a query, or if the database is unknown."""
        if _TABLE.fullmatch(table.strip()) is None:
            return None
        parts = [part for part in re.sub(r'[`"\[\]]', "", table.strip()).split(".") if part]
        if len(parts) == 1 and self.schema:
            parts = [self.schema, *parts]
        missing = max(0, self.levels - len(parts))
        if not parts or (missing and not self.name_parts):
            return None
        if self.platform in FILE_DATABASES:
            return make_file_table_name(self.platform, self.name_parts[0], parts)
        name = ".".join((*self.name_parts[:missing], *parts))
        return f"{self.authority}/{name}" if self.authority else name


def parse_jdbc_url(url: str) -> JdbcDatabase | None:
    """Return the database of a JDBC URL; None if it cannot be parsed with certainty."""
    match = _URL.fullmatch(url.strip())
    if match is None:
        return None
    driver = match["driver"].lower()
    url_rest = _OF_CONNECTION.sub("", match["rest"]) if driver in _SERVERS else match["rest"]
    if driver in _DRIVERS:
        return _DRIVERS[driver](url_rest)
    return _parse_server_url(_SERVERS.get(driver, _Server(driver, levels=9)), url_rest)


@dataclass(frozen=True, slots=True)
class _Server:
    """How URLs of the form `//host:port/database` of a driver are parsed.

    `properties` name database and schema, and override the path; `default` is the database if none is given, and `schema` the
    schema unless the property `currentSchema` lists others.
    """

    platform: str
    levels: int = 3
    properties: tuple[str, ...] = ()
    default: str = ""
    separators: str = "?&;#:"
    schema: str = ""

    @property
    def port(self) -> int | None:
        """Return the default port."""
        return DEFAULT_PORTS.get(self.platform)


def _parse_server_url(server: _Server, url_rest: str) -> JdbcDatabase | None:
    place = _PLACE.fullmatch(url_rest)
    if place is None or ("@" in place["authority"] and "@" in place["path"] + place["more"]):
        return None
    authority = _parse_authority(place["authority"], server.port)
    path, more = place["path"].strip("/"), place["more"]
    if server.separators == ",":  # Teradata has properties in the path.
        path, more = "", f"{path}{more}"
    properties = _parse_properties(more, server.separators)
    if authority is None or properties is None:
        return None
    named = [properties[name] for name in server.properties if name in properties]
    words = tuple(word for word in named or path.split("/") if word) or tuple(filter(None, [server.default]))
    if not all(map(_WORD.fullmatch, words)):
        return None
    schema = properties.get("currentschema", "").split(",")[0].strip().strip('"') or server.schema
    return JdbcDatabase(server.platform, authority, words, server.levels, schema)


def _parse_authority(text: str, port: int | None) -> str | None:
    """Return the hosts with their ports, without the user."""
    hosts = [_HOST.fullmatch(host) for host in text.rpartition("@")[2].split(",")]
    names = [_append_port(host["host"], host["port"] or port) for host in hosts if host is not None]
    return ",".join(names) if len(names) == len(hosts) else None


def _append_port(host: str, port: object) -> str:
    return f"{host.lower()}:{port}" if port else host.lower()


def _parse_properties(text: str, separators: str) -> dict[str, str] | None:
    """Return properties by lower-case name; None if one is invalid."""
    pieces = re.findall(rf"(?:\{{[^}}]*\}}|'[^']*'|[^{re.escape(separators)}])+", text)
    pairs = [piece.partition("=") for piece in pieces if piece.strip()]
    if not all(sign and name.strip() for name, sign, _ in pairs):
        return None
    return {name.strip().lower(): value.strip().strip("{}'") for name, _, value in pairs}


def _parse_postgres(url_rest: str) -> JdbcDatabase | None:
    server = _SERVERS["postgresql"]
    return _parse_server_url(server, url_rest if url_rest.startswith("//") else f"//localhost/{url_rest}")


def _parse_redshift(url_rest: str) -> JdbcDatabase | None:
    database = _parse_server_url(_Server("redshift", schema="public"), _OF_CONNECTION.sub("", url_rest))
    if database is None:
        return None
    return replace(database, authority=shorten_redshift_server(database.authority))


def _parse_snowflake(url_rest: str) -> JdbcDatabase | None:
    database = _parse_server_url(_Server("snowflake", properties=("db", "schema")), url_rest)
    if database is None:
        return None
    return JdbcDatabase(
        "snowflake", database.authority.partition(":")[0].removesuffix(".snowflakecomputing.com"), database.name_parts
    )


def _parse_teradata(url_rest: str) -> JdbcDatabase | None:
    database = _parse_server_url(_Server("teradata", 2, ("database",), separators=","), url_rest)
    port = re.search(r"[/,]\s*DBS_PORT\s*=\s*(\d{1,5})\s*(?:,|$)", url_rest, re.IGNORECASE)
    if database is None:
        return None
    host, usual = database.authority.rpartition(":")[0], database.authority
    return JdbcDatabase(
        "teradata", _append_port(host, port[1]) if port else usual, database.name_parts, database.levels
    )


def _parse_sql_server(url_rest: str) -> JdbcDatabase | None:
    place, _, more = url_rest.removeprefix("//").partition(";")
    at, properties = _INSTANCE.fullmatch(place.rstrip("/")), _parse_properties(more, ";")
    if at is None or properties is None:
        return None
    host = at["host"] or properties.get("servername") or properties.get("server") or "localhost"
    port = at["port"] or properties.get("portnumber") or properties.get("port")
    instance = at["instance"] or properties.get("instancename") or properties.get("instance")
    words = tuple(properties[name] for name in ("databasename", "database") if name in properties)[:1]
    whole = f"{host}\\{instance}" if instance and not port else f"{host}:{port or DEFAULT_PORTS['mssql']}"
    if _INSTANCE.fullmatch(whole) is None or not all(map(_WORD.fullmatch, words)):
        return None
    return JdbcDatabase("mssql", whole.lower(), words)


def _parse_jtds(url_rest: str) -> JdbcDatabase | None:
    match = re.fullmatch(r"sqlserver:(//[^/;]+)(?:/([^;]*))?(;.*)?", url_rest, re.IGNORECASE)
    if match is None:
        return None
    return _parse_sql_server(f"{match[1]}{f';database={match[2]}' if match[2] else ''}{match[3] or ''}")


def _parse_oracle(url_rest: str) -> JdbcDatabase | None:
    # A quoted password may contain separators; with a second `@` the start of the host is ambiguous.
    match = _ORACLE.fullmatch(re.sub(r'"[^"]*"', "", url_rest))
    if match is None:
        return None
    at = match["at"].strip()
    if at.startswith("("):
        return _parse_oracle_description(re.sub(r"\s+", "", at))
    service = _ORACLE_SERVICE.fullmatch(at)
    if service is not None:
        authority = _parse_authority(service["hosts"], DEFAULT_PORTS["oracle"])
        return JdbcDatabase("oracle", authority, (service["sid"] or service["service"],)) if authority else None
    alias = _ORACLE_ALIAS.fullmatch(at)
    return JdbcDatabase("oracle", alias["alias"], (), 0) if alias else None


def _parse_oracle_description(text: str) -> JdbcDatabase | None:
    parts = [(name.upper(), value) for name, value in _ORACLE_PART.findall(text)]
    hosts = [value for name, value in parts if name == "HOST"]
    ports = [value for name, value in parts if name == "PORT"]
    names = [value for name, value in parts if name in ("SERVICE_NAME", "SID")]
    if not hosts or not names or len(ports) not in (0, len(hosts)):
        return None
    pairs = zip(hosts, ports or [str(DEFAULT_PORTS["oracle"])] * len(hosts), strict=True)
    return JdbcDatabase("oracle", ",".join(_append_port(host, port) for host, port in pairs), (names[0],))


def _create_file_database_parser(platform: str, servers: tuple[str, ...]) -> Callable[[str], JdbcDatabase | None]:
    """Return the parser for a database that is a file, in memory, or behind its own server."""

    def parse(url_rest: str) -> JdbcDatabase | None:
        for scheme in servers:
            if url_rest.lower().startswith(f"{scheme}//"):
                return _parse_server_url(_Server(platform, separators="?&;#"), url_rest[len(scheme) :])
        place = re.split(r"[;?]", url_rest, maxsplit=1)[0]
        scheme, sign, path = place.partition(":")
        # A single letter is a Windows drive.
        is_path = not sign or len(scheme) == 1
        if scheme.lower() in ("mem", "memory") and _WORD.fullmatch(path):
            return JdbcDatabase(platform, "", (path,))
        if not is_path and scheme.lower() not in ("file", "directory"):
            return None
        path = place if is_path else path
        if not path or _FILE.fullmatch(path) is None:
            return None
        return JdbcDatabase(platform, "", (str(Path(path).expanduser().absolute()),))

    return parse


_SERVERS: Final[Mapping[str, _Server]] = {
    "ch": _Server("clickhouse", 2, ("database",), "default"),
    "clickhouse": _Server("clickhouse", 2, ("database",), "default"),
    "databricks": _Server("databricks", 3, ("conncatalog", "connschema")),
    "db2": _Server("db2"),
    "hive2": _Server("hive", 2, default="default"),
    "impala": _Server("impala", 2, default="default"),
    "mariadb": _Server("mariadb", 2),
    "mysql": _Server("mysql", 2),
    "netezza": _Server("netezza"),
    "postgresql": _Server("postgres", schema="public"),
    "presto": _Server("presto"),
    "sap": _Server("hana", 3, ("databasename",)),
    "singlestore": _Server("singlestore", 2),
    "trino": _Server("trino"),
    "vertica": _Server("vertica"),
}
"""Drivers whose URLs name a server; also the default for unknown drivers."""

_DRIVERS: Final[Mapping[str, Callable[[str], JdbcDatabase | None]]] = {
    "derby": _create_file_database_parser("derby", ("",)),
    "duckdb": _create_file_database_parser("duckdb", ()),
    "h2": _create_file_database_parser("h2", ("tcp:", "ssl:")),
    "hsqldb": _create_file_database_parser("hsqldb", ("hsql:", "hsqls:")),
    "jtds": _parse_jtds,
    "oracle": _parse_oracle,
    "postgresql": _parse_postgres,
    "redshift": _parse_redshift,
    "snowflake": _parse_snowflake,
    "sqlite": _create_file_database_parser("sqlite", ()),
    "sqlserver": _parse_sql_server,
    "teradata": _parse_teradata,
}
"""Drivers with another URL syntax."""
