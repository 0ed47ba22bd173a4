#!/usr/bin/env bash
# Installs the missing ones of the given Debian packages, and names those the system does not have, such as Chromium of
# Ubuntu, which is a snap. Prints nothing if none is missing.
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
export DEBIAN_FRONTEND=noninteractive
"${elevate[@]}" apt-get update -qq
available=()
for package in "${missing[@]}"; do
    if apt-cache show --quiet=2 "$package" >/dev/null 2>&1; then available+=("$package"); else echo "no package $package here"; fi
done
[ ${#available[@]} -gt 0 ] || exit 0
echo "installing ${available[*]}"
"${elevate[@]}" apt-get install -qq --yes --no-install-recommends "${available[@]}"
