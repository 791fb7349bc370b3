"""The instances of a server, by its native API."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from typing import Any

from jupyter_colophon.cli.instances.instances_protocol import Leftover
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.paging import pages
from jupyter_colophon.client.problems import ClientError, RequestFailed
from jupyter_colophon.client.transport import Server, Transport
from jupyter_colophon.core.errors import ConditionFailed, MetadataError, Problem, SchemaspaceNotFound
from jupyter_colophon.core.instances.instance import Instance
from jupyter_colophon.core.instances.instance_query import ExportChoice, Outcome
from jupyter_colophon.service.schemaspaces.space import Migration

#: How long a server may take for an export or an import, in seconds.
_PATIENCE_S = 120.0
_PAGE = 500
_NAMES = ("name", "display_name", "schema_name", "metadata")


class Remote:
    """Asks the server; what it refuses is told in its words."""

    def __init__(self, server: Server) -> None:
        self._operations = Operations(Transport(server))

    @cached_property
    def _spaces(self) -> list[dict[str, Any]]:
        return list(_ask(self._operations.list_schemaspaces)["schemaspaces"])

    def spaces(self, *, deprecated: bool) -> list[str]:
        """Their names."""
        return [one["name"].lower() for one in self._spaces if deprecated or not one["deprecated"]]

    def known(self, name: str) -> str | None:
        """The name of a schemaspace that is called so or has this id."""
        key = name.lower()
        return next(
            (one["name"].lower() for one in self._spaces if key in (one["name"].lower(), one["id"].lower())), None
        )

    def schemas(self, space: str) -> Mapping[str, Mapping[str, Any]]:
        """Its schemas by name."""
        for one in self._spaces:
            if one["name"].lower() == space:
                names = [schema["name"] for schema in one["schemas"] if not schema["deprecated"]]
                return {name: _ask(partial(self._operations.read_schema, space, name)) for name in names}
        raise SchemaspaceNotFound(space, tuple(self.spaces(deprecated=False)))

    def listed(self, space: str, of_schema: str | None) -> list[Instance]:
        """All instances; the URN stands for the file."""
        choice = ExportChoice(schema=of_schema or "", include_invalid=True)
        documents = {one["name"]: one for one in self.exported(space, choice)}
        page = partial(self._operations.list_instances, space, schema=of_schema, sort="name", limit=_PAGE)
        rows = _ask(lambda: list(pages(lambda cursor: page(cursor=cursor), "instances")))
        found = [_listed(space, row, documents.get(row["name"], {})) for row in rows]
        return sorted(found, key=lambda one: one.name)

    def get(self, space: str, name: str) -> Instance:
        """One instance."""
        return _instance(space, _ask(partial(self._operations.read_instance, space, name)))

    def create(self, space: str, name: str | None, document: Mapping[str, Any]) -> Instance:
        """Make an instance."""
        body = _edit(document) | ({"name": name} if name else {})
        return _instance(space, _ask(partial(self._operations.create_instance, space, body)))

    def replace(self, space: str, name: str, document: Mapping[str, Any], version: int | None) -> Instance:
        """Replace an instance."""
        condition = None if version is None else f'"{version}"'
        write = partial(self._operations.write_instance, space, name, _edit(document), if_match=condition)
        return _instance(space, _ask(write, name))

    def merging(self, space: str, name: str) -> AbstractContextManager[None]:
        """A server has versions."""
        return nullcontext()

    def remove(self, space: str, name: str) -> None:
        """Remove an instance."""
        _ask(partial(self._operations.delete_instance, space, name), name)

    def exported(self, space: str, choice: ExportChoice) -> Sequence[dict[str, Any]]:
        """Documents, each with its name."""
        body = {"includeInvalid": choice.include_invalid, "includeSecrets": choice.include_secrets}
        named = {"schema": choice.schema} if choice.schema else {}
        export = partial(self._operations.export_instances, space, {**body, **named}, timeout_s=_PATIENCE_S)
        return list(_ask(export)["instances"])

    def imported(
        self, space: str, documents: Sequence[Mapping[str, Any]], *, overwrite: bool, dry_run: bool
    ) -> Sequence[Outcome]:
        """Take documents in."""
        body = {"instances": [dict(one) for one in documents]}
        import_ = partial(self._operations.import_instances, space, body, dry_run=dry_run, overwrite=overwrite)
        results = _ask(partial(import_, timeout_s=_PATIENCE_S))["results"]
        return [Outcome(one["name"], one["outcome"], one["reason"], _problems(one)) for one in results]

    def move(self, space: str, from_: str, to: str, *, dry_run: bool) -> Sequence[Outcome]:
        """Not by HTTP: it is for who keeps the server's stores."""
        raise _elsewhere("instances are moved between stores")

    def leftovers(self, space: str) -> Sequence[Leftover]:
        """Not by HTTP."""
        raise _elsewhere("leftovers are recovered")

    def recover(self, space: str, name: str, file: str) -> str:
        """Not by HTTP."""
        raise _elsewhere("leftovers are recovered")

    def discard(self, space: str, name: str, file: str) -> None:
        """Not by HTTP."""
        raise _elsewhere("leftovers are discarded")

    def migrate(self, space: str, *, dry_run: bool) -> Migration:
        """Have the server's packages migrate instances."""
        answer = _ask(partial(self._operations.migrate_instances, space, dry_run=dry_run, timeout_s=_PATIENCE_S))
        failed = tuple((one["schema"], one["reason"]) for one in answer["failed"])
        return Migration(
            space, tuple(answer["migrated"]), failed, tuple(answer["withoutDryRun"]), bool(answer["dryRun"])
        )

    def close(self) -> None:
        """Close the connection."""
        self._operations.close()


def _ask(call: Callable[[], Any], name: str = "") -> Any:
    """Return an answer, or raise the server's refusal as our error."""
    try:
        return call()
    except RequestFailed as refused:
        if refused.status == 412:
            raise ConditionFailed(name, "that nobody saved meanwhile", 0) from None
        told = str(refused.problem.get("detail") or refused)
        raise MetadataError(told, _problems({"problems": refused.problem.get("errors") or ()})) from None
    except ClientError as error:
        raise MetadataError(str(error)) from None


def _elsewhere(what: str) -> MetadataError:
    """For what is the business of who keeps the server's files."""
    return MetadataError(f"{what} on the server's machine: call this there without --url")


def _edit(document: Mapping[str, Any]) -> dict[str, Any]:
    extra = {key: value for key, value in document.items() if key not in _NAMES}
    return {key: document[key] for key in _NAMES if key in document} | ({"extra": extra} if extra else {})


def _instance(space: str, told: Mapping[str, Any]) -> Instance:
    return Instance(
        space=space,
        name=told["name"],
        display_name=told["display_name"],
        schema_name=told["schema_name"],
        metadata=told["metadata"],
        resource=told["resource"],
        own=told["deletable"],
        version=told["version"],
        time=0,
        extra=told["extra"],
        reason=told["reason"],
        problems=_problems(told),
    )


def _listed(space: str, row: Mapping[str, Any], document: Mapping[str, Any]) -> Instance:
    extra = {key: value for key, value in document.items() if key not in _NAMES}
    told = {"metadata": document.get("metadata", {}), "extra": extra, "resource": row["urn"]}
    return _instance(space, {**row, **told})


def _problems(told: Mapping[str, Any]) -> tuple[Problem, ...]:
    found = told.get("problems") or ()
    return tuple(Problem(str(one.get("pointer", "")), str(one.get("message", ""))) for one in found)
