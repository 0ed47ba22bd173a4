#!/usr/bin/env bash
# Enforces the layers in docs/ARCHITECTURE.md: each folder of WSCore and of wsx compiles with the folders it may use and no
# others, and each C library is imported where it belongs.
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
typechecks StaticFiles/Semantics Bytes Handshake
typechecks Measuring Bytes Protocol Handshake Deflate
typechecks StaticFiles Bytes Handshake IO

# The folders of wsx: emits the modules that they import, then compiles each folder with those it may use.
modules=$(mktemp -d)
trap 'rm -rf "$modules"' EXIT
compile=(swiftc -swift-version 6 -package-name wsx -parse-as-library -I "$modules"
    -Xfrontend -disable-implicit-string-processing-module-import)
for library in Sources/C[A-Z]*/; do
    [ -f "$library/module.modulemap" ] && compile+=(-I "$library")
done

# emits MODULE: makes a module that the next ones can import.
emits() {
    local files output
    mapfile -t files < <(find "Sources/$1" -name '*.swift' | sort)
    output=$("${compile[@]}" -emit-module -emit-module-path "$modules/$1.swiftmodule" -module-name "$1" \
        "${files[@]}" 2>&1) || report "$1 does not compile:" "$(grep -m 3 error: <<<"$output")"
}
for module in WSCore CommandLine Formats Conversation LoadTest; do
    [ -d "Sources/$module" ] && emits "$module"
done

# The package manager generates these from the pages.
resources="$modules/resources.swift"
{
    echo "struct PackageResources {"
    find Sources/wsx -path '*/Page/*' -type f -printf '%f\n' | tr . _ | sed 's/.*/static let &: [UInt8] = []/'
    echo "}"
} >"$resources"

# uses FOLDER [FOLDER ...]: compiles the first folder of wsx with those it may use.
uses() {
    local files output
    mapfile -t files < <(cd Sources/wsx && find "$@" -name '*.swift' -printf 'Sources/wsx/%p\n' | sort -u)
    output=$("${compile[@]}" -typecheck -module-name wsx "${files[@]}" "$resources" 2>&1) ||
        report "wsx/$1 uses more than ${*:2}:" "$(grep -m 3 error: <<<"$output")"
}
uses Text
uses Options
uses Terminal Options
uses Manual Options Terminal
uses Program Options Terminal
uses Client Options Terminal Program
uses Pipe Options Terminal Program
uses Bench Options Terminal Program Client Text
uses Connect Options Terminal Program Client Pipe
uses Listen Options Terminal Program Pipe Text

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
