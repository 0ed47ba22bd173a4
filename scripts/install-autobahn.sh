#!/usr/bin/env bash
# Installs the Autobahn TestSuite into .build/autobahn, once. Fails with a prominent notice if there is no
# working Python 2.7, neither as python2.7 on the PATH nor among pyenv's versions.
set -euo pipefail
cd "$(dirname "$0")/.."
requirements=Tests/Conformance/requirements.txt
target=.build/autobahn

cmp -s "$requirements" "$target/installed.txt" && "$target/bin/python" -c '' 2>/dev/null && exit 0

# pyenv's shim may be on the PATH but refuse to run if its version is not selected.
candidates() {
    type -ap python2.7 || true
    compgen -G "${PYENV_ROOT:-$HOME/.pyenv}/versions/2.7*/bin/python2.7" || true
}
runs() {
    timeout 20 "$1" -c 'import ctypes, ssl, sys, zlib; sys.exit(sys.version_info[:2] != (2, 7))' >/dev/null 2>&1
}
python=
while read -r candidate; do
    if runs "$candidate"; then
        python=$candidate
        break
    fi
done < <(candidates)

if [ -z "$python" ]; then
    cat >&2 <<'BANNER'
********************************************************************************
**                                                                            **
**   THE AUTOBAHN TESTSUITE WAS NOT RUN: it needs Python 2.7.                 **
**                                                                            **
**   There is no python2.7 that runs on the PATH or among pyenv's versions.   **
**   `pyenv install 2.7.18` gets one; `make conformance` then runs the suite. **
**                                                                            **
********************************************************************************
BANNER
    exit 1
fi

echo "installing the Autobahn TestSuite for $python" >&2
rm -rf "$target"
/usr/bin/python3 -m venv "$target/tools"
# The last version that can create environments for Python 2.7.
"$target/tools/bin/pip" install --quiet --disable-pip-version-check virtualenv==20.15.1
"$target/tools/bin/virtualenv" --quiet --no-download --no-periodic-update --python "$python" "$target"
# One of the packages contains C code.
command -v gcc >/dev/null || export CC=clang
"$target/bin/pip" --no-python-version-warning --disable-pip-version-check install --quiet --no-deps \
    --requirement "$requirements"
cp "$requirements" "$target/installed.txt"
