"""`%metadata tag untag set unset propagate`: what people say of data."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any, Literal

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.api.current_connection import present
from jupyter_colophon.kernel import argument_types
from jupyter_colophon.kernel.commands.command import Command

if TYPE_CHECKING:
    from jupyter_colophon.kernel.session import Companion


def named(parser: ArgumentParser, *, has_fields: bool = True) -> None:
    """The data that a command is about, and if need be which field of it."""
    parser.add_argument("name", metavar="NAME")
    if has_fields:
        parser.add_argument("--field", metavar="FIELD")


def _tags(parser: ArgumentParser) -> None:
    named(parser)
    parser.add_argument("tags", metavar="TAG", nargs="+", type=argument_types.tag)


def _pairs(parser: ArgumentParser) -> None:
    named(parser)
    parser.add_argument("pairs", metavar="KEY=VALUE", nargs="+", type=argument_types.pair)


def _keys(parser: ArgumentParser) -> None:
    named(parser)
    parser.add_argument("keys", metavar="KEY", nargs="+", type=argument_types.key)


def _ends(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="SOURCE")
    parser.add_argument("sink", metavar="SINK")
    parser.add_argument("--tags", dest="tag_globs", action="append", metavar="GLOB")
    parser.add_argument("--properties", dest="key_globs", action="append", metavar="GLOB")
    parser.add_argument("--fields", action="append", metavar="same|A=B", default=[], type=_fields)


def _fields(word: str) -> Any:
    return "same" if word == "same" else argument_types.argument(word)


def _tag(_: "Companion", asked: Namespace) -> Result:
    return present.verbs().tag(asked.name, *asked.tags, field=asked.field)


def _untag(_: "Companion", asked: Namespace) -> Result:
    return present.verbs().untag(asked.name, *asked.tags, field=asked.field)


def _set(_: "Companion", asked: Namespace) -> Result:
    return present.verbs().set(asked.name, dict(asked.pairs), field=asked.field)


def _unset(_: "Companion", asked: Namespace) -> Result:
    return present.verbs().unset(asked.name, *asked.keys, field=asked.field)


def _propagate(_: "Companion", asked: Namespace) -> Result:
    fields: dict[str, str] | Literal["same"] = "same" if "same" in asked.fields else dict(asked.fields)
    return present.verbs().propagate(asked.name, asked.sink, asked.key_globs, asked.tag_globs, fields=fields)


COMMANDS = (
    Command("tag", "%metadata tag NAME TAG…             put tags on data   [--field FIELD]", _tags, _tag),
    Command("untag", "%metadata untag NAME TAG…           take tags away   [--field FIELD]", _tags, _untag),
    Command(
        "set",
        """\
%metadata set NAME KEY=VALUE…       set properties; quote a value with spaces: "refresh=every morning"
                                    [--field FIELD]""",
        _pairs,
        _set,
    ),
    Command("unset", "%metadata unset NAME KEY…           remove properties   [--field FIELD]", _keys, _unset),
    Command(
        "propagate",
        """\
%metadata propagate SOURCE SINK     say of the second what people said of the first: all, or what fits
                                    [--tags GLOB]… [--properties GLOB]… [--fields same|A=B]…""",
        _ends,
        _propagate,
    ),
)
