#!/usr/bin/env bash
# Makes a Debian package of the files that were installed in a directory.
#
#     scripts/dist/deb.sh DIRECTORY VERSION OUTPUT
#
# Reads SOURCE_DATE_EPOCH, and MINIMUM_GLIBC for the description.
set -euo pipefail

# Debian sorts `0.3.0~dev` before `0.3.0`.
root=$1 version=${2/-/\~}-1 output=$3
packaging=$(dirname "$0")/../../packaging/debian
architecture=$(dpkg --print-architecture)
. "$packaging/../maintainer"

pack() { gzip --no-name -9 "$@"; }
pack "$root"/usr/share/man/man1/*.1 "$root"/usr/share/man/man7/*.7
install -D -m 644 "$packaging/lintian-overrides" "$root/usr/share/lintian/overrides/wsx"
pack >"$root/usr/share/doc/wsx/changelog.Debian.gz" <<CHANGELOG
wsx ($version) unstable; urgency=medium

  * Release $2. changelog.gz lists the changes.

 -- $MAINTAINER  $(date --utc --rfc-email --date "@$SOURCE_DATE_EPOCH")
CHANGELOG
pack <"$packaging/../../CHANGELOG.md" >"$root/usr/share/doc/wsx/changelog.gz"
chmod 644 "$root"/usr/share/doc/wsx/*

# dpkg-shlibdeps reads the package's name from debian/control, and warns without DEBIAN.
mkdir "$root/debian" "$root/DEBIAN"
printf 'Source: wsx\n\nPackage: wsx\nArchitecture: any\n' >"$root/debian/control"
depends=$(cd "$root" && dpkg-shlibdeps -O "$root/usr/bin/wsx" | sed 's/^shlibs:Depends=//')
rm -r "$root/debian"

# Sizes are counted file by file in KiB, rounded up; du would count a file system's blocks.
size=$(find "$root" -type f -printf '%s\n' | awk '{ total += int(($1 + 1023) / 1024) } END { print total }')
sed -e "s|@VERSION@|$version|; s|@ARCHITECTURE@|$architecture|; s|@SIZE@|$size|; s|@DEPENDS@|$depends|" \
    -e "s|@MAINTAINER@|$MAINTAINER|; s|@HOMEPAGE@|$HOMEPAGE|; s|@GLIBC@|$MINIMUM_GLIBC|" \
    -e "s|@BUILT_USING@|$("$(dirname "$0")/notices.sh" --sources)|" \
    "$packaging/control" >"$root/DEBIAN/control"
(cd "$root" && find usr -type f | sort | xargs md5sum) >"$root/DEBIAN/md5sums"
find "$root" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
# With several threads, xz splits its input, and a machine's core count would change the bytes.
dpkg-deb --root-owner-group --threads-max=1 -Zxz --build "$root" "$output" >/dev/null
