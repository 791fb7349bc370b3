"""Access to pipelines requires access to their namespace (spec ID-13)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.access import Action, Principal
from jupyter_colophon.core.errors import AccessDenied, InstanceNotFound
from jupyter_colophon.core.instances.instance_query import ExportSelection, InstanceQuery
from jupyter_colophon.core.model.proposal import WriteCondition
from jupyter_colophon.schemaspaces.instances import compose_instances
from jupyter_colophon.service.instances.instances import InstanceService
from jupyter_colophon.service.instances.stores.records import InstanceRecordsSource
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
def instances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InstanceService]:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    source = InstanceRecordsSource(lambda: None)
    made = replace(compose_instances(Settings(), source, source.get_records_or_none), authorizer=Rules())  # type: ignore[arg-type]
    for name, namespace in (("staff", "sales"), ("parts", "stock")):
        made.create_instance(SPACE, name, document(namespace), ADA)
    yield made
    made.stop_watching_and_close_stores()


def document(namespace: str) -> dict[str, Any]:
    stages = [{"name": "a", "type": "action", "plugin": "sql"}]
    return {"display_name": "X", "schema_name": "pipeline", "metadata": {"namespace": namespace, "stages": stages}}


def test_pipelines_of_unreadable_namespace_are_hidden(instances: InstanceService) -> None:
    everything = InstanceQuery()
    assert [one.name for one in instances.list_matching_page(SPACE, everything, EVE).instances] == ["parts"]
    assert [one.name for one in instances.list_next_instances(SPACE, 10, "", EVE)[0]] == ["parts"]
    assert [one.name for one in instances.list_visible_instances(SPACE, EVE)] == ["parts"]
    assert [one.value for one in instances.count_values_at_pointer(SPACE, "", "/namespace", EVE).values] == ["stock"]
    assert [one["name"] for one in instances.export_instances(SPACE, ExportSelection(), EVE)] == ["parts"]
    assert len(instances.list_matching_page(SPACE, everything, BOB).instances) == 2


@pytest.mark.parametrize(("who", "error"), [(EVE, InstanceNotFound), (BOB, AccessDenied)])
def test_pipelines_of_read_only_namespace_cannot_be_changed(
    instances: InstanceService, who: Principal, error: type[Exception]
) -> None:
    calls: list[Callable[[], object]] = [
        lambda: instances.replace_instance(SPACE, "staff", document("stock"), WriteCondition(), who),
        # Nor can one be created in it.
        lambda: instances.replace_instance(SPACE, "parts", document("sales"), WriteCondition(), who),
        lambda: instances.merge_patch_instance(SPACE, "staff", {"display_name": "Y"}, WriteCondition(), who),
        lambda: instances.create_instance(SPACE, "other", document("sales"), who),
        lambda: instances.remove_instance(SPACE, "staff", WriteCondition(), who),
    ]
    for call in calls:
        with pytest.raises(error):
            call()
    for taken in ({"name": "other", **document("sales")}, {"name": "staff", **document("stock")}):
        (outcome,) = instances.import_instances(SPACE, [taken], who, overwrite=True)
        assert outcome.kind == "failed"
    assert instances.get_valid_instance(SPACE, "staff", ADA).metadata["namespace"] == "sales"
    instances.merge_patch_instance(SPACE, "parts", {"display_name": "Y"}, WriteCondition(), who)
    with pytest.raises(InstanceNotFound):
        instances.get_valid_instance(SPACE, "staff", EVE)


def test_deleting_a_namespace_removes_its_pipelines(instances: InstanceService) -> None:
    instances.remove_instances_of_namespace("sales", ADA)
    assert [one.name for one in instances.list_visible_instances(SPACE)] == ["parts"]
