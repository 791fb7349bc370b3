"""The parameters that several operations share, and those in paths."""

from typing import Final

from jupyter_colophon.operations.parameter import (
    Parameter,
    declare_choice,
    declare_flag,
    declare_number,
    declare_text,
    declare_time,
)

#: Number of results in a list, by default and at most (spec SEARCH-21).
DEFAULT_LIMIT, LIMIT_MAX = 50, 500

LIMIT: Final = declare_number(
    "limit", "Maximum number of results.", default=DEFAULT_LIMIT, minimum=0, maximum=LIMIT_MAX
)
CURSOR: Final = declare_text(
    "cursor", "The `cursor` of the previous page; by default, the first page is returned.", format="colophon-cursor"
)
NAMESPACE: Final = declare_text("namespace", "Return only results in this namespace.")
TYPE: Final = declare_text("type", "Return only results of this entity type.")
SCOPE: Final = declare_choice("scope", "Return only metadata of this scope.", "USER", "SYSTEM")
PREFIX: Final = declare_text("prefix", "Return only names that begin with this prefix.")
REMOVED: Final = declare_flag("includeRemoved", "Include softly deleted entities (`status.removed`).")
START: Final = declare_time("start", "Start of the interval: runs that ended before it are ignored.")
END: Final = declare_time("end", "End of the interval: runs that began at or after it are ignored.")
AS_OF: Final = declare_time("asOf", "Return the state of the catalog at this time.")
URN: Final = declare_text("urn", "The URN of the entity.", required=True, format="colophon-urn")
#: Accepted by every path with `{urn}`.
URN_INSTEAD: Final = declare_text("urn", "The URN, if the path contains `-` instead of it.", format="colophon-urn")

#: The grammar of the ids of kernels.
KERNEL_ID_PATTERN: Final = "[A-Za-z0-9][A-Za-z0-9_-]{0,127}"

#: The path parameters, by their name in the route's template.
PLACES: Final[dict[str, Parameter[str]]] = {
    item.name: item
    for item in (
        declare_text(
            "urn",
            "The percent-encoded URN, or `-` with the query parameter `urn`.",
            place="path",
            required=True,
            format="colophon-urn",
        ),
        declare_text("aspect", "The aspect's name.", place="path", required=True, format="colophon-aspect"),
        declare_text("type", "The entity type.", place="path", required=True),
        declare_text("app", "The name of the system application.", place="path", required=True),
        declare_text("listener", "The name of a listener of the application.", place="path", required=True),
        declare_text("service", "The name of a service of the application.", place="path", required=True),
        declare_text("number", "The number of the event.", place="path", required=True),
        declare_text("namespace", "The namespace.", place="path", required=True, pattern="^[A-Za-z0-9_]{1,128}$"),
        declare_text(
            "artifact",
            "The name of the artifact.",
            place="path",
            required=True,
            pattern="^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$",
        ),
        declare_text(
            "version",
            "The version of the artifact.",
            place="path",
            required=True,
            pattern="^[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}$",
        ),
        declare_text("key", "The metadata key.", place="path", required=True),
        declare_text("space", "The schemaspace's name or id.", place="path", required=True, format="colophon-space"),
        declare_text("instance", "The instance's name.", place="path", required=True, format="colophon-instance"),
        declare_text("schema", "The schema's name.", place="path", required=True),
        declare_text(
            "load",
            "The name of the load, chosen by the caller.",
            place="path",
            required=True,
            pattern="^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$",
        ),
        declare_text(
            "pseudonym",
            "The pseudonym that replaces a person.",
            place="path",
            required=True,
            pattern="^erased-[0-9a-f]{12}$",
        ),
        declare_text(
            "execution",
            "The id of the preview or run.",
            place="path",
            required=True,
            pattern="^[0-9a-f-]{36}$",
        ),
        declare_text(
            "kernel",
            "The id of the kernel.",
            place="path",
            required=True,
            pattern=f"^{KERNEL_ID_PATTERN}$",
        ),
        declare_text(
            "name",
            "The name of the service token.",
            place="path",
            required=True,
            pattern="^[a-z0-9][a-z0-9._-]{0,62}$",
        ),
        declare_text("id", "The id that the inbox assigned.", place="path", required=True, pattern="^[0-9]{1,18}$"),
    )
}
