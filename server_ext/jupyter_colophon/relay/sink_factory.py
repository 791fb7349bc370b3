"""Create sinks from the settings, by their kind: built-in ones and those of other packages."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, Final

from jupyter_colophon.core.changes.change_formatter import ChangeFormatter
from jupyter_colophon.core.errors import InvalidConfiguration, MetadataError, shown
from jupyter_colophon.relay.sink_protocol import DELIVERY_S, GROUP, EventBus, Sink, SinkContext, SinkFactory

# As with stores, built-in kinds are not looked up among the entry points.
_SHIPPED: Final = {
    "webhook": ("jupyter_colophon.relay.webhook", "create"),
    "jupyter-events": ("jupyter_colophon.relay.jupyter_events", "create"),
    "kafka": ("jupyter_colophon.relay.kafka.sink", "create"),
}


#: The options of the relay; all others are those of the sink.
_OWN: Final = ("attempts", "kind", "lease_s", "namespaces", "retry_delay_s", "server")


@dataclass(frozen=True, slots=True)
class DeliveryOptions:
    """The options of the relay for a sink: its namespaces (empty: all), the maximum number of attempts for a change, and
    the delay after the first failure, in seconds, which is doubled each time.

    After `lease_s` without a sign of life, another process delivers. `server`: whether servers deliver, or only
    `jupyter colophon relay`.
    """

    namespaces: tuple[str, ...] = ()
    attempts: int = 12
    retry_delay_s: float = 1.0
    lease_s: float = 2 * DELIVERY_S
    server: bool = True


def read_delivery_options(options: Mapping[str, Any]) -> DeliveryOptions:
    """Return the options of the relay. Raises InvalidConfiguration."""
    spaces, server = options.get("namespaces", ()), options.get("server", True)
    if not (isinstance(spaces, list | tuple) and all(isinstance(one, str) for one in spaces)):
        raise InvalidConfiguration("the option namespaces must be a list of names")
    if not isinstance(server, bool):
        raise InvalidConfiguration("the option server must be True or False")
    return DeliveryOptions(
        tuple(spaces),
        int(_number(options, "attempts", 12, 1, 1_000)),
        _number(options, "retry_delay_s", 1.0, 0.01, 3600.0),
        _number(options, "lease_s", 2 * DELIVERY_S, 1.0, 3600.0),
        server,
    )


def create_sink(
    name: str, options: Mapping[str, Any], formatter: ChangeFormatter, bus: EventBus, origin: str = ""
) -> Sink:
    """Create a sink from its settings. Raises InvalidConfiguration for any error."""
    kind = options.get("kind")
    if not isinstance(kind, str):
        raise InvalidConfiguration("the option kind is missing")
    own = {key: value for key, value in options.items() if key not in _OWN}
    try:
        return _factory(kind)(
            SinkContext(name, own, formatter, bus, read_delivery_options(options).lease_s / 2, origin)
        )
    except MetadataError as error:
        raise InvalidConfiguration(error.detail) from error
    except Exception as error:
        # Another package's code, and options that may hold a secret.
        raise InvalidConfiguration(
            f"a sink of the kind {shown(kind)} cannot be created ({type(error).__name__})"
        ) from error


def find_problem(name: str, options: Mapping[str, Any], formatter: ChangeFormatter) -> str:
    """Return the error in these settings; empty if a sink can be created from them. Nothing is delivered."""
    try:
        read_delivery_options(options)
        sink = create_sink(name, options, formatter, lambda schema, data: None)
    except InvalidConfiguration as error:
        return error.detail
    # Another package's code may fail here, too; the sink was made.
    with suppress(Exception):
        sink.close()
    return ""


def _factory(kind: str) -> SinkFactory:
    if kind in _SHIPPED:
        module, attribute = _SHIPPED[kind]
        shipped: SinkFactory = getattr(import_module(module), attribute)
        return shipped
    for point in entry_points(group=GROUP, name=kind):
        found: SinkFactory = point.load()
        return found
    raise InvalidConfiguration(f"unknown kind of sink {shown(kind)}")


def _number(options: Mapping[str, Any], name: str, default: float, least: float, most: float) -> float:
    value = options.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise InvalidConfiguration(f"the option {name} must be a number from {least:g} to {most:g}")
    return float(value)
