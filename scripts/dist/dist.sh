#!/usr/bin/env bash
# Packs wsx: a tarball, a Debian package, an RPM package, an OCI image archive, an SPDX document, and SHA256SUMS. `make
# dist` runs it.
#
#     scripts/dist/dist.sh BINARY DIRECTORY
#
# The same commit and binary give the same bytes, wherever and whenever this runs. SOURCE_DATE_EPOCH, by default the time
# of the last commit, dates every file. MINIMUM_GLIBC fails a binary that needs a newer glibc. With WSX_SIGNING_KEY, a key
# of GnuPG's keyring, SHA256SUMS.asc is its signature.
set -euo pipefail
umask 022
export LC_ALL=C TZ=UTC

binary=$(realpath "$1")
mkdir -p "$2"
output=$(realpath "$2")
cd "$(dirname "$0")/../.."
scripts=$PWD/scripts/dist

version=$(sed -n 's/^package let version = "\(.*\)"$/\1/p' Sources/UserInterface/Options/Version.swift)
machine=$(uname -m)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
glibc=$(scripts/dist/glibc.sh "$binary")
if [ -n "${MINIMUM_GLIBC:-}" ] && [ "$(printf '%s\n' "$glibc" "$MINIMUM_GLIBC" | sort -V | tail -1)" != "$MINIMUM_GLIBC" ]
then
    echo "dist: $binary needs glibc $glibc, but wsx promises to run with $MINIMUM_GLIBC" >&2
    exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export NOTICES=$work/copyright
scripts/dist/notices.sh >"$NOTICES"

# stage DIRECTORY PREFIX [VARIABLE=VALUE ...]: installs wsx and its notices, all with one date.
stage() {
    make --no-print-directory -s install-files BINARY="$binary" DESTDIR="$1" PREFIX="$2" "${@:3}"
    install -D -m 644 "$NOTICES" "$1$2/share/doc/wsx/copyright"
}
date_files() { find "$1" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +; }

name=wsx-$version-$machine-linux
stage "$work/$name" ""
cp LICENSE README.md "$work/$name/"
cp /usr/share/common-licenses/{Apache-2.0,GPL-3} "$work/$name/share/doc/wsx/"
date_files "$work/$name"
tar --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu --create "$name" |
    gzip --no-name -9 >"$output/$name.tar.gz"

stage "$work/deb" /usr ZSH_COMPLETIONS=/usr/share/zsh/vendor-completions
MINIMUM_GLIBC=${MINIMUM_GLIBC:-$glibc} scripts/dist/deb.sh "$work/deb" "$version" "$output"

stage "$work/rpm" /usr
scripts/dist/rpm.sh "$work/rpm" "$version" "$output"

/usr/bin/python3 scripts/dist/image.py "$binary" "$version" "$output/wsx-$version-$machine.oci.tar"

scripts/dist/spdx.py "$binary" "$version" "$output/$name.spdx.json"

scripts/dist/check-release.sh "$version" || echo "dist: these packages are for tests, not for a release" >&2
cd "$output"
sha256sum -- wsx[-_]"${version%-dev}"* >SHA256SUMS
[ -z "${WSX_SIGNING_KEY:-}" ] || "$scripts/sign.sh" SHA256SUMS "$WSX_SIGNING_KEY"
