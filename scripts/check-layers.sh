#!/usr/bin/env bash
# Enforces the layers in docs/ARCHITECTURE.md: each folder of WSCore compiles with the folders it may use and no others,
# and each C library is imported where it belongs.
set -euo pipefail
cd "$(dirname "$0")/.."

fail=0
report() {
    echo "layers: $*" >&2
    fail=1
}

# typechecks FOLDER [FOLDER ...]: compiles the first folder with those it may use, each with its subfolders.
typechecks() {
    local files output
    mapfile -t files < <(cd Sources/WSCore && find "$@" -name '*.swift' -printf 'Sources/WSCore/%p\n' | sort -u)
    output=$(swiftc -typecheck -swift-version 6 -package-name wsx -module-name WSCore \
        -I Sources/CLibuv -I Sources/COpenSSL -I Sources/CZlib -I Sources/CIDN2 "${files[@]}" 2>&1) ||
        report "$1 uses more than ${*:2}:" "$(grep -m 3 error: <<<"$output")"
}
typechecks Bytes
typechecks Protocol Bytes
typechecks Handshake/Auth Bytes
typechecks Handshake/URL Bytes Handshake/Auth
typechecks Handshake/HTTP Bytes Handshake/Auth Handshake/URL
typechecks Handshake/Cookies Bytes Handshake/Auth Handshake/URL Handshake/HTTP
typechecks Handshake Bytes
typechecks Proxy Bytes Handshake
typechecks Deflate Bytes Protocol Handshake
typechecks TLS Bytes Handshake
typechecks IO/Files Bytes
typechecks IO/Loop Bytes IO/Files
typechecks IO/Log Bytes IO/Files IO/Loop
typechecks IO/Streams Bytes IO/Files IO/Loop
typechecks IO Bytes
typechecks Continuity Bytes Protocol
typechecks Web Bytes Handshake
typechecks Measuring Bytes Protocol Handshake Deflate
typechecks Site Bytes Handshake IO Web

# LoadTest does no I/O: what takes a loop, a clock, or a descriptor goes through LoadHost and LoadPort.
io='EventLoop|Timer|PreciseTimer|Server|Connector|SystemStream|StandardDescriptors|File|OutputFile|ProcessorTime|SecureRandom'
found=$(grep -rnE "^[^/\"]*\b($io)\b[.(<]|WallTime\.now" Sources/LoadTest || true)
[ -z "$found" ] || report "LoadTest does I/O:" "$found"

# imports_only MODULE PATTERN: no Swift file outside the pattern imports the module.
imports_only() {
    local found
    found=$(grep -rlE "^ *(@[a-z_]+ )?import $1\b" Sources --include '*.swift' | grep -vE "$2" || true)
    [ -z "$found" ] || report "$1 is imported by" $found
}
imports_only CLibuv '^Sources/WSCore/IO/'
imports_only COpenSSL '^Sources/WSCore/(TLS/|Handshake/Auth/Digest.swift$)'
imports_only CIDN2 '^Sources/WSCore/Handshake/URL/InternationalName.swift$'
imports_only CZlib '^Sources/WSCore/Deflate/'
imports_only CReadline '^Sources/wsx/Terminal/'
imports_only CPCRE2 '^Sources/Formats/Text/Pattern.swift$'
imports_only 'Foundation[A-Za-z]*' '^$'
# The option engine knows no other module, and neither WSCore nor Formats knows it.
[ -z "$(grep -rlE '^ *(@[a-z_]+ )?import ' Sources/CommandLine)" ] || report "CommandLine imports a module"
imports_only CommandLine '^Sources/(LoadTest|wsx)/'
imports_only Formats '^Sources/(Conversation|LoadTest|wsx)/'
# The C library: descriptors and the clock in IO; memchr, exit and the environment in the program.
imports_only '(Glibc|Darwin)' '^Sources/(WSCore/IO/|wsx/Pipe/RecordSplitter.swift$|wsx/(Program/UserFiles|Main/Wsx).swift$)'

exit $fail
