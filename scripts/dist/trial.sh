#!/usr/bin/env bash
# Tries wsx as a package has installed it. Runs inside a fresh system with man-db and bash-completion, but without Swift.
#
#     trial.sh ZSH_COMPLETIONS
set -euo pipefail
export LANG=C.UTF-8 PAGER=cat MANWIDTH=80
fail() { echo "trial: $*" >&2; exit 1; }
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
check 'libc\.so' ldd /usr/bin/wsx
check '^wsx ' wsx --version
check '^hi$' wsx echo: hi
check '^hi$' bash -c 'echo hi | wsx connect echo:'
check 'WSX(1)' man wsx
check 'WSX-BENCH-MERGE(1)' man wsx-bench-merge
check 'WSX-FORMATS(7)' man wsx-formats
check '^connect' complete_word wsx con
check '^--bearer' complete_word wsx connect --bea
check '^#compdef wsx' cat "$1/_wsx"
