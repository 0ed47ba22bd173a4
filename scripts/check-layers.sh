#!/usr/bin/env bash
# Enforces the layers of docs/ARCHITECTURE.md. Each folder must compile with only the folders of its target that it may
# use, and each C library may be imported only in its designated place. With --all, also checks the folders of the other
# targets and subfolders of wsx, which takes several times as long.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
report() {
    echo "layers: $*" | tee -a "$scratch/problems" >&2
}

# in_turn COMMAND ...: runs a check in the background, with at most one check per processor.
in_turn() {
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
    "$@" &
}

# typechecks FOLDER [FOLDER ...]: compiles the first folder with only the others, which it may use. Includes subfolders.
typechecks() {
    local files output
    mapfile -t files < <(cd Sources/WSCore && find "$@" -name '*.swift' -printf 'Sources/WSCore/%p\n' | sort -u)
    output=$(swiftc -typecheck -swift-version 6 -package-name wsx -module-name WSCore \
        -I Sources/CLibuv -I Sources/COpenSSL -I Sources/CZlib -I Sources/CIDN2 "${files[@]}" 2>&1) ||
        report "$1 uses more than ${*:2}:" "$(grep -m 3 error: <<<"$output")"
}
in_turn typechecks Bytes
in_turn typechecks Protocol/Frames Bytes
in_turn typechecks Protocol Bytes
in_turn typechecks Handshake/Auth Bytes
in_turn typechecks Handshake/URL Bytes Handshake/Auth
in_turn typechecks Handshake/HTTP Bytes Handshake/Auth Handshake/URL
in_turn typechecks Handshake/Cookies Bytes Handshake/Auth Handshake/URL Handshake/HTTP
in_turn typechecks Handshake Bytes
in_turn typechecks Proxy Bytes Handshake
in_turn typechecks Deflate Bytes Protocol Handshake
in_turn typechecks TLS/Certificates Bytes Handshake
in_turn typechecks TLS Bytes Handshake
in_turn typechecks IO/Files Bytes
in_turn typechecks IO/Loop Bytes IO/Files
in_turn typechecks IO/Log Bytes IO/Files IO/Loop
in_turn typechecks IO/Streams Bytes IO/Files IO/Loop
in_turn typechecks IO Bytes
in_turn typechecks Continuity Bytes Protocol
in_turn typechecks StaticFiles/Semantics Bytes Handshake
in_turn typechecks Measuring Bytes Protocol Handshake Deflate
in_turn typechecks StaticFiles Bytes Handshake IO
in_turn typechecks Connection/Streams Bytes Handshake TLS IO
in_turn typechecks Connection/Client Bytes Protocol Handshake Deflate Proxy TLS IO Connection/Streams

# The folders of the other targets: emits the modules they import, then compiles each folder with only those it may use.
modules=$scratch
compile=(swiftc -swift-version 6 -package-name wsx -parse-as-library -I "$modules"
    -Xfrontend -disable-implicit-string-processing-module-import)
for library in Sources/C[A-Z]*/; do
    [ -f "$library/module.modulemap" ] && compile+=(-I "$library")
done

# emits MODULE: builds a module that later modules can import.
emits() {
    local files output
    mapfile -t files < <(find "Sources/$1" -name '*.swift' | sort)
    output=$("${compile[@]}" -emit-module -emit-module-path "$modules/$1.swiftmodule" -module-name "$1" \
        "${files[@]}" 2>&1) || report "$1 does not compile:" "$(grep -m 3 error: <<<"$output")"
}
for module in WSCore CommandLine Formats Conversation LoadTest; do
    [ -d "Sources/$module" ] && emits "$module"
done

# The package manager generates these constants from the page files.
resources="$modules/resources.swift"
{
    echo "struct PackageResources {"
    find Sources/wsx -path '*/Page/*' -type f -printf '%f\n' | tr . _ | sed 's/.*/static let &: [UInt8] = []/'
    echo "}"
} >"$resources"

