#!/usr/bin/env bash
# Start a JupyterLab for the browser tests, with an empty home, an empty catalog and a copy of the sample notebook.
# usage: serve.sh PORT TOKEN BASE_URL
# JUPYTER_APP: `notebook` for Notebook 7, in its environment.
# JUPYTER_BIN: the folder of the commands of another installation.
# CATALOG: the file of a catalog that is copied and used instead of an empty one.
# SHIPPED_APP: the shipped application that is switched on, instead of `reports`.
# DEMO: if set, use a fixed home and user name, and no example extension, for the screenshots of the documentation.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bin=${JUPYTER_BIN:-$here/../.venv/bin}
if [ -n "${DEMO:-}" ]; then
  home=${TMPDIR:-/tmp}/colophon-demo
  mkdir "$home"
  export LOGNAME=ada USER=ada
else
  home=$(mktemp -d)
fi
trap 'kill "${server:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$home"' EXIT
mkdir -p "$home/notebooks"
cp "$here/../examples/flights.ipynb" "$home/notebooks/"
# Record access to what is marked as sensitive, for the page of the audit.
options=(--Colophon.audit=on --Colophon.shipped_system_apps="${SHIPPED_APP:-reports}")
app=$bin/jupyter-lab
if [ "${JUPYTER_APP:-lab}" = notebook ]; then
  app=$here/../.venv/notebook/bin/jupyter-notebook
  # The server extension is installed in the environment below.
  export JUPYTER_CONFIG_PATH="$here/../.venv/etc/jupyter"
fi
if [ -z "${DEMO:-}" ]; then
  # An extension with its own aspect, built as its author builds it (docs/how-to/extend-the-user-interface.md). Its
  # types are checked by labextension/test/package.spec.ts.
  cp -r "$here/../examples/acme-contracts" "$home/acme-contracts"
  ln -s "$here/../node_modules" "$home/acme-contracts/node_modules"
  "$here/../node_modules/.bin/tsc" -p "$home/acme-contracts" --noCheck
  PATH="$here/../.venv/bin:$PATH" jupyter-builder build --development True "$home/acme-contracts" >/dev/null
  mkdir -p "$home/data/labextensions"
  cp -r "$home/acme-contracts/labextension" "$home/data/labextensions/acme-contracts"
  options+=(--Colophon.entity_registry="$home/acme-contracts/registry/entity-registry.yml")
  # A package with a system application and its panel, as pip installs it (docs/how-to/write-an-application.md).
  about="$home/packages/shop_bookmarks-1.0.dist-info"
  mkdir -p "$about"
  cp -r "$here/../examples/shop-bookmarks/shop_bookmarks" "$home/packages/"
  printf 'Metadata-Version: 2.1\nName: shop-bookmarks\nVersion: 1.0\n' > "$about/METADATA"
  printf '[jupyter_colophon.system_apps]\nbookmarks = shop_bookmarks:Bookmarks\n' > "$about/entry_points.txt"
  export PYTHONPATH="$home/packages${PYTHONPATH:+:$PYTHONPATH}"
  # The tests write files to prepare into the folder of temporary files.
  options+=(--Colophon.shipped_system_apps=dataprep)
  export COLOPHON_DATAPREP_FOLDERS="${TMPDIR:-/tmp}" COLOPHON_DATAPREP_HOSTS=127.0.0.1
fi
if [ -n "${CATALOG:-}" ]; then
  mkdir -p -m 700 "$home/data/colophon"
  cp "$here/$CATALOG" "$home/data/colophon/colophon.db"
fi
if [ -z "${JUPYTER_BIN:-}" ]; then
  # The frontend as users get it: built for production, from what `jlpm build` compiled.
  mkdir -p "$home/frontend/server_ext/jupyter_colophon" "$home/frontend/labextensions"
  ln -s "$here/../node_modules" "$here/../labextension" "$home/frontend/"
  cp "$here/../package.json" "$home/frontend/"
  PATH="$bin:$PATH" jupyter-builder build "$home/frontend" >/dev/null
  ln -s "$home/frontend/server_ext/jupyter_colophon/_labextension" "$home/frontend/labextensions/jupyter-colophon"
  # Before the folders of the virtual environment.
  export JUPYTER_PATH="$home/frontend"
fi
# Without JupyterLab's dialog about news.
settings="$home/config/lab/user-settings/@jupyterlab/apputils-extension"
mkdir -p "$settings"
echo '{ "fetchNews": "false", "checkForUpdates": false }' > "$settings/notification.jupyterlab-settings"
export HOME="$home" JUPYTER_DATA_DIR="$home/data" JUPYTER_CONFIG_DIR="$home/config" JUPYTER_RUNTIME_DIR="$home/runtime"
export IPYTHONDIR="$home/ipython" PATH="$bin:$PATH"
# As in tests/support/java.py: Spark runs for about a minute, in which an optimizing compiler costs more than it saves.
export SPARK_SUBMIT_OPTS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC ${SPARK_SUBMIT_OPTS:-}"
cd "$home/notebooks"
"$app" --no-browser --allow-root --port="$1" --ServerApp.port_retries=0 --IdentityProvider.token="$2" \
  --ServerApp.base_url="$3" --ServerApp.root_dir="$home/notebooks" \
  --LabApp.expose_app_in_browser=True --JupyterNotebookApp.expose_app_in_browser=True \
  "${options[@]}" &
server=$!
wait "$server"
