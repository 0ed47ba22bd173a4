#!/usr/bin/env bash
# Unpacks the image with umoci, which checks it, and runs wsx in it the way its configuration says. Needs root.
#
#     scripts/dist/test-image.sh ARCHIVE
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/layout"
tar --directory "$work/layout" --extract --file "$1"
tag=$(/usr/bin/python3 -c 'import json, sys
print(json.load(sys.stdin)["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"])' <"$work/layout/index.json")
umoci unpack --image "$work/layout:$tag" "$work/bundle"

root=$work/bundle/rootfs
config() {
    /usr/bin/python3 -c 'import json, sys
process = json.load(open(sys.argv[1]))["process"]
print(eval(sys.argv[2]))' "$work/bundle/config.json" "$1"
}
fail() { echo "test-image: $*" >&2; exit 1; }

[ "$(config 'process["user"]["uid"], process["user"]["gid"]')" = "(65534, 65534)" ] || fail "another user than nobody"
mapfile -t environment < <(config '"\n".join(process["env"])')
mapfile -t entrypoint < <(config '"\n".join(process["args"])')
directory=$(config 'process["cwd"]')

# run ARGUMENT...: runs the entrypoint as a container would.
run() {
    echo "\$ wsx $*" >&2
    env -i "${environment[@]}" "$(command -v unshare)" --fork --pid --mount --root "$root" --mount-proc --wd "$directory" \
        --setgid 65534 --setuid 65534 -- "${entrypoint[@]}" "$@" </dev/null
}

run --version | grep '^wsx ' || fail "--version"
run echo: hi | grep -x hi || fail "no echo"
status=0
run ws://localhost:1/ || status=$?
[ $status -eq 3 ] || fail "status $status for a server that refuses"
bundle=$(readlink "$root/usr/lib/ssl/cert.pem")
[ "$(grep -c 'BEGIN CERTIFICATE' "$root$bundle")" -gt 100 ] || fail "no CA certificates"
echo "test-image: passed"
