"""`jupyter colophon proposals`: list changes that wait for review, show their differences, apply or reject them."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from jupyter_colophon.cli.catalog.client import read_all_pages
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.entities.request_options import add_about_option, add_list_option
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, build_choice_type
from jupyter_colophon.client.caller import Document
from jupyter_colophon.core.documents.difference import diff_as_json_patch
from jupyter_colophon.core.documents.steps import add_old_values_to_operations, format_operation
from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.core.model.owner_request import CHANGE
from jupyter_colophon.rendering.page import build_table_page

_HELP: Final = {
    "apply": "Apply a proposal, with its author as the author of the change.",
    "reject": "Reject a proposal.",
    "withdraw": "Withdraw a proposal of your own.",
    "rebase": "Bring a proposal up to date after its entity has changed.",
}
_EXAMPLE_ID: Final = "1795190400000000"
#: What the states of requests mean for proposals.
_STATES: Final = {"open": "waiting", "answered": "applied", "declined": "rejected"}


class ProposalsCommand(CatalogCommand):
    """Changes that wait for review."""

    description = "List changes that wait for review, show their differences, and apply or reject them."

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        verbs = parser.add_subparsers(title="subcommands", dest="verb", metavar="SUBCOMMAND", required=True)
        cls._add_list(verbs)
        show = verbs.add_parser(
            "show",
            help="Show a proposal.",
            description="Show a proposal with its differences from the present values.",
            examples=(_EXAMPLE_ID,),
        )
        super().add_arguments(show)
        show.add_argument("proposal", metavar="PROPOSAL", help="The id of the proposal.")
        for verb, help_ in _HELP.items():
            subparser = verbs.add_parser(verb, help=help_, description=help_, examples=(_EXAMPLE_ID,))
            super().add_arguments(subparser)
            subparser.add_argument("proposal", metavar="PROPOSAL", help="The id of the proposal.")
            subparser.add_argument("text", metavar="TEXT", nargs="?", help="A comment for the author.")

    @classmethod
    def _add_list(cls, verbs: Any) -> None:
        parser = verbs.add_parser(
            "list",
            help="List proposals.",
            description="List proposals that wait for review, the last changed first.",
            examples=("", "--list=assigned", "--about=sales.orders --state=rejected"),
        )
        super().add_arguments(parser)
        add_list_option(parser, "made")
        parser.add_argument(
            "--state",
            choices=tuple(_STATES.values()),
            type=build_choice_type(tuple(_STATES.values())),
            default="waiting",
            help="Those that wait (the default), were applied, or were rejected.",
        )
        add_about_option(parser)

    def run(self) -> int:
        """Run the subcommand."""
        if self.args.verb == "list":
            return self._list_proposals()
        with self.connect_to_catalog() as client:
            if self.args.verb == "show":
                review = client.read_proposal(self.args.proposal)
                self.print_result(review, "\n".join(_format_review(review)))
                return EXIT_OK
            decision = {"decision": self.args.verb, **({"text": self.args.text} if self.args.text else {})}
            request = client.decide_proposal(self.args.proposal, decision)
        self.print_result(request, f"{_STATES[request['state']]}: {request['text']}")
        return EXIT_OK

    def _list_proposals(self) -> int:
        about = self.resolve_urn(self.args.about) if self.args.about else None
        with self.connect_to_catalog() as client:
            state = next(state for state, name in _STATES.items() if name == self.args.state)
            list_page = partial(
                client.list_requests, list=self.args.list or None, kind=CHANGE, state=state, about=about
            )
            requests = read_all_pages(list_page, "requests")
        self.print_result({"proposals": requests}, _format_proposals(requests))
        return EXIT_OK


def _format_proposals(requests: Sequence[Document]) -> str:
    rows = [
        (
            request["proposal"],
            _STATES[request["state"]],
            shorten_urn(request["about"]),
            request["text"],
            request["author"]["name"],
            ", ".join(person["name"] for person in request["assignees"]),
        )
        for request in requests
    ]
    return str(build_table_page(rows, "id", "state", "about", "change", "author", "assigned to", empty="no proposals"))


def _format_review(review: Document) -> Iterator[str]:
    request = review["request"]
    yield f"{review['state']}: {request['text']}, by {request['author']['name']}"
    if review["isOutdated"]:
        yield f"outdated: bring it up to date with `jupyter colophon proposals rebase {review['id']}`"
    for change in review["changes"]:
        yield f"{change['aspect'] or change['operation']} of {shorten_urn(change['urn'])}"
        if change["problem"] is not None:
            yield f"  {change['problem']['detail']}"
        else:
            before = change["before"] or {}
            steps = add_old_values_to_operations(diff_as_json_patch(before, change["after"] or {}), before)
            yield from (f"  {format_operation(step)}" for step in steps)
    for comment in request["comments"]:
        yield f"{comment['author']['name']}: {comment['text']}"