# uses TARGET FOLDER [FOLDER ...]: compiles the first folder of a target with only the others, which it may use.
uses() {
    local target=$1 files output
    shift
    mapfile -t files < <(cd "Sources/$target" && find "$@" -name '*.swift' -printf "Sources/$target/%p\n" | sort -u)
    [ "$target" != wsx ] || files+=("$resources")
    output=$("${compile[@]}" -typecheck -module-name "$target" "${files[@]}" 2>&1) ||
        report "$target/$1 uses more than ${*:2}:" "$(grep -m 3 error: <<<"$output")"
}
in_turn uses wsx Text
in_turn uses wsx Options/Values
in_turn uses wsx Options/Groups Options/Values Options/OptionHeadings.swift
in_turn uses wsx Options
in_turn uses wsx Terminal Options
in_turn uses wsx Manual Options Terminal
in_turn uses wsx Program Options Terminal
in_turn uses wsx Client Options Terminal Program
in_turn uses wsx Pipe Options Terminal Program
in_turn uses wsx Bench Options Terminal Program Client Text
in_turn uses wsx Exec Options Terminal Program Pipe
in_turn uses wsx Connect Options Terminal Program Client Pipe Exec
in_turn uses wsx Listen Options Terminal Program Pipe Exec Text
if [ "${1:-}" = --all ]; then
    in_turn uses CommandLine Values
    in_turn uses CommandLine Errors Values
    in_turn uses CommandLine Specification Errors Values
    in_turn uses CommandLine Output Specification Errors Values
    in_turn uses CommandLine Parsing Output Specification Errors Values
    in_turn uses Formats Text
    in_turn uses Formats JSON Text
    in_turn uses Conversation Templates
    in_turn uses Conversation Data Templates
    in_turn uses Conversation Matching Templates
    in_turn uses Conversation Exchange Matching Templates
    in_turn uses Conversation Scenario Matching Templates
    in_turn uses Conversation Requests
    in_turn uses Conversation Protocols/Support Requests
    in_turn uses Conversation Protocols/Packets Protocols/Support Requests
    in_turn uses LoadTest Pacing
    in_turn uses LoadTest Messages
    in_turn uses LoadTest Measurement Pacing
    in_turn uses LoadTest Load Measurement Messages Pacing
    in_turn uses LoadTest Exchange Load Measurement Messages Pacing
    in_turn uses LoadTest Workloads Exchange Load Measurement Messages Pacing
    in_turn uses LoadTest Results Workloads Exchange Load Measurement Messages Pacing
    in_turn uses LoadTest Judging Results Workloads Exchange Load Measurement Messages Pacing
    in_turn uses wsx Terminal/Layout
    in_turn uses wsx Terminal/Transcript Terminal/Layout Options
    in_turn uses wsx Terminal/History Options
    in_turn uses wsx Terminal/Commands Terminal/History Terminal/Layout Options
    in_turn uses wsx Terminal/Editing Terminal/Commands Terminal/History Terminal/Layout Options
fi

# LoadTest does no I/O: loops, clocks, and descriptors are behind LoadHost and LoadPort.
io='EventLoop|Timer|PreciseTimer|Server|Connector|SystemStream|StandardDescriptors|File|OutputFile|ProcessorTime|SecureRandom'
found=$(grep -rnE "^[^/\"]*\b($io)\b[.(<]|WallTime\.now" Sources/LoadTest || true)
[ -z "$found" ] || report "LoadTest does I/O:" "$found"

# imports_only MODULE PATTERN: only Swift files that match the pattern may import the module.
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
imports_only CMessagePack '^Sources/Formats/Codecs/MessagePack.swift$'
imports_only 'Foundation[A-Za-z]*' '^$'
# The option engine imports no module, and WSCore and Formats do not import it.
[ -z "$(grep -rlE '^ *(@[a-z_]+ )?import ' Sources/CommandLine)" ] || report "CommandLine imports a module"
imports_only CommandLine '^Sources/(LoadTest|wsx)/'
imports_only Formats '^Sources/(Conversation|LoadTest|wsx)/'
# The C library: IO uses descriptors and the clock, and the program uses memchr, exit, and the environment.
imports_only Glibc '^Sources/(WSCore/IO/|wsx/Pipe/RecordSplitter.swift$|wsx/(Terminal/Commands/UserFiles|Main/Wsx).swift$)'

wait
[ ! -s "$scratch/problems" ]
