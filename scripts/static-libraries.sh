#!/usr/bin/env bash
# Collects the static C libraries in a folder where the linker finds them before the shared ones. A binary that loads
# ten shared libraries takes twice as long to start. Libraries without a static version remain shared.
set -euo pipefail

mkdir -p "$1/pkgconfig"
target=$(cd "$1" && pwd)

# place NAME FILE: makes FILE the first match for -lNAME.
place() {
    local found
    found=$(clang -print-file-name="$2" 2>/dev/null || true)
    case $found in /*) ln -sf "$found" "$target/lib$1.a" ;; esac
}
place crypto libcrypto.a
place ssl libssl.a
place z libz.a
place idn2 libidn2.a
place unistring libunistring.a
place pcre2-8 libpcre2-8.a
place nghttp2 libnghttp2.a
place readline libreadline.a
place tinfo libtinfo.a
place stdc++ libstdc++.a

# The package manager asks pkg-config for libraries and puts the answer first on the command line.
# describe PACKAGE NAME [NAME ...]: declares that the package consists of the libraries found by -lNAME.
describe() {
    local package=$1
    shift
    cat >"$target/pkgconfig/$package.pc" <<PC
Name: $package
Description: $package, linked statically
Version: $(pkg-config --modversion "$package")
Cflags: $(pkg-config --cflags "$package")
Libs: -L$target $(pkg-config --libs-only-L "$package") ${*/#/-l} -lpthread -ldl
PC
}
# OpenSSL may use zlib and zstd itself, as in Debian 13.
own=$(pkg-config --static --libs-only-l libcrypto | tr ' ' '\n' | sed -n 's/^-l\(z\|zstd\)$/\1/p')
case $own in *zstd*)
    pkg-config --exists libzstd || scripts/install-packages.sh libzstd-dev >&2
    place zstd libzstd.a
    ;;
esac
describe openssl ssl crypto $own
describe zlib z
describe libidn2 idn2 unistring
describe libpcre2-8 pcre2-8
describe libnghttp2 nghttp2
