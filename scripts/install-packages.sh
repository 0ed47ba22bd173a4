#!/usr/bin/env bash
# Installs the missing ones of the given Debian packages. Prints nothing if none is missing.
set -euo pipefail

missing=()
for package in "$@"; do
    status=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

command -v apt-get >/dev/null || {
    echo "wsx needs these packages, under the names your system gives them: ${missing[*]}"
    exit 1
}
elevate=()
[ "$(id -u)" -eq 0 ] || elevate=(sudo)
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${elevate[@]}" apt-get update -qq
"${elevate[@]}" apt-get install -qq --yes --no-install-recommends "${missing[@]}"
