#!/usr/bin/env bash
# Installs missing Debian packages that contain a service, each given as PACKAGE:SERVICE, and stops their services. The
# tests start the programs themselves, and installing them must not leave a proxy running.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=()
services=()
for pair in "$@"; do
    package=${pair%%:*}
    status=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] && continue
    packages+=("$package")
    services+=("${pair#*:}")
done
[ ${#packages[@]} -gt 0 ] || exit 0

scripts/install-packages.sh "${packages[@]}"
elevate=()
[ "$(id -u)" -eq 0 ] || elevate=(sudo)
for service in "${services[@]}"; do
    if [ -d /run/systemd/system ]; then
        "${elevate[@]}" systemctl disable --quiet --now "$service" 2>/dev/null || true
    elif [ -x "/etc/init.d/$service" ]; then
        "${elevate[@]}" "/etc/init.d/$service" stop >/dev/null 2>&1 || true
    fi
done
