#!/usr/bin/env bash
# Installs the RPM package in a minimal system, tries it, and removes it. The system is one of Debian, with a database of
# RPM that contains the libraries of this system, as if packages of RPM had installed them. Needs root.
#
#     scripts/dist/test-rpm.sh PACKAGE.rpm [SUITE]
set -euo pipefail
fail() { echo "test-rpm: $*" >&2; exit 1; }

# Runs while mmdebstrap has mounted the system's /proc and /dev.
inside() {
    local root=$1 package=$2 work=$3
    local rpm=(rpm --root "$root" --dbpath /var/lib/rpm --force-debian)
    rpmdb --root "$root" --dbpath /var/lib/rpm --initdb

    # Without a glibc, nothing provides the symbols that the package requires.
    if "${rpm[@]}" --install "$package" 2>"$work/missing"; then fail "it does not require a glibc"; fi
    grep -q 'libc\.so\.6(GLIBC_2\.34)(64bit) is needed by wsx' "$work/missing" || fail "$(cat "$work/missing")"

    {
        printf '%s\n' 'Name: libraries' 'Version: 1' 'Release: 1' 'Summary: The libraries of this system' 'License: none' \
            'Provides: rtld(GNU_HASH)'
        find "$root"/usr/lib/*-linux-gnu \( -name 'lib[cm].so.6' -o -name libgcc_s.so.1 -o -name 'ld-linux-*' \) |
            /usr/lib/rpm/elfdeps --provides | sed 's/^/Provides: /'
        printf '\n%%description\n\n%%files\n'
    } >"$work/libraries.spec"
    rpmbuild -bb --quiet --define "_topdir $work/top" --define "_rpmdir $work" --define "_dbpath $work/db" "$work/libraries.spec"
    "${rpm[@]}" --install "$work"/*/libraries-*.rpm

    "${rpm[@]}" --install "$package"
    "${rpm[@]}" --verify wsx
    cp "$(dirname "$0")/trial.sh" "$root/root/"
    chroot "$root" bash /root/trial.sh /usr/share/zsh/site-functions
    "${rpm[@]}" --erase wsx
    ! find "$root/usr" -path '*wsx*' | grep . || fail "the package leaves files behind"
    echo "test-rpm: passed on Debian $(cat "$root/etc/debian_version")"
}

if [ "$1" = --inside ]; then
    inside "${@:2}"
    exit
fi
package=$(realpath "$1") suite=${2:-bookworm} self=$(realpath "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The names of its files, its signature, and its digests.
rpm --query --list --package "$package"
rpm --checksig --nosignature --dbpath "$work/db" "$package"
mmdebstrap --quiet --mode=root --variant=minbase --include=man-db,bash-completion,ca-certificates \
    --customize-hook="'$self' --inside \"\$1\" '$package' '$work'" "$suite" /dev/null
