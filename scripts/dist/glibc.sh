#!/usr/bin/env bash
# Prints the oldest version of glibc that a binary runs with.
#
#     scripts/dist/glibc.sh BINARY
set -euo pipefail

# GLIBC_ABI_DT_RELR, for short relocations, arrived with 2.36.
readelf --wide --version-info "$1" |
    sed -n 's/.*Name: GLIBC_\([0-9.]*\) .*/\1/p; s/.*Name: GLIBC_ABI_DT_RELR .*/2.36/p' | sort -V | tail -1
