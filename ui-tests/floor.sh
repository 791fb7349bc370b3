#!/usr/bin/env bash
# The journeys on the oldest JupyterLab that is supported, with the wheel as a user installs it.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
PYTHONPATH=tests .venv/bin/python -c "
import sys; from pathlib import Path; from support import wheel
folder = Path(sys.argv[1]); built = wheel.build(folder)
wheel.environment(folder / 'venv', f'{built}[sample]', 'jupyterlab==4.5.10')" "$folder"
cd ui-tests
JUPYTER_BIN="$folder/venv/bin" npx playwright test
