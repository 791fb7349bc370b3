"""`jupyter colophon requests`: ask owners, list requests, comment on them, answer or decline them."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from jupyter_colophon.cli.catalog.client import read_all_pages
from jupyter_colophon.cli.catalog.command import ENTITY_HELP, CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_datasets
from jupyter_colophon.cli.entities.request_options import add_about_option, add_list_option
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, build_choice_type, set_completer
from jupyter_colophon.client.caller import Document
from jupyter_colophon.core.identity.names import Urn, make_field_urn
from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.core.model.owner_request import KINDS, STATES
from jupyter_colophon.rendering.page import build_table_page

_EXAMPLE_URN: Final = '"urn:li:request:(urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD),5d6b1c1e)"'
#: What each subcommand adds to the response.
_RESPONSES: Final[dict[str, Document]] = {
    "comment": {},
    "answer": {"state": "answered"},
    "decline": {"state": "declined"},
    "reopen": {"state": "open"},
    "grant": {"grant": "read"},
}
_HELP: Final = {
    "comment": "Comment on a request.",
    "answer": "Answer a request.",
    "decline": "Decline a request.",
    "reopen": "Open a request again.",
    "grant": "Grant the author of a request of the kind read access to the entity, by an access policy, and answer it.",
}


class RequestsCommand(CatalogCommand):
    """Requests to owners."""

    description = "Ask the owners of tables and columns, and answer what others ask."

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        verbs = parser.add_group_of_subcommands()
        cls._add_list(verbs)
        cls._add_ask(verbs)
        show = verbs.add_parser(
            "show", help="Show a request.", description="Show a request with its comments.", examples=(_EXAMPLE_URN,)
        )
        super().add_arguments(show)
        show.add_argument("request", metavar="REQUEST", help="The URN of the request.")
        for verb, help_ in _HELP.items():
            example = f'{_EXAMPLE_URN} "Complete since 2019."'
            subparser = verbs.add_parser(verb, help=help_, description=help_, examples=(example,))
            super().add_arguments(subparser)
            subparser.add_argument("request", metavar="REQUEST", help="The URN of the request.")
            subparser.add_argument("text", metavar="TEXT", nargs=None if verb == "comment" else "?", help="A comment.")

    @classmethod
    def _add_list(cls, verbs: Any) -> None:
        parser = verbs.add_parser(
            "list",
            help="List requests.",
            description="List requests, the last changed first.",
            examples=("", "--list=assigned --state=open", "--about=sales.orders"),
        )
        super().add_arguments(parser)
        add_list_option(parser, "asked")
        parser.add_argument(
            "--state", choices=STATES, type=build_choice_type(STATES), default="", help="Only those in this state."
        )
        add_about_option(parser)

    @classmethod
    def _add_ask(cls, verbs: Any) -> None:
        parser = verbs.add_parser(
            "ask",
            help="Ask the owners of an entity.",
            description="Ask the owners of an entity, or of a column of a table.",
            examples=('sales.orders "Is this complete?" --kind=check', 'sales.orders "Which unit?" --column=amount'),
        )
        super().add_arguments(parser)
        set_completer(parser.add_argument("entity", metavar="ENTITY", help=ENTITY_HELP), complete_datasets)
        parser.add_argument("text", metavar="TEXT", help="The question.")
        parser.add_argument("--column", default="", metavar="NAME", help="A column of the table.")
        parser.add_argument(
            "--kind",
            choices=KINDS,
            type=build_choice_type(KINDS),
            default="other",
            help="Ask for a description, for access to the data, whether the data are right, or anything else.",
        )
        parser.add_argument(
            "--assign",
            action="append",
            default=[],
            metavar="OWNER",
            help="Assign it to this user or team instead of the owners; may be repeated.",
        )

    def run(self) -> int:
        """Run the subcommand."""
        if self.args.verb == "list":
            return self._list_requests()
        with self.connect_to_catalog() as client:
            if self.args.verb == "ask":
                body: Document = {"about": self._resolve_subject(), "kind": self.args.kind, "text": self.args.text}
                body |= {"assignees": self.args.assign} if self.args.assign else {}
                request = client.create_request(body)
            elif self.args.verb == "show":
                return self._show_request(client.read_entity(self.args.request))
            else:
                request = client.update_request(self.args.request, self._build_response())
        self.print_result(request, _format_request(request))
        return EXIT_OK

    def _resolve_subject(self) -> str:
        urn = self.resolve_urn(self.args.entity)
        return str(make_field_urn(Urn.parse(urn), self.args.column)) if self.args.column else urn

    def _build_response(self) -> Document:
        return _RESPONSES[self.args.verb] | ({"text": self.args.text} if self.args.text else {})

    def _show_request(self, entity: Document) -> int:
        value = entity["aspects"]["request"]["value"]
        lines = [f"{value['state']}: {value['text']}", f"about {shorten_urn(value['about'])}"]
        lines += [f"{comment['author'].rpartition(':')[2]}: {comment['text']}" for comment in value["comments"]]
        self.print_result({"urn": entity["urn"], **value}, "\n".join(lines))
        return EXIT_OK

    def _list_requests(self) -> int:
        about = self.resolve_urn(self.args.about) if self.args.about else None
        with self.connect_to_catalog() as client:
            list_page = partial(
                client.list_requests, list=self.args.list or None, state=self.args.state or None, about=about
            )
            requests = read_all_pages(list_page, "requests")
        self.print_result({"requests": requests}, _format_requests(requests))
        return EXIT_OK


def _format_request(request: Document) -> str:
    people = ", ".join(person["name"] for person in request["assignees"]) or "no one"
    return f"{request['urn']}\n{request['state']}, assigned to {people}"


def _format_requests(requests: Sequence[Document]) -> str:
    rows = [
        (
            request["state"],
            shorten_urn(request["about"]),
            request["text"],
            request["author"]["name"],
            ", ".join(person["name"] for person in request["assignees"]),
            request["urn"],
        )
        for request in requests
    ]
    columns = ("state", "about", "text", "asked by", "assigned to", "urn")
    return str(build_table_page(rows, *columns, empty="no requests"))
