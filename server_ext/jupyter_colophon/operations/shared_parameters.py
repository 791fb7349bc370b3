"""The parameters that several operations share, and those in paths."""

from typing import Final

from jupyter_colophon.operations.parameter import Parameter, choice, flag, number, text, time

#: How many of a list are given, by default and at most (spec SEARCH-21).
DEFAULT_LIMIT, LIMIT_MAX = 50, 500

LIMIT: Final = number("limit", "How many at most.", default=DEFAULT_LIMIT, least=0, most=LIMIT_MAX)
CURSOR: Final = text("cursor", "Where to read on: the `cursor` of the answer before.", format="colophon-cursor")
NAMESPACE: Final = text("namespace", "Of this namespace alone.")
TYPE: Final = text("type", "Of this entity type alone.")
SCOPE: Final = choice("scope", "Of this scope alone.", "USER", "SYSTEM")
PREFIX: Final = text("prefix", "Beginning with this.")
REMOVED: Final = flag("removed", "Also entities that were softly deleted (`status.removed`).")
START: Final = time("start", "Not over before this time.")
END: Final = time("end", "Begun before this time.")
AS_OF: Final = time("asOf", "As the catalog knew it then.")
URN: Final = text("urn", "The entity.", required=True, format="colophon-urn")
#: Every path with `{urn}` takes this one.
URN_INSTEAD: Final = text("urn", "The URN, where the path has `-` in its place.", format="colophon-urn")

#: What stands in paths, by the name in the route's template.
PLACES: Final[dict[str, Parameter[str]]] = {
    one.name: one
    for one in (
        text(
            "urn", "The URN, percent-encoded, or `-` with `?urn=`.", place="path", required=True, format="colophon-urn"
        ),
        text("aspect", "The aspect's name.", place="path", required=True, format="colophon-aspect"),
        text("type", "The entity type.", place="path", required=True),
        text("key", "The metadata key.", place="path", required=True),
        text("space", "The schemaspace's name or id.", place="path", required=True, format="colophon-space"),
        text("instance", "The instance's name.", place="path", required=True, format="colophon-instance"),
        text("schema", "The schema's name.", place="path", required=True),
        text(
            "load",
            "The name of a load, of the caller's own.",
            place="path",
            required=True,
            pattern="^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$",
        ),
        text("id", "The number that the inbox gave.", place="path", required=True, pattern="^[0-9]{1,18}$"),
    )
}
