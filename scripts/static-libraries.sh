#!/usr/bin/env bash
# Gathers the static forms of the C libraries in a folder, from where the linker takes them in place of the shared
# ones: a binary that loads ten shared libraries takes twice as long to start. Libraries without a static form are
# left to the shared one.
set -euo pipefail

mkdir -p "$1/pkgconfig"
target=$(cd "$1" && pwd)

# place NAME FILE: makes FILE the library that -lNAME finds first.
place() {
    local found
    found=$(clang -print-file-name="$2" 2>/dev/null || true)
    case $found in /*) ln -sf "$found" "$target/lib$1.a" ;; esac
}
place uv libuv_a.a
place crypto libcrypto.a
place z libz.a
place idn2 libidn2.a
place unistring libunistring.a
place readline libreadline.a
place tinfo libtinfo.a
place stdc++ libstdc++.a

# The package manager asks pkg-config where libraries are, and puts the answer before all else.
# describe PACKAGE -lNAME [-lNAME ...]: what the package consists of.
describe() {
    cat >"$target/pkgconfig/$1.pc" <<PC
Name: $1
Description: $1, linked statically
Version: $(pkg-config --modversion "$1")
Cflags: $(pkg-config --cflags "$1")
Libs: -L$target ${*:2} -lpthread -ldl
PC
}
describe libuv -luv
describe libcrypto -lcrypto
describe zlib -lz
describe libidn2 -lidn2 -lunistring
