"""DataHub's own clients, unmodified, in an environment of their own, before a real server behind a base URL."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from live import LiveServer
from support.clients import CLIENTS, server

__all__ = ["server"]
Program = Callable[..., Any]


@pytest.fixture(scope="session")
def environment(server: LiveServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The configuration of the clients: the address of our server, and no telemetry."""
    return {
        "PATH": f"{CLIENTS}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path_factory.mktemp("home")),
        "DATAHUB_GMS_URL": f"{server.url}colophon/datahub",
        "DATAHUB_GMS_TOKEN": server.token,
        "DATAHUB_TELEMETRY_ENABLED": "false",
        "DATAHUB_SKIP_CONFIG": "true",
    }


@pytest.fixture
def program(environment: dict[str, str]) -> Program:
    """`program("… print(json.dumps(…))")`: the output of a Python program that uses the client; it must succeed."""

    def run(text: str) -> Any:
        done = subprocess.run(
            [CLIENTS / "python", "-c", _BEFORE + text],
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout.strip().splitlines()[-1])

    return run


@pytest.fixture
def datahub(environment: dict[str, str], tmp_path: Path) -> Callable[..., str]:
    """`datahub("get", "--urn", …)`: the command line, in a folder of its own; its output."""

    def run(*words: str) -> str:
        done = subprocess.run(
            [CLIENTS / "datahub", *words],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    return run


_BEFORE = """
import json, os, time
from datahub.emitter.mcp import MetadataChangeProposalWrapper as MCP
from datahub.emitter.rest_emitter import DatahubRestEmitter
from datahub.ingestion.graph.client import DataHubGraph
from datahub.ingestion.graph.config import DatahubClientConfig
from datahub.metadata.schema_classes import *

URL, TOKEN = os.environ["DATAHUB_GMS_URL"], os.environ["DATAHUB_GMS_TOKEN"]
emitter = DatahubRestEmitter(URL, token=TOKEN)
def graph(): return DataHubGraph(DatahubClientConfig(server=URL, token=TOKEN))
def urn(name): return f"urn:li:dataset:(urn:li:dataPlatform:hive,{name},PROD)"
"""
