"""The parameters that several operations share, and those in paths."""

from typing import Final

from jupyter_colophon.operations.parameter import Parameter, choice, flag, number, text, time

#: How many of a list are given, by default and at most (spec SEARCH-21).
DEFAULT_LIMIT, LIMIT_MAX = 50, 500

LIMIT: Final = number("limit", "Maximum number of results.", default=DEFAULT_LIMIT, least=0, most=LIMIT_MAX)
CURSOR: Final = text(
    "cursor", "The `cursor` of the previous page; by default, the first page is returned.", format="colophon-cursor"
)
NAMESPACE: Final = text("namespace", "Return only results in this namespace.")
TYPE: Final = text("type", "Return only results of this entity type.")
SCOPE: Final = choice("scope", "Return only metadata of this scope.", "USER", "SYSTEM")
PREFIX: Final = text("prefix", "Return only names that begin with this prefix.")
REMOVED: Final = flag("includeRemoved", "Include softly deleted entities (`status.removed`).")
START: Final = time("start", "Start of the interval: runs that ended before it are ignored.")
END: Final = time("end", "End of the interval: runs that began at or after it are ignored.")
AS_OF: Final = time("asOf", "Return the state of the catalog at this time.")
URN: Final = text("urn", "The URN of the entity.", required=True, format="colophon-urn")
#: Every path with `{urn}` takes this one.
URN_INSTEAD: Final = text("urn", "The URN, if the path contains `-` instead of it.", format="colophon-urn")

#: What stands in paths, by the name in the route's template.
PLACES: Final[dict[str, Parameter[str]]] = {
    one.name: one
    for one in (
        text(
            "urn",
            "The percent-encoded URN, or `-` with the query parameter `urn`.",
            place="path",
            required=True,
            format="colophon-urn",
        ),
        text("aspect", "The aspect's name.", place="path", required=True, format="colophon-aspect"),
        text("type", "The entity type.", place="path", required=True),
        text("key", "The metadata key.", place="path", required=True),
        text("space", "The schemaspace's name or id.", place="path", required=True, format="colophon-space"),
        text("instance", "The instance's name.", place="path", required=True, format="colophon-instance"),
        text("schema", "The schema's name.", place="path", required=True),
        text(
            "load",
            "The name of the load, chosen by the caller.",
            place="path",
            required=True,
            pattern="^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$",
        ),
        text("id", "The id that the inbox assigned.", place="path", required=True, pattern="^[0-9]{1,18}$"),
    )
}
