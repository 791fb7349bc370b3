"""Notification about the progress of a pipeline."""

import json
import urllib.request
from collections.abc import Iterable, Sequence

from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import ActionPlugin, Columns
from jupyter_colophon.pipelines.plugins import property_schemas

_TIMEOUT_S = 30.0


class Notify(ActionPlugin):
    """Post a JSON document to a URL."""

    name = "notify"
    title = "Notify"
    description = "Post a message as JSON to a URL, with the pipeline, the run and the stage"
    properties = {
        "url": property_schemas.define_text("URL", "http or https", pattern="^https?://[^/]"),
        "message": property_schemas.define_text("Message", "The text of the message"),
    }
    required = ("url", "message")

    def find_problems(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Yield a problem for a password in the URL, which would be in the history of the pipeline."""
        if "@" in self.settings["url"].split("/", 3)[2]:
            yield Problem("/url", "it must not contain a user or password")

    def act(self, context: StageContext) -> None:
        """Post the document. Raises OSError if the request fails."""
        document = {
            "message": self.settings["message"],
            "namespace": context.namespace,
            "pipeline": context.pipeline.name,
            "run": context.run.urn,
            "stage": self.stage,
        }
        body = json.dumps(document, ensure_ascii=False).encode()
        request = urllib.request.Request(  # noqa: S310  the schema allows only http and https
            self.settings["url"], body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S):  # noqa: S310
            pass


PLUGINS = (Notify,)
