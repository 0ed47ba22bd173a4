#!/usr/bin/env bash
# Prints the licenses of a wsx binary: its own, then those of the libraries that are linked statically. With --packages,
# prints the Debian packages of these libraries instead, and with --sources their source packages, in the form of the
# field Built-Using.
set -euo pipefail
cd "$(dirname "$0")/../.."

# msgpack-c has only headers.
packages=$({
    readlink -f .build/static/lib*.a | xargs dpkg-query --search | cut -d: -f1
    echo libmsgpack-dev
} | sort -u)

if [ "${1:-}" = --packages ]; then
    echo "$packages"
    exit
fi
if [ "${1:-}" = --sources ]; then
    # shellcheck disable=SC2086
    dpkg-query --show --showformat '${source:Package} (= ${source:Version})\n' $packages | sort -u | paste -sd, |
        sed 's/,/, /g'
    exit
fi

section() { printf '\n\n==== %s ====\n\n' "$1"; }

cat LICENSE
cat <<'TEXT'

The binary contains the libraries below, each under its own license. The texts they refer to are in
/usr/share/common-licenses on Debian, and next to this file elsewhere.
TEXT
section "Swift standard library"
cat <<'TEXT'
Copyright (c) 2014 Apple Inc. and the Swift project authors

Licensed under the Apache License, version 2.0, with Runtime Library Exception.
TEXT
sed -n '/^## Runtime Library Exception/,$p' \
    "$(dirname "$(readlink -f "$(command -v swift)")")/../share/swift/LICENSE.txt"
for package in $packages; do
    section "$(dpkg-query --show --showformat '${source:Package} ${source:Version}' "$package")"
    cat "/usr/share/doc/$package/copyright"
done
