"""`%metadata tag untag set unset propagate`: edit the metadata of data."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any, Literal

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.api.current_connection import current
from jupyter_colophon.kernel import argument_types
from jupyter_colophon.kernel.commands.command import MagicCommand

if TYPE_CHECKING:
    from jupyter_colophon.kernel.session import KernelSession


def add_name_argument(parser: ArgumentParser, *, has_fields: bool = True) -> None:
    """Add the argument NAME, and unless `has_fields` is false the option --field."""
    parser.add_argument("name", metavar="NAME")
    if has_fields:
        parser.add_argument("--field", metavar="FIELD")


def _add_tag_arguments(parser: ArgumentParser) -> None:
    add_name_argument(parser)
    parser.add_argument("tags", metavar="TAG", nargs="+", type=argument_types.parse_tag)


def _add_pair_arguments(parser: ArgumentParser) -> None:
    add_name_argument(parser)
    parser.add_argument("pairs", metavar="KEY=VALUE", nargs="+", type=argument_types.parse_key_value)


def _add_key_arguments(parser: ArgumentParser) -> None:
    add_name_argument(parser)
    parser.add_argument("keys", metavar="KEY", nargs="+", type=argument_types.parse_key)


def _add_propagate_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="SOURCE")
    parser.add_argument("sink", metavar="SINK")
    parser.add_argument("--tags", dest="tag_globs", action="append", metavar="GLOB")
    parser.add_argument("--properties", dest="key_globs", action="append", metavar="GLOB")
    parser.add_argument("--fields", action="append", metavar="same|A=B", default=[], type=_parse_same_or_pair)


def _parse_same_or_pair(text: str) -> Any:
    return "same" if text == "same" else argument_types.parse_name_value(text)


def _add_tags(_: "KernelSession", args: Namespace) -> Result:
    return current.get_api().tag(args.name, *args.tags, field=args.field)


def _remove_tags(_: "KernelSession", args: Namespace) -> Result:
    return current.get_api().untag(args.name, *args.tags, field=args.field)


def _set_properties(_: "KernelSession", args: Namespace) -> Result:
    return current.get_api().set(args.name, dict(args.pairs), field=args.field)


def _remove_properties(_: "KernelSession", args: Namespace) -> Result:
    return current.get_api().unset(args.name, *args.keys, field=args.field)


def _propagate_metadata(_: "KernelSession", args: Namespace) -> Result:
    fields: dict[str, str] | Literal["same"] = "same" if "same" in args.fields else dict(args.fields)
    return current.get_api().propagate(args.name, args.sink, args.key_globs, args.tag_globs, fields=fields)


COMMANDS = (
    MagicCommand(
        "tag", "%metadata tag NAME TAG…             put tags on data   [--field FIELD]", _add_tag_arguments, _add_tags
    ),
    MagicCommand(
        "untag", "%metadata untag NAME TAG…           remove tags   [--field FIELD]", _add_tag_arguments, _remove_tags
    ),
    MagicCommand(
        "set",
        """\
%metadata set NAME KEY=VALUE…       set properties; quote a value with spaces: "refresh=every morning"
                                    [--field FIELD]""",
        _add_pair_arguments,
        _set_properties,
    ),
    MagicCommand(
        "unset",
        "%metadata unset NAME KEY…           remove properties   [--field FIELD]",
        _add_key_arguments,
        _remove_properties,
    ),
    MagicCommand(
        "propagate",
        """\
%metadata propagate SOURCE SINK     copy tags and properties: all, or those matching the globs
                                    [--tags GLOB]… [--properties GLOB]… [--fields same|A=B]…""",
        _add_propagate_arguments,
        _propagate_metadata,
    ),
)
