"""`jupyter colophon proposals`, on a server whose policies require review."""

from pathlib import Path

from live import LiveServer
from support.commands import Commands
from support.urns import ORDERS

_RULES = [
    {"role": "contributor", "to": ["user:service:ann"]},
    {"review": ["annotate"], "to": ["*"], "on": {"certified": True}},
]


def test_change_waits_until_it_is_applied(served: LiveServer, tmp_path: Path) -> None:
    catalog = served.create_client()
    catalog.write_aspect(ORDERS, "technicalMetadata", {"properties": {}, "tags": []})
    catalog.write_aspect(ORDERS, "businessMetadata", {"properties": {"unit": "euro"}, "tags": []})
    catalog.write_aspect(ORDERS, "certification", {"certifiedBy": "urn:li:corpuser:sue"})
    catalog.write_aspect("urn:li:accessPolicy:review", "accessRules", {"rules": _RULES})
    token = catalog.create_service_token({"name": "ann", "scopes": ["read", "annotate"]})["token"]
    catalog.close()
    database = served.data / "colophon" / "colophon.db"
    ann, steward = [
        Commands(tmp_path, database, environment={"COLOPHON_TOKEN": holder}) for holder in (token, served.token)
    ]
    url = f"--url={served.url}"
    changed = ann.run("set", "sales.orders", "unit=dollar", url)
    assert (changed.status, "waits for review" in changed.err) == (0, True)
    (proposal,) = ann.run("proposals", "list", "--list=asked", "--json", url).answer["proposals"]
    number = proposal["proposal"]
    assert "User metadata (unit)" in steward.run("proposals", "list", "--about=sales.orders", url).out
    shown = steward.run("proposals", "show", number, url).out.splitlines()
    assert shown[0] == "waiting: User metadata (unit), by service:ann"
    assert "  ~ /properties/unit euro → dollar" in shown
    refused = ann.run("proposals", "apply", number, url)
    assert (refused.status, "you may not apply" in refused.err) == (1, True)
    assert steward.run("proposals", "apply", number, "Thanks.", url).out == "applied: User metadata (unit)\n"
    assert ann.run("proposals", "list", "--state=applied", "--json", url).answer["proposals"][0]["state"] == "answered"
    assert "dollar" in steward.run("show", "sales.orders", url).out
