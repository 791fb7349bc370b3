"""Completion of `%metadata` and `%%metadata` in a real kernel: words of the grammar, and names from the server."""

from live import run_live_kernel


def test_completion_knows_commands_options_names_tags_keys_and_values(kernel, database):
    kernel.run(
        f"%metadata tag {database}.t tag-{database}\n%metadata set {database}.t key-{database}=value-{database}", "c"
    )
    assert "lineage" in kernel.complete("%metadata ")
    assert kernel.complete("%metadata help li") == ["lineage"]
    assert kernel.complete("%metadata lineage a.b --di") == ["--direction"]
    assert kernel.complete("%metadata lineage a.b --direction u") == ["upstream"]
    assert kernel.complete(f"%metadata show {database}") == [f"{database}.t"]
    assert kernel.complete(f"%metadata tag {database}.t tag-{database[:-2]}") == [f"tag-{database}"]
    assert kernel.complete(f"%metadata unset {database}.t key-{database[:-2]}") == [f"key-{database}"]
    assert kernel.complete(f"%metadata set {database}.t key-{database}=val") == [f"key-{database}=value-{database}"]
    assert kernel.complete(f"%metadata search key-{database}:val") == [f"key-{database}:value-{database}"]
    assert kernel.complete("%%metadata --") == [
        "--describe",
        "--name",
        "--owner",
        "--reads",
        "--set",
        "--tag",
        "--writes",
    ]
    assert kernel.complete(f"%%metadata --tag tag-{database[:-2]}") == [f"tag-{database}"]


def test_namespaces_fields_and_option_values_are_completed(kernel, catalog, database):
    fields = [
        {"fieldPath": name, "nativeDataType": "int", "type": {"type": {"com.linkedin.schema.NumberType": {}}}}
        for name in ("alpha", "beta")
    ]
    urn = f"urn:li:dataset:(urn:li:dataPlatform:spark,{database}.t,PROD)"
    catalog.write_aspect(urn, "schemaMetadata", {"fields": fields})
    assert kernel.complete(f"%metadata use {database[:-2]}") == [database]
    assert kernel.complete(f"%metadata tag {database}.t x --field al") == ["alpha"]
    assert kernel.complete("%metadata runs --status k") == ["killed"]
    assert kernel.complete("found = %metadata sea") == ["search"]
    assert kernel.complete(f"found = %metadata search x --namespace {database[:-2]}") == [database]
    assert kernel.complete("%metadata search x --type names") == ["namespace"]
    assert "--json" in kernel.complete("%metadata history a.b --")
    assert kernel.complete("%metadata pipeline run x nothing") == []
    kernel.run(f"%metadata use {database}", "c")
    assert "t" in kernel.complete("%metadata show ")
    kernel.run("%metadata use --clear", "c")


#: The number of connections to the silent server since the last check.
KNOCKS = """
count = 0
while True:
    try:
        mute.accept()
    except BlockingIOError:
        break
    count += 1
print(count)
"""


def test_completion_does_not_block_without_a_response(server):
    """A server that accepts connections and never answers: the first key waits a second, the next ones send no request."""
    with run_live_kernel(server, "mute.ipynb") as kernel:
        kernel.run(
            "import socket\nmute = socket.create_server(('127.0.0.1', 0))\nmute.setblocking(False)\n"
            "from jupyter_colophon.kernel import completion\ncompletion.RETRY_AFTER_S = 3_600.0\n"
            "from jupyter_colophon.client.transport import ServerAddress\nfrom jupyter_colophon.client.api.current_connection import current\n"
            "current.on_connect(ServerAddress(f'http://127.0.0.1:{mute.getsockname()[1]}/', 'x' * 22))",
            "c",
        )
        assert kernel.complete("%metadata show db") == []
        assert kernel.run(KNOCKS, "c").text != "0\n"
        for _ in range(20):
            assert kernel.complete("%metadata show db") == []
        assert kernel.run(KNOCKS, "c").text == "0\n"


def test_completion_elsewhere_is_pythons(kernel):
    assert "print" in kernel.complete("pri")
