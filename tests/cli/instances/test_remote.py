"""Commands on instances of a server."""

from dataclasses import replace

import pytest
from live import LiveServer
from support.misbehaving_server import start_recording_server
from support.shell import InstanceShell

WORDS = ["--display_name=Hello", "--language=R", "--code=a"]


@pytest.fixture
def remote(shell: InstanceShell, served: LiveServer) -> InstanceShell:
    """Commands on a machine without the server's files."""
    environment = {**shell.commands.environment, "COLOPHON_URL": served.url, "COLOPHON_TOKEN": served.token}
    return replace(shell, commands=replace(shell.commands, environment=environment))


def test_instances_of_server_are_managed(remote: InstanceShell, served: LiveServer) -> None:
    path = served.data / "metadata" / "code-snippets" / "hello.json"
    done = remote("create", "code-snippets", *WORDS)
    result = f"Metadata instance 'hello' for schema 'code-snippet' has been written to: {path}\n"
    assert (done.status, done.out, path.exists()) == (0, result, True)
    taken = remote("create", "code-snippets", *WORDS)
    assert "An instance named 'hello' already exists in the code-snippets schemaspace." in taken.out
    invalid = remote("create", "code-snippets", "--display_name=X", "--json={}", "--language=R")
    assert "with error: 'code' is a required property." in invalid.out
    assert remote("update", "code-snippets", "--name=hello", "--language=S").status == 0
    listed = remote("list", "code-snippets", "--json").answer
    assert [(one["name"], one["metadata"]["language"], one["resource"]) for one in listed] == [
        ("hello", "S", "urn:li:instance:(code-snippets,hello)")
    ]
    assert "code-snippet   hello" in remote("list", "code-snippets").out
    assert not remote.get_instance_path("code-snippets", "hello").exists()
    assert remote("remove", "code-snippets", "--name=hello").status == 0
    assert not path.exists()
    absent = remote("remove", "code-snippets", "--name=hello")
    result = "No such instance named 'hello' was found in the code-snippets schemaspace.\n"
    assert (absent.status, absent.out) == (1, result)


def test_instances_of_server_are_exported_and_imported(remote: InstanceShell) -> None:
    assert remote("create", "code-snippets", *WORDS, "--name=travels").status == 0
    assert remote("export", "code-snippets", "--directory=out").out.splitlines()[-1].startswith("Exported 1 instance")
    assert remote("remove", "code-snippets", "--name=travels").status == 0
    assert remote("import", "code-snippets", "--directory=out/code-snippets").out == "Imported 1 instance\n"
    assert "already exists" in remote("import", "code-snippets", "--directory=out/code-snippets").out
    assert remote("remove", "code-snippets", "--name=travels").status == 0
    assert remote("migrate", "component-registries").out.startswith("No instances of schemaspace component-registries")
    assert remote("create", "runtimes").out.startswith("ERROR: '--schema_name' is a required parameter")


def test_local_commands_are_refused_with_url(remote: InstanceShell) -> None:
    for words in (["move", "code-snippets", "--from=file", "--to=catalog"], ["recover", "code-snippets"]):
        done = remote(*words)
        assert done.status == 1
        assert "only on the machine with the files" in done.out


def test_kernel_and_empty_url_use_local_instances(remote: InstanceShell) -> None:
    for words, environment in ((["--url="], {}), ([], {"COLOPHON_KERNEL": "k1"})):
        here = replace(
            remote, commands=replace(remote.commands, environment={**remote.commands.environment, **environment})
        )
        assert here("list", "code-snippets", *words).out == "No metadata instances found for code-snippets\n"


def test_connection_errors_print_one_line(remote: InstanceShell, served: LiveServer) -> None:
    done = remote("list", "code-snippets", "--url=http://127.0.0.1:1/")
    assert (done.status, done.out.count("\n")) == (1, 1)
    assert "the server http://127.0.0.1:1/ did not answer" in done.out
    done = remote("list", "code-snippets", "--url=nonsense")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    stranger = replace(remote.commands, environment={"COLOPHON_URL": served.url, "COLOPHON_TOKEN": "wrong"})
    done = replace(remote, commands=stranger)("list", "code-snippets")
    assert (done.status, done.out) == (1, "the server does not accept the token\n")


def test_token_is_sent_only_to_its_server(remote: InstanceShell) -> None:
    with start_recording_server(lambda requested: requested.send_reply(403, b"{}")) as other:
        assert remote("list", "code-snippets", f"--url={other.url}").status == 1
    assert [headers.get("Authorization") for _, _, headers, _, _ in other.requested] == [None]
