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
place ssl libssl.a
place z libz.a
place idn2 libidn2.a
place unistring libunistring.a
place pcre2-8 libpcre2-8.a
place readline libreadline.a
place tinfo libtinfo.a
place stdc++ libstdc++.a

# The package manager asks pkg-config where libraries are, and puts the answer before all else.
# describe PACKAGE NAME [NAME ...]: the package is the libraries that -lNAME finds.
describe() {
    local package=$1
    shift
    cat >"$target/pkgconfig/$package.pc" <<PC
Name: $package
Description: $package, linked statically
Version: $(pkg-config --modversion "$package")
Cflags: $(pkg-config --cflags "$package")
Libs: -L$target ${*/#/-l} -lpthread -ldl
PC
}
describe libuv uv
describe openssl ssl crypto
describe zlib z
describe libidn2 idn2 unistring
describe libpcre2-8 pcre2-8
