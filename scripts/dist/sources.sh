#!/usr/bin/env bash
# Packs the sources of a wsx binary: wsx at the current commit, and the Debian source packages of the libraries that are
# linked statically, in the versions of the field Built-Using. The GPL requires that they are offered with the binary.
# The GCC Runtime Library Exception permits leaving out those of libstdc++.
#
#     scripts/dist/sources.sh VERSION DIRECTORY
#
# Downloads from the mirrors that apt is configured for, with apt's checks of signatures and checksums. Debian's mirrors
# drop a version when a newer one arrives, so this runs when the binary is built. The same sources give the same bytes.
set -euo pipefail
export LC_ALL=C TZ=UTC

version=$1 output=$(realpath "$2")
cd "$(dirname "$0")/../.."
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
name=wsx-$version-sources

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/$name" "$work/lists"
git archive --format=tar --prefix="wsx-$version/" HEAD | gzip --no-name -9 >"$work/$name/wsx-$version.tar.gz"

# Source packages of the same suites as the binary packages, in lists of their own: the system's stay as they are.
sed -s 's/^Types:.*/Types: deb-src/' $(grep -l '^Types:.*deb' /etc/apt/sources.list.d/*.sources 2>/dev/null || true) \
    </dev/null >"$work/deb.sources"
sed -n 's/^deb /deb-src /p' /etc/apt/sources.list 2>/dev/null >"$work/deb.list" || true
apt=(apt-get -qq -o Dir::Etc::SourceParts="$work/parts" -o Dir::Etc::SourceList=/dev/null
    -o Dir::State::Lists="$work/lists" -o APT::Sandbox::User=root)
mkdir "$work/parts"
mv "$work/deb.sources" "$work/deb.list" "$work/parts/"
"${apt[@]}" update

for package in $(scripts/dist/notices.sh --sources | sed 's/ (= /=/g; s/)//g; s/,/ /g'); do
    [[ $package == gcc-* ]] && continue
    (cd "$work/$name" && "${apt[@]}" source --download-only "$package") || {
        echo "sources: no source package ${package/=/ }; install the current version of the library, and build again" >&2
        exit 1
    }
done

find "$work/$name" -exec touch --no-dereference --date "@$epoch" {} +
tar --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --format=gnu --create "$name" \
    >"$output/$name.tar"
