#!/usr/bin/env bash
# Installs the Debian package in a minimal Debian system, without Swift, tries it, and removes it. Needs root or user
# namespaces.
#
#     scripts/dist/test-deb.sh PACKAGE.deb [SUITE]
set -euo pipefail

package=$(realpath "$1") suite=${2:-bookworm}
trial=$(realpath "$(dirname "$0")/trial.sh")

mmdebstrap --quiet --variant=minbase --include=man-db,bash-completion,ca-certificates \
    --customize-hook="copy-in $package $trial /root" \
    --customize-hook='chroot "$1" sh -c "apt-get install -q -y --no-install-recommends /root/*.deb"' \
    --customize-hook='chroot "$1" bash /root/trial.sh /usr/share/zsh/vendor-completions' \
    --customize-hook='chroot "$1" dpkg --purge wsx' \
    --customize-hook='! find "$1/usr" -path "*wsx*" | grep .' \
    --customize-hook='echo "test-deb: passed on Debian $(cat "$1/etc/debian_version")"' \
    "$suite" /dev/null
