#!/usr/bin/env bash
# Fails unless everything that a release needs is set: the version, the change log, and the publisher.
#
#     scripts/dist/check-release.sh VERSION
set -euo pipefail
cd "$(dirname "$0")/../.."

version=$1
fail() { echo "check-release: $*" >&2; exit 1; }

grep -qxF "package let version = \"$version\"" Sources/UserInterface/Options/Version.swift ||
    fail "Sources/UserInterface/Options/Version.swift has another version than $version; correct the file or the tag"
grep -qF "## $version " <(sed 's/$/ /' CHANGELOG.md) ||
    fail "CHANGELOG.md has no heading for $version; rename the heading \"Unreleased\""
. packaging/maintainer
case "$MAINTAINER $REPOSITORY" in
    *.invalid\>* | *OWNER/*) fail "packaging/maintainer has example values; set MAINTAINER and REPOSITORY" ;;
esac
