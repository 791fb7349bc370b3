#!/usr/bin/env bash
# Fetches the published jars of a pom.xml with Maven, and checks each. On Debian, as root, Maven is installed if it is missing.
# usage: install_jars.sh FOLDER INTO; the folder has a pom.xml and jars.sha256
set -euo pipefail
here="$(cd "${1:?the folder of the pom.xml}" && pwd)"
into="${2:?the folder for the jars}"
if ! command -v mvn >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "The tests need Maven: install it (Debian: apt-get install maven)." >&2
    exit 1
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq maven >/dev/null
fi
# Maven runs on the Java that Spark runs on.
JAVA_HOME="$(python -c 'from jupyter_colophon.spark.java import ensure_java; print(ensure_java())')"
export JAVA_HOME
rm -rf "$into"
mkdir -p "$into"
into="$(cd "$into" && pwd)"
mvn --quiet --batch-mode --file "$here/pom.xml" \
  org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies "-DoutputDirectory=$into"
cd "$into"
sha256sum --check --quiet --strict "$here/jars.sha256"
[ "$(ls | wc -l)" = "$(wc -l <"$here/jars.sha256")" ] || { echo "there are other jars than jars.sha256 names" >&2; exit 1; }
