#!/usr/bin/env bash
# Holds the floors of docs/ARCHITECTURE.md: each folder of WSCore compiles with those below it and nothing else,
# and each C library is imported where it belongs.
set -euo pipefail
cd "$(dirname "$0")/.."

fail=0
report() {
    echo "layers: $*" >&2
    fail=1
}

# typechecks FOLDER [FOLDER ...]: the first folder together with those it may use.
typechecks() {
    local files=()
    for folder in "$@"; do files+=(Sources/WSCore/"$folder"/*.swift); done
    swiftc -typecheck -swift-version 6 -package-name wsx -module-name WSCore \
        -I Sources/CLibuv -I Sources/COpenSSL -I Sources/CZlib -I Sources/CIDN2 "${files[@]}" >/tmp/wsx-layers.$$ 2>&1 ||
        report "$1 uses more than ${*:2}:" "$(grep -m 3 error: /tmp/wsx-layers.$$)"
    rm -f /tmp/wsx-layers.$$
}
typechecks Bytes
typechecks Protocol Bytes
typechecks Handshake Bytes
typechecks Proxy Bytes Handshake
typechecks Deflate Bytes Protocol Handshake
typechecks TLS Bytes Handshake
typechecks IO Bytes
typechecks Continuity Bytes Protocol
typechecks Web Bytes Handshake
typechecks Measuring Bytes Protocol Handshake Deflate
typechecks Site Bytes Handshake IO Web

# imports_only MODULE PATTERN: no Swift file outside the pattern imports the module.
imports_only() {
    local found
    found=$(grep -rlE "^ *(@[a-z_]+ )?import $1\b" Sources --include '*.swift' | grep -vE "$2" || true)
    [ -z "$found" ] || report "$1 is imported by" $found
}
imports_only CLibuv '^Sources/WSCore/IO/'
imports_only COpenSSL '^Sources/WSCore/(TLS/|Handshake/Digest.swift$)'
imports_only CIDN2 '^Sources/WSCore/Handshake/InternationalName.swift$'
imports_only CZlib '^Sources/WSCore/Deflate/'
imports_only CReadline '^Sources/wsx/Terminal/'
imports_only CPCRE2 '^Sources/wsx/Text/Pattern.swift$'
imports_only 'Foundation[A-Za-z]*' '^$'
# The C library: descriptors and the clock in IO; memchr, exit and the environment in the program.
imports_only '(Glibc|Darwin)' '^Sources/(WSCore/IO/|wsx/Pipe/RecordSplitter.swift$|wsx/Program/(UserFiles|Wsx).swift$)'

exit $fail
