#!/usr/bin/env bash
# Installs the missing ones of the given Debian packages, after it has named them. A name that ends with a question mark
# may have no package on the system, such as Chromium on Ubuntu, where it is a snap. Prints nothing if none is missing.
set -euo pipefail

missing=()
optional=" "
for package in "$@"; do
    name=${package%\?}
    status=$(dpkg-query --show --showformat '${db:Status-Status}' "$name" 2>/dev/null || true)
    [ "$status" = installed ] && continue
    missing+=("$name")
    [ "$name" = "$package" ] || optional+="$name "
done
[ ${#missing[@]} -gt 0 ] || exit 0

command -v apt-get >/dev/null || {
    echo "wsx needs these packages, under the names your system gives them: ${missing[*]}"
    exit 1
}
elevate=()
if [ "$(id -u)" -ne 0 ]; then
    elevate=(sudo)
    command -v sudo >/dev/null || {
        echo "these packages are missing, and there is no sudo to install them: ${missing[*]}"
        exit 1
    }
fi
export DEBIAN_FRONTEND=noninteractive

# Sorts the missing packages into those that the lists of apt have, and those that must have been there.
look_up() {
    available=() unknown=()
    local package
    for package in "${missing[@]}"; do
        if apt-cache show --quiet=2 "$package" >/dev/null 2>&1; then
            available+=("$package")
        elif [[ $optional != *" $package "* ]]; then
            unknown+=("$package")
        fi
    done
}
look_up
if [ ${#unknown[@]} -gt 0 ] || ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
    echo "looking for ${missing[*]}"
    "${elevate[@]}" apt-get update -qq
    look_up
fi
if [ ${#unknown[@]} -gt 0 ]; then
    echo "there is no package ${unknown[*]} here"
    exit 1
fi
[ ${#available[@]} -gt 0 ] || exit 0
echo "installing ${available[*]}"
"${elevate[@]}" apt-get install -qq --yes --no-install-recommends "${available[@]}"
