"""What a client asks first: what this server can do, which entities and aspects it knows; and GraphQL, which it does not."""

from typing import Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.http.datahub import shapes
from jupyter_colophon.http.datahub.base import DataHubHandler
from jupyter_colophon.http.datahub.request import Answer, Asking
from jupyter_colophon.http.operation import operation
from jupyter_colophon.operations.parameter import count, number

#: Below 1.0.1, so that clients go on with Rest.li: through OpenAPI they lose CREATE, and delete whole entities where
#: an aspect was meant (spec DH-1).
VERSION: Final = "v1.0.0"
_NO_GRAPHQL: Final = (
    "GraphQL is not served here: ask /entities?action=search, /openapi/v3/entity/scroll or Colophon's own API"
)
_START: Final = number("start", "How many to pass by.", default=0, least=0, most=1_000_000_000)
_COUNT: Final = count("count", "How many at most.", default=100, least=0, most=1_000)


class ConfigHandler(DataHubHandler):
    """`GET /config`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "readConfig", answers={200: shapes.record("noCode versions", noCode={"const": "true"}, versions=shapes.ANY)}
    )
    async def get(self) -> None:
        """What this server can do, as DataHub's clients look it up."""
        self.answer(
            {
                "noCode": "true",
                "patchCapable": True,
                "statefulIngestionCapable": True,
                "supportsImpactAnalysis": False,
                "timeZone": "UTC",
                "retention": "true",
                "models": {},
                # Clients then tell nobody what they are used for.
                "telemetry": {"enabledCli": False, "enabledIngestion": False},
                "managedIngestion": {"enabled": False},
                "datahub": {"serverType": "jupyter-colophon", "serverEnv": "core"},
                "versions": {
                    "acryldata/datahub": {"version": VERSION, "commit": self.state.version},
                    "jupyter-colophon": {"version": self.state.version},
                },
                "baseUrl": None,
            }
        )


class SpecificationsHandler(DataHubHandler):
    """`GET /openapi/v1/registry/models/entity/specifications`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "listSpecifications",
        takes=[_START, _COUNT],
        answers={
            200: shapes.record(
                "start count total elements",
                start=shapes.NUMBER,
                count=shapes.NUMBER,
                total=shapes.NUMBER,
                elements=shapes.several(shapes.record("name keyAspectName aspectSpecs", name=shapes.TEXT)),
            )
        },
    )
    async def get(self) -> None:
        """The types of entities, and the aspects of each."""
        start, most = self.asked(_START), self.asked(_COUNT)

        def read(asking: Asking) -> Answer:
            kinds = sorted(asking.catalog.registry.types, key=lambda kind: kind.type)
            page = kinds[start : start + most]
            elements = [
                {
                    "name": kind.type,
                    "keyAspectName": kind.key_aspect,
                    "aspectSpecs": [
                        {"aspectAnnotation": {"name": spec.name, "schemaVersion": spec.schema_version}}
                        for spec in kind.aspects
                    ],
                }
                for kind in page
            ]
            return Answer({"start": start, "count": len(page), "total": len(kinds), "elements": elements})

        await self.reply(read, None)


class GraphqlHandler(DataHubHandler):
    """`POST /api/graphql`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "askGraphql",
        body={"application/json": shapes.ANY},
        answers={200: shapes.record("errors data", errors=shapes.several(shapes.ANY), data={"type": "null"})},
    )
    async def post(self) -> None:
        """Say that it is not served, in its own form."""
        await self.body()
        self.answer({"errors": [{"message": _NO_GRAPHQL}], "data": None})


ROUTES = [
    ("/config", ConfigHandler),
    ("/openapi/v1/registry/models/entity/specifications", SpecificationsHandler),
    ("/api/graphql", GraphqlHandler),
]
