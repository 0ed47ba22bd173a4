#!/usr/bin/env bash
# Builds peers that no package provides into .build/bench, from source trees that the user names:
#
#     make bench-peers UWEBSOCKETS=DIR USOCKETS=DIR TCPKALI=DIR
#
# UWEBSOCKETS and USOCKETS belong together. The source trees stay unchanged.
set -euo pipefail
cd "$(dirname "$0")/../.."
peers=$PWD/Benchmarks/peers out=$PWD/.build/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# version NAME DIR: adds the version of a source tree to the list that the table begins with.
version() {
    local text
    text=$(git -C "$2" describe --tags --always 2>/dev/null || echo "of unknown version")
    touch "$out/versions"
    grep -v "^$1 " "$out/versions" >"$work/versions" || true
    echo "$1 $text" >>"$work/versions"
    cp "$work/versions" "$out/versions"
}

if [ -n "${UWEBSOCKETS:-}" ]; then
    : "${USOCKETS:=$UWEBSOCKETS/uSockets}"
    [ -d "$USOCKETS/src" ] || { echo "bench-peers: uWebSockets needs USOCKETS=DIR" >&2; exit 1; }
    flags=(-O3 -DLIBUS_NO_SSL -I"$USOCKETS/src")
    for source in "$USOCKETS"/src/*.c "$USOCKETS"/src/eventing/*.c; do
        clang "${flags[@]}" -c -o "$work/$(basename "$source").o" "$source"
    done
    clang++ -std=c++20 "${flags[@]}" -DUWS_NO_ZLIB -I"$UWEBSOCKETS/src" \
        -o "$out/uwebsockets-echo" "$peers/uwebsockets_echo.cpp" "$work"/*.o
    clang "${flags[@]}" -o "$out/uwebsockets-load" "$UWEBSOCKETS/benchmarks/load_test.c" "$work"/*.o -lz
    version uWebSockets "$UWEBSOCKETS"
fi

if [ -n "${TCPKALI:-}" ]; then
    scripts/install-packages.sh autoconf automake bison flex libtool >&2
    cp -r "$TCPKALI" "$work/tcpkali"
    # tcpkali includes this header without using it, and newer versions of glibc lack it.
    mkdir -p "$work/headers/sys"
    touch "$work/headers/sys/sysctl.h"
    (
        cd "$work/tcpkali"
        autoreconf -i
        ./configure CPPFLAGS="-I$work/headers"
        make
    ) >"$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }
    cp "$work/tcpkali/src/tcpkali" "$out/"
    version tcpkali "$TCPKALI"
fi
ls "$out" >&2
