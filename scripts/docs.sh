#!/usr/bin/env bash
# Builds the API reference from the public headers into build/docs/html. A warning, or a public type without two
# sentences and an example, is an error.
set -euo pipefail
cd "$(dirname "$0")/.."
PROXSTREAM_VERSION=$(sed -n 's/^project(proxstream VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
export PROXSTREAM_VERSION
rm -rf build/docs
mkdir -p build/docs
doxygen docs/Doxyfile
scripts/check_api_docs.sh build/docs/xml
echo "API reference: file://$PWD/build/docs/html/index.html"
