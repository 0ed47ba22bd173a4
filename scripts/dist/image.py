#!/usr/bin/env python3
"""Writes an archive of an OCI image that runs wsx as nobody.

    scripts/dist/image.py BINARY VERSION ARCHIVE

The image's one layer has the binary, the shared libraries it loads, CA certificates, and terminal descriptions. It has
no shell. `podman load`, `docker load`, and `skopeo copy oci-archive:` read the archive.

NOTICES is the path of the licenses, and SOURCE_DATE_EPOCH dates every file. The same input gives the same bytes.
https://github.com/opencontainers/image-spec defines the format.
"""

import gzip
import hashlib
import io
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tarfile
import time

NOBODY = 65534
EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
CREATED = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
BUNDLE = "etc/ssl/certs/ca-certificates.crt"
DOCUMENTATION = "usr/share/doc"


def tar(entries):
    """An archive of (path, content, mode): bytes are a file, a string is a symbolic link, and None is a directory."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.GNU_FORMAT) as writer:
        for path, content, mode in entries:
            member = tarfile.TarInfo(path)
            member.mode, member.mtime = mode, EPOCH
            if content is None:
                member.type = tarfile.DIRTYPE
            elif isinstance(content, str):
                member.type, member.linkname = tarfile.SYMTYPE, content
            else:
                member.size = len(content)
            writer.addfile(member, io.BytesIO(content) if isinstance(content, bytes) else None)
    return archive.getvalue()


def shared_libraries(binary):
    """The absolute paths of the libraries that the binary loads, and of its dynamic linker."""
    listing = subprocess.run(["ldd", binary], stdout=subprocess.PIPE, text=True, check=True).stdout
    return sorted(set(re.findall(r"(/\S+) \(0x", listing)))


def layer(binary):
    """The image's file system."""
    root = pathlib.Path("/")
    files = {
        "usr/bin/wsx": pathlib.Path(binary).read_bytes(),
        BUNDLE: (root / BUNDLE).read_bytes(),
        # The place where Debian's OpenSSL looks.
        "usr/lib/ssl/cert.pem": f"/{BUNDLE}",
        "etc/passwd": b"root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/tmp:/sbin/nologin\n",
        "etc/group": b"root:x:0:\nnogroup:x:65534:\n",
        "etc/nsswitch.conf": b"passwd: files\ngroup: files\nhosts: files dns\n",
        f"{DOCUMENTATION}/wsx/copyright": pathlib.Path(os.environ["NOTICES"]).read_bytes(),
    }
    for name in ("Apache-2.0", "GPL-3"):
        path = f"usr/share/common-licenses/{name}"
        files[path] = (root / path).read_bytes()
    for package in ("libc6", "libgcc-s1", "ca-certificates", "ncurses-base"):
        path = f"{DOCUMENTATION}/{package}/copyright"
        files[path] = (root / path).read_bytes()
    for path in [*map(pathlib.Path, shared_libraries(binary)), *root.glob("lib/terminfo/*/*")]:
        files[str(path.relative_to(root))] = path.read_bytes()

    folders = {str(parent) for path in files for parent in pathlib.Path(path).parents} - {"."}
    entries = [(path, None, 0o755) for path in folders | {"proc"}] + [("tmp", None, 0o1777)]
    for path, content in files.items():
        is_program = path == "usr/bin/wsx" or ".so." in path
        entries.append((path, content, 0o755 if is_program else 0o644))
    return tar(sorted(entries, key=lambda entry: entry[0]))


def main():
    binary, version, archive = sys.argv[1:]
    blobs = {}

    def add(data):
        digest = hashlib.sha256(data).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = data
        return {"digest": f"sha256:{digest}", "size": len(data)}

    def add_json(value):
        return add(json.dumps(value, indent=2, sort_keys=True).encode())

    content = layer(binary)
    packed = add(gzip.compress(content, mtime=0))
    config = add_json({
        "created": CREATED,
        "architecture": ARCHITECTURES[platform.machine()],
        "os": "linux",
        "config": {
            "User": f"{NOBODY}:{NOBODY}",
            "Entrypoint": ["/usr/bin/wsx"],
            "WorkingDir": "/tmp",
            "Env": ["PATH=/usr/bin", "HOME=/tmp", "LANG=C.UTF-8"],
            "Labels": {
                "org.opencontainers.image.title": "wsx",
                "org.opencontainers.image.version": version,
                "org.opencontainers.image.licenses": "GPL-3.0-or-later",
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(content).hexdigest()}"]},
        "history": [{"created": CREATED, "created_by": "scripts/dist/image.py"}],
    })
    manifest = add_json({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", **config},
        "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", **packed}],
    })
    files = {
        **blobs,
        "oci-layout": json.dumps({"imageLayoutVersion": "1.0.0"}).encode(),
        "index.json": json.dumps({
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.index.v1+json",
            "manifests": [{
                "mediaType": "application/vnd.oci.image.manifest.v1+json",
                # Podman and containerd read the name of the image from the second annotation.
                "annotations": {
                    "org.opencontainers.image.ref.name": version,
                    "io.containerd.image.name": f"docker.io/library/wsx:{version}",
                },
                "platform": {"architecture": ARCHITECTURES[platform.machine()], "os": "linux"},
                **manifest,
            }],
        }).encode(),
        # What `docker load` read before it knew OCI layouts.
        "manifest.json": json.dumps([{
            "Config": path_of(config), "Layers": [path_of(packed)], "RepoTags": [f"wsx:{version}"],
        }]).encode(),
    }
    entries = [(path, None, 0o755) for path in ("blobs", "blobs/sha256")]
    entries += [(path, data, 0o644) for path, data in files.items()]
    pathlib.Path(archive).write_bytes(tar(sorted(entries, key=lambda entry: entry[0])))


def path_of(blob):
    return "blobs/" + blob["digest"].replace(":", "/")


main()
