#!/usr/bin/env bash
# Install Chromium for the browser tests with apt, if it is missing and this is possible; otherwise, report it.
set -euo pipefail
for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
  if [ -n "$name" ] && command -v "$name" >/dev/null; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-dejavu-core >/dev/null
  exit 0
fi
echo "The browser tests need Chromium: install it (Debian: apt-get install chromium), or set CHROMIUM to its path." >&2
exit 1
