#!/usr/bin/env bash
# Run browser tests on the oldest supported JupyterLab, with the wheel installed as by a user, without a base URL: those
# of what JupyterLab provides (notebooks, files, palette, menus, layout, editors, forms, other extensions).
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
PYTHONPATH=tests .venv/bin/python -c "
import sys; from pathlib import Path; from support import distribution
folder = Path(sys.argv[1]); _, wheel = distribution.build_distributions(folder)
distribution.create_virtual_environment(folder / 'venv', f'{wheel}[sample,spark]', 'jupyterlab==4.5.10')" "$folder"
cd ui-tests
JUPYTER_BIN="$folder/venv/bin" LAB_TEST_BASE=/ npx playwright test journey cells entry-points panels forms instance schemaspaces
