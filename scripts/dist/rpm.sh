#!/usr/bin/env bash
# Makes an RPM package of the files that were installed in a directory.
#
#     scripts/dist/rpm.sh DIRECTORY VERSION OUTPUT
#
# Reads SOURCE_DATE_EPOCH. The dependencies are the versions of symbols in the binary, such as libc.so.6(GLIBC_2.34)(64bit),
# which packages of glibc provide in Fedora, RHEL, and openSUSE.
set -euo pipefail

# As in Debian, `0.3.0~dev` sorts before `0.3.0`, and `-` separates the release.
root=$(realpath "$1") version=${2/-/\~} output=$(realpath "$3")
here=$(realpath "$(dirname "$0")")
. "$here/../../packaging/maintainer"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gzip --no-name -9 "$root"/usr/share/man/man1/*.1 "$root"/usr/share/man/man7/*.7
gzip --no-name -9 <"$here/../../CHANGELOG.md" >"$root/usr/share/doc/wsx/CHANGELOG.md.gz"
cp "$here/../../LICENSE" /usr/share/common-licenses/{Apache-2.0,GPL-3} "$root/usr/share/doc/wsx/"
chmod 644 "$root"/usr/share/doc/wsx/*
find "$root" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +

# Lists that replace a line of the template.
/usr/lib/rpm/elfdeps --requires <<<"$root/usr/bin/wsx" | sort -u | sed 's/^/Requires: /' >"$work/REQUIRES"
"$here/notices.sh" --sources | tr ',' '\n' | sed 's/^ *\(.*\) (= \(.*\))/Provides: bundled(\1) = \2/' >"$work/BUNDLED"
(cd "$root" && find usr -type f -printf '/%p\n') | sort | sed '\|/doc/|s/^/%doc /' >"$work/FILES"
edits=()
for list in REQUIRES BUNDLED FILES; do
    edits+=(-e "/^@$list@\$/r $work/$list" -e "/^@$list@\$/d")
done
sed "${edits[@]}" -e "s|@VERSION@|$version|; s|@HOMEPAGE@|$HOMEPAGE|; s|@MAINTAINER@|$MAINTAINER|; s|@ROOT@|$root|" \
    -e "s|@DATE@|$(date --utc --date "@$SOURCE_DATE_EPOCH" '+%a %b %d %Y')|" \
    "$here/../../packaging/rpm/wsx.spec" >"$work/wsx.spec"

# The package must not depend on the machine, on the configuration of rpm, or on the time. One thread compresses.
rpmbuild -bb --quiet \
    --define "_topdir $work/top" --define "_rpmdir $work/rpms" --define "_dbpath $work/db" \
    --define '_buildhost localhost' --define 'use_source_date_epoch_as_buildtime 1' \
    --define 'clamp_mtime_to_source_date_epoch 1' --define '_binary_payload w6.xzdio' \
    --define 'debug_package %{nil}' --define '__os_install_post %{nil}' --define '_build_id_links none' \
    --define 'optflags %{nil}' --define 'source_date_epoch_from_changelog 0' "$work/wsx.spec"
mv "$work"/rpms/*/wsx-*.rpm "$output/"
