"""From the settings to sinks: by kind, ours and those of other packages."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final

from jupyter_colophon.core.changes.announcement import Announcer
from jupyter_colophon.core.errors import InvalidConfiguration, MetadataError, shown
from jupyter_colophon.relay.sink_protocol import DELIVERY_S, GROUP, Bus, Maker, Sink, SinkContext

# As with stores: what we ship is not looked for among all installed packages.
_SHIPPED: Final = {
    "webhook": ("jupyter_colophon.relay.webhook", "make"),
    "jupyter-events": ("jupyter_colophon.relay.jupyter_events", "make"),
    "kafka": ("jupyter_colophon.relay.kafka.sink", "make"),
}


#: The relay's own options; the others are the sink's.
_OWN: Final = ("attempts", "kind", "lease_s", "namespaces", "retry_delay_s", "server")


@dataclass(frozen=True, slots=True)
class Handling:
    """The relay's own options of a sink: for which namespaces it is (empty: all), how often one change is tried, and
    how long after the first failure, in seconds; doubled each time.

    After `lease_s` of silence another process delivers. `server`: whether servers deliver, or `jupyter colophon relay`
    alone.
    """

    namespaces: tuple[str, ...] = ()
    attempts: int = 12
    retry_delay_s: float = 1.0
    lease_s: float = 2 * DELIVERY_S
    server: bool = True


def handling(options: Mapping[str, Any]) -> Handling:
    """The relay's own options. Raises InvalidConfiguration."""
    spaces, server = options.get("namespaces", ()), options.get("server", True)
    if not (isinstance(spaces, list | tuple) and all(isinstance(one, str) for one in spaces)):
        raise InvalidConfiguration("its option namespaces must be a list of names")
    if not isinstance(server, bool):
        raise InvalidConfiguration("its option server must be True or False")
    return Handling(
        tuple(spaces),
        int(_number(options, "attempts", 12, 1, 1_000)),
        _number(options, "retry_delay_s", 1.0, 0.01, 3600.0),
        _number(options, "lease_s", 2 * DELIVERY_S, 1.0, 3600.0),
        server,
    )


def made(name: str, options: Mapping[str, Any], announcer: Announcer, bus: Bus, origin: str = "") -> Sink:
    """A sink of these settings. Raises InvalidConfiguration, whatever is wrong with it."""
    kind = options.get("kind")
    if not isinstance(kind, str):
        raise InvalidConfiguration("it has no kind")
    own = {key: value for key, value in options.items() if key not in _OWN}
    try:
        return _maker(kind)(SinkContext(name, own, announcer, bus, handling(options).lease_s / 2, origin))
    except MetadataError as error:
        raise InvalidConfiguration(error.detail) from error
    except Exception as error:
        # Another package's code, and options that may hold a secret.
        raise InvalidConfiguration(f"its kind {shown(kind)} cannot be used ({type(error).__name__})") from error


def fault(name: str, options: Mapping[str, Any], announcer: Announcer) -> str:
    """What is wrong with these settings; empty where a sink can be made of them. Nothing is delivered."""
    try:
        handling(options)
        sink = made(name, options, announcer, lambda schema, data: None)
    except InvalidConfiguration as error:
        return error.detail
    # Another package's code may fail here, too; the sink was made.
    with suppress(Exception):
        sink.close()
    return ""


def _maker(kind: str) -> Maker:
    if kind in _SHIPPED:
        module, attribute = _SHIPPED[kind]
        shipped: Maker = getattr(import_module(module), attribute)
        return shipped
    for point in entry_points(group=GROUP, name=kind):
        found: Maker = point.load()
        return found
    raise InvalidConfiguration(f"there is no kind of sink {shown(kind)}")


def _number(options: Mapping[str, Any], name: str, default: float, least: float, most: float) -> float:
    value = options.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise InvalidConfiguration(f"its option {name} must be a number from {least:g} to {most:g}")
    return float(value)
