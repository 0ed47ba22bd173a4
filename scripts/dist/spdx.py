#!/usr/bin/env python3
"""Writes an SPDX document (version 2.3, JSON) that lists the libraries in a wsx binary and their versions.

    scripts/dist/spdx.py BINARY VERSION FILE

The libraries are those of scripts/dist/notices.sh. Debian's packages provide versions and licenses; a license that they
do not state in a form that SPDX knows is NOASSERTION. SOURCE_DATE_EPOCH dates the document. The same input gives the same
bytes. https://spdx.github.io/spdx-spec/v2.3/ defines the format.
"""

import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNKNOWN = "NOASSERTION"
# Debian's names of licenses, where they differ from those of SPDX.
LICENSES = {
    "Apache-2.0": "Apache-2.0", "BSD-2-clause": "BSD-2-Clause", "BSD-3-clause": "BSD-3-Clause", "Boost-1": "BSL-1.0",
    "Expat": "MIT", "GPL-2+": "GPL-2.0-or-later", "GPL-3+": "GPL-3.0-or-later", "LGPL-2.1+": "LGPL-2.1-or-later",
    "LGPL-3+": "LGPL-3.0-or-later", "Zlib": "Zlib"}


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def setting(name):
    """A value of packaging/maintainer, which is a shell script."""
    return output("sh", "-c", f'. "$1" && echo "${name}"', "sh", ROOT / "packaging/maintainer")


def stated_license(package):
    """The license of `Files: *` in a Debian package's copyright file, or None."""
    text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(errors="replace")
    for paragraph in re.split(r"\n\s*\n", text):
        if re.search(r"^Files:\s*\*\s*$", paragraph, re.MULTILINE):
            match = re.search(r"^License:[ \t]*(\S.*)$", paragraph, re.MULTILINE)
            return match and match[1].strip()
    return None


def spdx_license(stated):
    """A license expression, or NOASSERTION if one of its licenses is unknown."""
    names = [LICENSES.get(name) for name in (stated or "").split(" or ")]
    return " OR ".join(names) if all(names) else UNKNOWN


def upstream_version(version):
    """A Debian version without epoch, revision, and marks for removed files."""
    version = re.sub(r"^\d+:", "", version)
    version = version.rpartition("-")[0] or version
    return re.sub(r"[.+~](dfsg|ds|repack)\S*$", "", version)


def package(name, version, **fields):
    return {
        "SPDXID": "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version,
        "supplier": UNKNOWN, "downloadLocation": UNKNOWN, "filesAnalyzed": False, "licenseConcluded": UNKNOWN,
        "licenseDeclared": UNKNOWN, "copyrightText": UNKNOWN, **fields}


def debian_libraries():
    """The Debian source packages of the libraries."""
    vendor = output("dpkg-vendor", "--query", "Vendor")
    sources = {}
    for name in output(ROOT / "scripts/dist/notices.sh", "--packages").split():
        source, version = output(
            "dpkg-query", "--show", "--showformat", "${source:Package} ${source:Version}\n", name).splitlines()[0].split()
        sources.setdefault((source, version), []).append(name)
    for (source, version), names in sorted(sources.items()):
        stated = stated_license(names[0])
        url_version = urllib.parse.quote(version, safe=":~")
        yield package(
            source, upstream_version(version), supplier=f"Organization: {vendor}", licenseDeclared=spdx_license(stated),
            licenseComments=f"/usr/share/doc/{names[0]}/copyright says: {stated or 'no license of all files'}",
            sourceInfo=f"{vendor} source package {source} {version}, binary package {', '.join(names)}",
            externalRefs=[{
                "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                "referenceLocator": f"pkg:deb/{vendor.lower()}/{urllib.parse.quote(source, safe='')}@{url_version}?arch=source"}])


def swift_library():
    version = re.search(r"Swift version (\S+)", output("swiftc", "--version"))[1]
    return package(
        "swift", version, supplier="Organization: Swift.org", licenseDeclared="Apache-2.0 WITH Swift-exception",
        sourceInfo="the standard library")


def document(binary, version):
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    digest = hashlib.sha256(binary.read_bytes()).hexdigest()
    name = f"wsx-{version}-{platform.machine()}-linux"
    # With GNU readline, the binary is under readline's license; the source is under the MIT license.
    wsx = package(
        "wsx", version, licenseDeclared="GPL-3.0-or-later", homepage=setting("HOMEPAGE"), primaryPackagePurpose="APPLICATION",
        packageFileName="wsx", checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
    libraries = [*debian_libraries(), swift_library()]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": f"{setting('HOMEPAGE')}/spdx/{name}-{digest}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)), "creators": ["Tool: wsx-scripts-dist-spdx"]},
        "packages": [wsx, *libraries],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": wsx["SPDXID"]},
            *({"spdxElementId": wsx["SPDXID"], "relationshipType": "STATIC_LINK", "relatedSpdxElement": library["SPDXID"]}
              for library in libraries)]}


def main():
    binary, version, file = sys.argv[1:]
    pathlib.Path(file).write_text(json.dumps(document(pathlib.Path(binary), version), indent=2) + "\n")


if __name__ == "__main__":
    main()
