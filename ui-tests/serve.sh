#!/usr/bin/env bash
# A JupyterLab of its own for the browser tests: empty home, empty catalog, a copy of the sample notebook.
# usage: serve.sh PORT TOKEN; JUPYTER_BIN names the folder of another installation's commands.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${JUPYTER_BIN:-$here/../.venv/bin}
home=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$home"' EXIT
mkdir -p "$home/notebooks"
cp "$here/../examples/flights.ipynb" "$home/notebooks/"
# Another extension with a renderer for an aspect of its own, built as its author builds it (docs/form-renderers.md).
cp -r "$here/../examples/contract-form" "$home/contract-form"
ln -s "$here/../node_modules" "$home/contract-form/node_modules"
PATH="$here/../.venv/bin:$PATH" jupyter-builder build --development True "$home/contract-form" >/dev/null
mkdir -p "$home/data/labextensions"
cp -r "$home/contract-form/labextension" "$home/data/labextensions/acme-contracts"
# No question about news in the way.
settings="$home/config/lab/user-settings/@jupyterlab/apputils-extension"
mkdir -p "$settings"
echo '{ "fetchNews": "false", "checkForUpdates": false }' > "$settings/notification.jupyterlab-settings"
export HOME="$home" JUPYTER_DATA_DIR="$home/data" JUPYTER_CONFIG_DIR="$home/config" JUPYTER_RUNTIME_DIR="$home/runtime"
export IPYTHONDIR="$home/ipython" PATH="$bin:$PATH"
# As in tests/support/java.py: Spark's Java runs for a minute, and thorough compiling costs it more than it gives.
export SPARK_SUBMIT_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC ${SPARK_SUBMIT_OPTS:-}"
cd "$home/notebooks"
"$bin/jupyter" lab --no-browser --allow-root --port="$1" --ServerApp.port_retries=0 --IdentityProvider.token="$2" \
  --ServerApp.root_dir="$home/notebooks" --LabApp.expose_app_in_browser=True \
  --Colophon.entity_registry="$home/contract-form/registry/entity-registry.yml" &
server=$!
wait "$server"
