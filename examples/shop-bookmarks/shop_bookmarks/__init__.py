"""Bookmarks of each namespace: the application of docs/how-to/write-an-application.md, with a panel in JupyterLab."""

from jupyter_colophon.apps import BadRequest, Range, ServiceResponse, SystemApp, TableSpec

PATH = "/v1/contexts/{context}/bookmarks"


def list_bookmarks(context, request):
    def read(tables):
        return list(tables.get_table("bookmarks").scan(Range.prefix(context.namespace)))

    return {"bookmarks": context.execute(read, read_only=True)}


def put_bookmark(context, request):
    body = request.parse_json_body()
    if not isinstance(body, dict) or not isinstance(body.get("url"), str):
        raise BadRequest("a bookmark needs the url")
    row = {
        "context": context.namespace,
        "name": request.path["name"],
        "url": body["url"],
        "created_by": context.principal.user,
    }
    context.execute(lambda tables: tables.get_table("bookmarks").upsert(row))
    return ServiceResponse(row, 201)


class Bookmarks(SystemApp):
    def configure(self, configurer):
        fields = {"context": "string", "name": "string", "url": "string", "created_by": "string"}
        configurer.create_table(TableSpec("bookmarks", fields, ("context", "name")))
        configurer.add_handler("GET", PATH, list_bookmarks)
        configurer.add_handler("PUT", PATH + "/{name}", put_bookmark)
        configurer.add_panel("list", "Bookmarks", "shop_bookmarks/web/panel.js", contexts=True)
