#!/usr/bin/env bash
# Signs a file with a key of GnuPG's keyring: FILE.asc is a detached signature.
#
#     scripts/dist/sign.sh FILE KEY
#
# KEY is a fingerprint or an address. `gpg --verify FILE.asc FILE` checks the signature.
set -euo pipefail

rm -f "$1.asc"
gpg --batch --yes --armor --local-user "$2" --output "$1.asc" --detach-sign "$1"
gpg --batch --quiet --verify "$1.asc" "$1"
