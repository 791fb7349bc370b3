"""Create sinks from the settings, by kind: built-in ones and those of other packages."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.change_formatter import ChangeFormatter
from jupyter_colophon.core.errors import InvalidConfiguration, MetadataError, quote_and_truncate_text
from jupyter_colophon.relay.sink_protocol import DELIVERY_TIMEOUT_S, GROUP, EventBus, Sink, SinkContext, SinkFactory
from jupyter_colophon.system.entry_points import find_entry_points

# As with stores, built-in kinds are not looked up among the entry points.
_BUILT_IN: Final = {
    "webhook": ("jupyter_colophon.relay.webhook", "create"),
    "jupyter-events": ("jupyter_colophon.relay.jupyter_events", "create"),
    "kafka": ("jupyter_colophon.relay.kafka.sink", "create"),
}


#: The options of the relay; all others belong to the sink.
_RELAY_OPTIONS: Final = (
    "attempts",
    "groups",
    "kind",
    "lease_seconds",
    "namespaces",
    "principal",
    "retry_delay_seconds",
    "server",
)
#: The kind whose events Jupyter sends to all users of the server.
_KIND_FOR_EVERYONE: Final = "jupyter-events"


@dataclass(frozen=True, slots=True)
class DeliveryOptions:
    """The options of the relay for a sink: its namespaces (empty: all), the maximum number of attempts for a change, and
    the delay after the first failure, in seconds, which is doubled each time.

    After `lease_seconds` without a sign of life, another process delivers. `server`: whether servers deliver, or only
    `jupyter colophon relay`. `principal`: only the changes are delivered that it may read by the access policies at the
    time of delivery; None for all.
    """

    namespaces: tuple[str, ...] = ()
    attempts: int = 12
    retry_delay_seconds: float = 1.0
    lease_seconds: float = 2 * DELIVERY_TIMEOUT_S
    server: bool = True
    principal: Principal | None = None


def read_delivery_options(options: Mapping[str, Any]) -> DeliveryOptions:
    """Return the options of the relay. Raises InvalidConfiguration."""
    namespaces, server = options.get("namespaces", ()), options.get("server", True)
    if not (isinstance(namespaces, list | tuple) and all(isinstance(name, str) for name in namespaces)):
        raise InvalidConfiguration("the option namespaces must be a list of names")
    if not isinstance(server, bool):
        raise InvalidConfiguration("the option server must be True or False")
    return DeliveryOptions(
        tuple(namespaces),
        int(_read_number_option(options, "attempts", 12, 1, 1_000)),
        _read_number_option(options, "retry_delay_seconds", 1.0, 0.01, 3600.0),
        _read_number_option(options, "lease_seconds", 2 * DELIVERY_TIMEOUT_S, 1.0, 3600.0),
        server,
        _read_principal(options),
    )


def _read_principal(options: Mapping[str, Any]) -> Principal | None:
    user, groups = options.get("principal", ""), options.get("groups", ())
    if not isinstance(user, str):
        raise InvalidConfiguration("the option principal must be the name of a user")
    if not (isinstance(groups, list | tuple) and all(isinstance(name, str) for name in groups)):
        raise InvalidConfiguration("the option groups must be a list of names")
    if not (user or groups or options.get("kind") == _KIND_FOR_EVERYONE):
        return None
    return Principal(user, scopes=frozenset({"read"}), groups=frozenset(groups))


def create_sink(
    name: str, options: Mapping[str, Any], formatter: ChangeFormatter, bus: EventBus, origin: str = ""
) -> Sink:
    """Create a sink from its settings. Raises InvalidConfiguration for any error."""
    kind = options.get("kind")
    if not isinstance(kind, str):
        raise InvalidConfiguration("the option kind is missing")
    own = {key: value for key, value in options.items() if key not in _RELAY_OPTIONS}
    try:
        return _find_factory(kind)(
            SinkContext(name, own, formatter, bus, read_delivery_options(options).lease_seconds / 2, origin)
        )
    except MetadataError as error:
        raise InvalidConfiguration(error.detail) from error
    except Exception as error:
        # Another package's code, and options that may hold a secret.
        raise InvalidConfiguration(
            f"a sink of the kind {quote_and_truncate_text(kind)} cannot be created ({type(error).__name__})"
        ) from error


def find_sink_problem(name: str, options: Mapping[str, Any], formatter: ChangeFormatter) -> str:
    """Return the error in these settings; empty if a sink can be created from them. Nothing is delivered."""
    try:
        read_delivery_options(options)
        sink = create_sink(name, options, formatter, lambda schema, data: None)
    except InvalidConfiguration as error:
        return error.detail
    # Another package's code may fail here too; the sink was created.
    with suppress(Exception):
        sink.close()
    return ""


def _find_factory(kind: str) -> SinkFactory:
    if kind in _BUILT_IN:
        module, attribute = _BUILT_IN[kind]
        built_in: SinkFactory = getattr(import_module(module), attribute)
        return built_in
    for point in find_entry_points(GROUP, kind):
        factory: SinkFactory = point.load()
        return factory
    raise InvalidConfiguration(f"unknown kind of sink {quote_and_truncate_text(kind)}")


def _read_number_option(options: Mapping[str, Any], name: str, default: float, minimum: float, maximum: float) -> float:
    value = options.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not minimum <= value <= maximum:
        raise InvalidConfiguration(f"the option {name} must be a number from {minimum:g} to {maximum:g}")
    return float(value)
