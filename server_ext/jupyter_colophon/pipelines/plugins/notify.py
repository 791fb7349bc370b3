"""Telling others that a pipeline has come so far."""

import json
import urllib.request
from collections.abc import Iterable, Sequence

from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Action, Columns
from jupyter_colophon.pipelines.plugins import shapes

_TIMEOUT_S = 30.0


class Notify(Action):
    """Posts a small JSON document to an address."""

    name = "notify"
    title = "Notify"
    description = "Post a message as JSON to a URL, with the pipeline, the run and the stage"
    properties = {
        "url": shapes.text("URL", "http or https", pattern="^https?://[^/]"),
        "message": shapes.text("Message", "The text of the message"),
    }
    required = ("url", "message")

    def faults(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """A password in the URL: it would be in the history of the pipeline."""
        if "@" in self.settings["url"].split("/", 3)[2]:
            yield Problem("/url", "it has a user or a password in it")

    def act(self, context: StageContext) -> None:
        """Post it. Raises OSError where nobody takes it."""
        document = {
            "message": self.settings["message"],
            "namespace": context.namespace,
            "pipeline": context.pipeline.name,
            "run": context.run.urn,
            "stage": self.stage,
        }
        body = json.dumps(document, ensure_ascii=False).encode()
        request = urllib.request.Request(  # noqa: S310  the schema allows http and https alone
            self.settings["url"], body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S):  # noqa: S310
            pass


PLUGINS = (Notify,)
