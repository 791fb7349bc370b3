"""The programs' API: `from jupyter_colophon import metadata` (docs/programs.md).

    with metadata.run("shop.spark.load", arguments={"source": "sales.employee", "sink": "sales.staff"}) as context:
        context.metadata.propagate(context.entity_from("source"), context.entity_from("sink"))

Importing it loads nothing: each name is looked up when it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jupyter_colophon.client.problems import ClientError, Refused
    from jupyter_colophon.client.programs.context import RunContext
    from jupyter_colophon.client.programs.entity import MetadataEntity
    from jupyter_colophon.client.programs.reading import Bundle, MetadataNotAvailable
    from jupyter_colophon.client.programs.record_schema import RecordField, RecordSchema
    from jupyter_colophon.client.programs.running import prefetch, run
    from jupyter_colophon.client.programs.uses import uses
    from jupyter_colophon.core.consuming import ConsumerContext, LineageInfo, MetadataConsumer, ProgramRun
    from jupyter_colophon.core.scoped import Metadata

__all__ = [
    "Bundle",
    "ClientError",
    "ConsumerContext",
    "LineageInfo",
    "Metadata",
    "MetadataConsumer",
    "MetadataEntity",
    "MetadataNotAvailable",
    "ProgramRun",
    "RecordField",
    "RecordSchema",
    "Refused",
    "RunContext",
    "prefetch",
    "run",
    "uses",
]

_PLACES = {
    "Bundle": "client.programs.reading",
    "ClientError": "client.problems",
    "ConsumerContext": "core.consuming",
    "LineageInfo": "core.consuming",
    "Metadata": "core.scoped",
    "MetadataConsumer": "core.consuming",
    "MetadataEntity": "client.programs.entity",
    "MetadataNotAvailable": "client.programs.reading",
    "ProgramRun": "core.consuming",
    "RecordField": "client.programs.record_schema",
    "RecordSchema": "client.programs.record_schema",
    "Refused": "client.problems",
    "RunContext": "client.programs.context",
    "prefetch": "client.programs.running",
    "run": "client.programs.running",
    "uses": "client.programs.uses",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"jupyter_colophon.{_PLACES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
