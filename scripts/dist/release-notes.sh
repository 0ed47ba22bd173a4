#!/usr/bin/env bash
# Prints the section of CHANGELOG.md about one version, without its heading. With a URL, links to files are relative to it.
#
#     scripts/dist/release-notes.sh VERSION [URL]
set -euo pipefail
cd "$(dirname "$0")/../.."

notes=$(awk -v version="$1" '
    /^## / { found = $2 == version; next }
    found && (/./ || printed) { print; printed = 1 }
    END { exit !printed }' CHANGELOG.md) || {
    echo "release-notes: CHANGELOG.md says nothing about $1" >&2
    exit 1
}
sed -e "" ${2:+-e "s|](\([^):]*\))|]($2/\1)|g"} <<<"$notes"
