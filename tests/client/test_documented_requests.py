"""The commands of the documentation: shells can read all of them, and requests with curl work as they are printed."""

import re
import subprocess
from pathlib import Path
from textwrap import dedent

import pytest
from jupyter_colophon.client.operations import Operations
from live import LiveServer
from support.snippets import build_snippet

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "curl " in path.read_text() or "console" in path.read_text())
#: A refused request ends the shell with the answer.
SETUP = 'set -e\ncurl() { command curl --silent --show-error --fail-with-body "$@"; echo; }\n'


def read_commands(page: Path) -> str:
    """Return the commands of the page's blocks `bash` and `console`; of the latter those after the prompt."""
    text = ""
    for language, block in re.findall(r"^ *```(bash|console)\n(.*?)^ *```", page.read_text(), re.MULTILINE | re.DOTALL):
        code = dedent(block)
        if language == "console":
            code = "".join(re.findall(r"^\$ ((?:.*\\\n)*.*\n)", code, re.MULTILINE))
        text += code
    return text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_shell_can_read_commands(page: Path) -> None:
    done = subprocess.run(["bash", "-n"], input=read_commands(page), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_curl_is_only_called_in_blocks_of_a_shell() -> None:
    for page in PAGES:
        calls = re.findall(r"^[ $]*curl .*$", page.read_text(), re.MULTILINE)
        commands = read_commands(page)
        assert [call for call in calls if call.strip(" $") not in commands] == [], page


@pytest.mark.parametrize(
    "page", ["api", "v3", "how-to/check-data-quality", "how-to/keep-secrets", "how-to/report-on-runs"]
)
def test_documented_requests_succeed(server: LiveServer, catalog: Operations, page: str) -> None:
    catalog.submit_proposals({"proposals": [_describe_namespace("sales")]})
    if page == "api":
        catalog.create_instance("code-snippets", {"name": "hello", **build_snippet()})
    # Other commands than requests need data or answers.
    text = re.sub(r"^(jupyter .*|jq .*\n.*)\n", "", read_commands(DOCS / f"{page}.md"), flags=re.MULTILINE)
    text = text.replace("http://localhost:8888/", server.url).replace("token abc", f"token {server.token}")
    done = subprocess.run(["bash", "-c", SETUP + text], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def _describe_namespace(name: str) -> dict[str, object]:
    return {"urn": f"urn:li:namespace:{name}", "aspect": "status", "operation": "upsert", "value": {"removed": False}}
