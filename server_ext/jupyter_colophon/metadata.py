"""The Python API: `from jupyter_colophon import metadata`.

What people ask of the catalog, as `%metadata` does (docs/magic.md):

    metadata.tag("sales.orders", "raw")
    found = metadata.search("owner:ops").to_pandas()

What programs emit while they run (docs/programs.md):

    with metadata.run("shop.spark.load", arguments={"source": "sales.employee", "sink": "sales.staff"}) as context:
        context.metadata.propagate(context.entity_from("source"), context.entity_from("sink"))

Importing it loads nothing: each name is looked up when it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jupyter_colophon.capture.declarations import reads, writes
    from jupyter_colophon.client.api.answer import Result
    from jupyter_colophon.client.api.current_connection import connect, current
    from jupyter_colophon.client.api.expectations import expect
    from jupyter_colophon.client.problems import (
        ClientError,
        EntityNotFound,
        NotConnected,
        RequestFailed,
        ServerUnavailable,
    )
    from jupyter_colophon.client.programs.context import RunContext
    from jupyter_colophon.client.programs.entity import MetadataEntity
    from jupyter_colophon.client.programs.reading import MetadataSnapshot, MetadataUnavailable
    from jupyter_colophon.client.programs.record_schema import RecordField, RecordSchema
    from jupyter_colophon.client.programs.running import prefetch, run
    from jupyter_colophon.client.programs.uses import uses
    from jupyter_colophon.core.entities.metadata_scopes import Metadata
    from jupyter_colophon.core.lineage.lineage_listener import (
        LineageInfo,
        LineageListener,
        ListenerContext,
        ProgramRun,
    )
    from jupyter_colophon.pipelines.api import pipeline
    from jupyter_colophon.pipelines.directives_api import load_directives
    from jupyter_colophon.spark.crawl.api import crawl
    from jupyter_colophon.spark.dataframe_tags import DataFrameTags, fields_of, sources_of, tags_of
    from jupyter_colophon.spark.quality.api import check

    #: The methods of the current connection, for type checkers and editors.
    _verbs = current.get_api()
    use, health = _verbs.use, _verbs.health
    tag, untag, set, unset, propagate = _verbs.tag, _verbs.untag, _verbs.set, _verbs.unset, _verbs.propagate
    show, search, keys, lineage = _verbs.show, _verbs.search, _verbs.keys, _verbs.lineage
    history, diff, runs, export = _verbs.history, _verbs.diff, _verbs.runs, _verbs.export
    proposals = _verbs.proposals

__all__ = [
    "ClientError",
    "DataFrameTags",
    "EntityNotFound",
    "LineageInfo",
    "LineageListener",
    "ListenerContext",
    "Metadata",
    "MetadataEntity",
    "MetadataSnapshot",
    "MetadataUnavailable",
    "NotConnected",
    "ProgramRun",
    "RecordField",
    "RecordSchema",
    "RequestFailed",
    "Result",
    "RunContext",
    "ServerUnavailable",
    "check",
    "connect",
    "crawl",
    "diff",
    "expect",
    "export",
    "fields_of",
    "health",
    "history",
    "keys",
    "lineage",
    "load_directives",
    "pipeline",
    "prefetch",
    "propagate",
    "proposals",
    "reads",
    "run",
    "runs",
    "search",
    "set",
    "show",
    "sources_of",
    "tag",
    "tags_of",
    "unset",
    "untag",
    "use",
    "uses",
    "writes",
]

_MODULES = {
    "tags_of": "spark.dataframe_tags",
    "sources_of": "spark.dataframe_tags",
    "fields_of": "spark.dataframe_tags",
    "DataFrameTags": "spark.dataframe_tags",
    "Result": "client.api.answer",
    "MetadataSnapshot": "client.programs.reading",
    "ClientError": "client.problems",
    "ListenerContext": "core.lineage.lineage_listener",
    "LineageInfo": "core.lineage.lineage_listener",
    "Metadata": "core.entities.metadata_scopes",
    "LineageListener": "core.lineage.lineage_listener",
    "MetadataEntity": "client.programs.entity",
    "MetadataUnavailable": "client.programs.reading",
    "EntityNotFound": "client.problems",
    "NotConnected": "client.problems",
    "ProgramRun": "core.lineage.lineage_listener",
    "RecordField": "client.programs.record_schema",
    "RecordSchema": "client.programs.record_schema",
    "RequestFailed": "client.problems",
    "RunContext": "client.programs.context",
    "ServerUnavailable": "client.problems",
    "check": "spark.quality.api",
    "connect": "client.api.current_connection",
    "crawl": "spark.crawl.api",
    "diff": "client.api.current_connection",
    "expect": "client.api.expectations",
    "export": "client.api.current_connection",
    "health": "client.api.current_connection",
    "history": "client.api.current_connection",
    "keys": "client.api.current_connection",
    "lineage": "client.api.current_connection",
    "load_directives": "pipelines.directives_api",
    "pipeline": "pipelines.api",
    "prefetch": "client.programs.running",
    "propagate": "client.api.current_connection",
    "proposals": "client.api.current_connection",
    "reads": "capture.declarations",
    "run": "client.programs.running",
    "runs": "client.api.current_connection",
    "search": "client.api.current_connection",
    "set": "client.api.current_connection",
    "show": "client.api.current_connection",
    "tag": "client.api.current_connection",
    "unset": "client.api.current_connection",
    "untag": "client.api.current_connection",
    "use": "client.api.current_connection",
    "uses": "client.programs.uses",
    "writes": "capture.declarations",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"jupyter_colophon.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
