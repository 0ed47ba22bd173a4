#!/usr/bin/env bash
# Prints the Homebrew formula of a release.
#
#     scripts/dist/formula.sh VERSION SHA256SUMS [OWNER/REPOSITORY]
#
# SHA256SUMS lists the tarballs of both architectures.
set -euo pipefail

version=$1 sums=$2
packaging=$(dirname "$0")/../../packaging
. "$packaging/maintainer"
repository=${3:-$REPOSITORY}
case $repository in
    OWNER/*)
        echo "formula: $repository is an example; set REPOSITORY in packaging/maintainer, or give a third argument" >&2
        exit 1
        ;;
esac

checksum() {
    awk -v name="wsx-$version-$1-linux.tar.gz" '$2 == name { print $1; found = 1 } END { exit !found }' "$sums" || {
        echo "formula: $sums lacks wsx-$version-$1-linux.tar.gz" >&2
        exit 1
    }
}
intel=$(checksum x86_64)
arm=$(checksum aarch64)

sed -e '/^# OWNER/d; /^#$/d' \
    -e "s|OWNER/wsx|$repository|; s|version \"0.0.0\"|version \"$version\"|" \
    -e "s|SHA256_X86_64|$intel|; s|SHA256_AARCH64|$arm|" "$packaging/homebrew/wsx.rb"
