#!/usr/bin/env bash
# Run the browser tests on the oldest supported JupyterLab, with the wheel installed as by a user.
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
