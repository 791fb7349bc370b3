"""Access to pipelines requires access to their namespace (spec ID-13)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.access import Action, Principal
from jupyter_colophon.core.errors import AccessDenied, InstanceNotFound
from jupyter_colophon.core.instances.instance_query import ExportSelection, InstanceQuery
from jupyter_colophon.core.model.proposal import Condition
from jupyter_colophon.schemaspaces.instances import compose_instances
from jupyter_colophon.service.instances.instances import Instances
from jupyter_colophon.service.instances.stores.records import RecordsSource
from jupyter_colophon.settings import Settings

ADA, EVE, BOB = Principal("ada"), Principal("eve"), Principal("bob")
SPACE = "pipelines"


@dataclass(frozen=True)
class Rules:
    """Ada may do everything; Eve may not read the namespace sales; Bob may read but not change it."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        if namespace != "sales" or principal == ADA:
            return True
        return principal == BOB and action == "read"


@pytest.fixture
def instances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Instances]:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    source = RecordsSource(lambda: None)
    made = replace(compose_instances(Settings(), source, source.get_records), authorizer=Rules())  # type: ignore[arg-type]
    for name, namespace in (("staff", "sales"), ("parts", "stock")):
        made.create(SPACE, name, document(namespace), ADA)
    yield made
    made.close()


def document(namespace: str) -> dict[str, Any]:
    stages = [{"name": "a", "type": "action", "plugin": "sql"}]
    return {"display_name": "X", "schema_name": "pipeline", "metadata": {"namespace": namespace, "stages": stages}}


def test_pipelines_of_unreadable_namespace_are_hidden(instances: Instances) -> None:
    everything = InstanceQuery()
    assert [one.name for one in instances.list_page(SPACE, everything, EVE).instances] == ["parts"]
    assert [one.name for one in instances.list_slice(SPACE, 10, "", EVE)[0]] == ["parts"]
    assert [one.name for one in instances.list(SPACE, EVE)] == ["parts"]
    assert [one.value for one in instances.count_values(SPACE, "", "/namespace", EVE).values] == ["stock"]
    assert [one["name"] for one in instances.export(SPACE, ExportSelection(), EVE)] == ["parts"]
    assert len(instances.list_page(SPACE, everything, BOB).instances) == 2


@pytest.mark.parametrize(("who", "error"), [(EVE, InstanceNotFound), (BOB, AccessDenied)])
def test_pipelines_of_read_only_namespace_cannot_be_changed(
    instances: Instances, who: Principal, error: type[Exception]
) -> None:
    calls: list[Callable[[], object]] = [
        lambda: instances.update(SPACE, "staff", document("stock"), Condition(), who),
        # Nor can one be created in it.
        lambda: instances.update(SPACE, "parts", document("sales"), Condition(), who),
        lambda: instances.patch(SPACE, "staff", {"display_name": "Y"}, Condition(), who),
        lambda: instances.create(SPACE, "other", document("sales"), who),
        lambda: instances.remove(SPACE, "staff", Condition(), who),
    ]
    for call in calls:
        with pytest.raises(error):
            call()
    for taken in ({"name": "other", **document("sales")}, {"name": "staff", **document("stock")}):
        (outcome,) = instances.import_all(SPACE, [taken], who, overwrite=True)
        assert outcome.kind == "failed"
    assert instances.get(SPACE, "staff", ADA).metadata["namespace"] == "sales"
    instances.patch(SPACE, "parts", {"display_name": "Y"}, Condition(), who)
    with pytest.raises(InstanceNotFound):
        instances.get(SPACE, "staff", EVE)


def test_deleting_a_namespace_removes_its_pipelines(instances: Instances) -> None:
    instances.clear_namespace("sales", ADA)
    assert [one.name for one in instances.list(SPACE)] == ["parts"]
