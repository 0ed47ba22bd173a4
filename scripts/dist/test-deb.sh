#!/usr/bin/env bash
# Installs the Debian package in a minimal Debian system, without Swift, and tries it. Needs root or user namespaces.
#
#     scripts/dist/test-deb.sh PACKAGE.deb [SUITE]
set -euo pipefail

package=$(realpath "$1") suite=${2:-bookworm}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/trial" <<'TRIAL'
set -euo pipefail
export LANG=C.UTF-8 PAGER=cat MANWIDTH=80
fail() { echo "test-deb: $*" >&2; exit 1; }
# check PATTERN COMMAND...: runs the command, prints its first lines, and fails unless a line matches.
check() {
    local pattern=$1 output
    shift
    echo "\$ $*"
    output=$("$@" 2>&1) || { printf '%s\n' "$output"; fail "status $? of $*"; }
    head -12 <<<"$output"
    grep -q -- "$pattern" <<<"$output" || fail "no line of $* matches $pattern"
}
# Completes the last word, as Tab does.
complete_word() {
    bash -c '
        . /usr/share/bash-completion/bash_completion
        _completion_loader wsx
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
        _wsx 2>/dev/null
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

! command -v swift || fail "there is a Swift toolchain"
check 'Version:' dpkg-query --status wsx
check 'libc\.so' ldd /usr/bin/wsx
check '^wsx ' wsx --version
check '^hi$' wsx echo: hi
check '^hi$' bash -c 'echo hi | wsx connect echo:'
check 'WSX(1)' man wsx
check 'WSX-BENCH-MERGE(1)' man wsx-bench-merge
check 'WSX-FORMATS(7)' man wsx-formats
check '^connect' complete_word wsx con
check '^--bearer' complete_word wsx connect --bea
check '^#compdef wsx' cat /usr/share/zsh/vendor-completions/_wsx
check '^Removing wsx' dpkg --purge wsx
! command -v wsx || fail "the package leaves the program behind"
left=$(find /usr -path '*wsx*')
[ -z "$left" ] || fail "the package leaves files behind: $left"
echo "test-deb: passed on Debian $(cat /etc/debian_version)"
TRIAL

mmdebstrap --quiet --variant=minbase --include=man-db,bash-completion,ca-certificates \
    --customize-hook="copy-in $package $work/trial /root" \
    --customize-hook='chroot "$1" sh -c "apt-get install -q -y --no-install-recommends /root/*.deb"' \
    --customize-hook='chroot "$1" bash /root/trial' \
    "$suite" /dev/null
