"""The scripts that make packages, run on a stand-in for the binary; `make dist-test` tries the packages themselves."""

import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts/dist"
VERSION = re.search(r'version = "(.*)"', (ROOT / "Sources/UserInterface/Options/Version.swift").read_text())[1]
RELEASE = VERSION.removesuffix("-dev")
MACHINE = os.uname().machine
PAGES = {f"man{path.suffix[1:]}/{path.name}" for path in ROOT.glob("man/*.[17]")}
NOBODY = "65534:65534"
# Any program will do. It must not name wsx's libraries, which the stand-in does not contain.
STAND_IN = shutil.which("true")


def run(*command, **options):
    return subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def pack(binary, directory, umask, **environment):
    run(SCRIPTS / "dist.sh", binary, directory, cwd=directory.parent, umask=umask, env={
        **os.environ, "SOURCE_DATE_EPOCH": "1700000000", **environment})
    return directory


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    return pack(STAND_IN, tmp_path_factory.mktemp("first") / "dist", 0o022)


def tar_names(archive, prefix):
    with tarfile.open(archive) as members:
        assert {(member.uid, member.gid, member.mtime) for member in members} == {(0, 0, 1700000000)}
        return {name.removeprefix(prefix) for name in members.getnames()}


def test_the_same_input_gives_the_same_bytes(dist, tmp_path):
    shutil.copy2(STAND_IN, tmp_path / "copy")
    os.utime(tmp_path / "copy", (0, 0))
    again = pack(tmp_path / "copy", tmp_path / "dist", 0o077, TZ="Asia/Tokyo", LANG="C.UTF-8")
    assert (again / "SHA256SUMS").read_text() == (dist / "SHA256SUMS").read_text()


def test_the_checksums_name_every_artifact(dist):
    sums = dict(reversed(line.split()) for line in (dist / "SHA256SUMS").read_text().splitlines())
    artifacts = [path for path in dist.iterdir() if path.name != "SHA256SUMS"]
    assert sums == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in artifacts}
    assert len(sums) == 5


def test_the_tarball_has_the_program_manual_completions_and_licenses(dist):
    name = f"wsx-{VERSION}-{MACHINE}-linux"
    names = tar_names(dist / f"{name}.tar.gz", f"{name}/")
    assert names >= {
        "bin/wsx", "LICENSE", "README.md", "share/doc/wsx/copyright", "share/doc/wsx/GPL-3",
        "share/bash-completion/completions/wsx", "share/zsh/site-functions/_wsx",
        "share/fish/vendor_completions.d/wsx.fish"}
    assert {name.removeprefix("share/man/") for name in names if name.endswith((".1", ".7"))} == PAGES


def test_the_package_has_the_program_manual_and_completions(dist):
    package, = dist.glob("*.deb")
    control = dict(line.split(": ", 1) for line in run("dpkg-deb", "--field", package).splitlines() if ": " in line)
    assert control["Version"] == f"{VERSION.replace('-', '~')}-1"
    assert re.search(r"\blibc6 \(>= 2\.\d+\)", control["Depends"])
    assert re.search(r"\bopenssl \(= .*\breadline \(= ", control["Built-Using"])
    files = {line.split()[5] for line in run("dpkg-deb", "--contents", package).splitlines()}
    assert files >= {
        "./usr/bin/wsx", "./usr/share/bash-completion/completions/wsx", "./usr/share/zsh/vendor-completions/_wsx",
        "./usr/share/fish/vendor_completions.d/wsx.fish", "./usr/share/doc/wsx/copyright"}
    assert {file.removeprefix("./usr/share/man/") for file in files if "/share/man/" in file and file.endswith(".gz")} == {
        f"{page}.gz" for page in PAGES}
    assert not any("@" in line for line in control.values() if "maintainers" not in line)


def test_the_rpm_has_the_same_files_as_the_debian_package_and_requires_glibc(dist):
    package, = dist.glob("*.rpm")

    def query(*options):
        return run("rpm", "--query", "--package", *options, package).splitlines()

    assert query("--queryformat", "%{VERSION} %{RELEASE} %{ARCH} %{BUILDHOST} %{BUILDTIME} %{LICENSE}") == [
        f"{VERSION.replace('-', '~')} 1 {MACHINE} localhost 1700000000 GPL-3.0-or-later"]
    deb, = dist.glob("*.deb")
    deb_files = {line.split()[5][1:] for line in run("dpkg-deb", "--contents", deb).splitlines() if not line.endswith("/")}
    files = set(query("--list"))
    assert {name for name in files if "/doc/" not in name} == {
        name.replace("vendor-completions", "site-functions") for name in deb_files if not re.search("/doc/|/lintian/", name)}
    assert {f"/usr/share/doc/wsx/{name}" for name in ("copyright", "GPL-3", "LICENSE", "CHANGELOG.md.gz")} <= files
    assert set(query("--queryformat", "[%{FILEUSERNAME} %{FILEGROUPNAME} %{FILEMTIMES}\n]")) == {"root root 1700000000"}
    requires = query("--requires")
    assert {"libc.so.6()(64bit)", "libc.so.6(GLIBC_2.34)(64bit)"} <= set(requires)
    # Neither packages nor files, whose names differ between distributions.
    assert all(re.match(r"(lib|ld-)[\w.+-]*\(|rpmlib\(|rtld\(", name) for name in requires), requires
    built_using = re.findall(r"(\S+) \(= (\S+)\)", run(SCRIPTS / "notices.sh", "--sources"))
    assert {f"bundled({name}) = {version}" for name, version in built_using} <= set(query("--provides"))
    assert query("--scripts") == query("--triggers") == []


def test_the_checksums_are_signed_if_a_key_is_given(tmp_path):
    home = tmp_path / "gnupg"
    home.mkdir(mode=0o700)
    environment = {**os.environ, "GNUPGHOME": str(home)}
    try:
        run("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "someone@example.org", env=environment)
        directory = pack(STAND_IN, tmp_path / "dist", 0o022, GNUPGHOME=str(home), WSX_SIGNING_KEY="someone@example.org")
        sums = directory / "SHA256SUMS"
        assert "SHA256SUMS" not in sums.read_text()
        verify = ["gpg", "--batch", "--quiet", "--verify", f"{sums}.asc", sums]
        run(*verify, env=environment)
        sums.write_text(sums.read_text().replace("wsx", "wsy", 1))
        assert subprocess.run(verify, env=environment, stderr=subprocess.DEVNULL, check=False).returncode == 1
        with pytest.raises(subprocess.CalledProcessError):
            run(SCRIPTS / "sign.sh", sums, "nobody@example.org", env=environment)
    finally:
        run("gpgconf", "--kill", "all", env=environment)


def test_the_spdx_document_lists_the_libraries_in_the_binary(dist):
    document = json.loads((dist / f"wsx-{VERSION}-{MACHINE}-linux.spdx.json").read_text())
    assert (document["spdxVersion"], document["creationInfo"]["created"]) == ("SPDX-2.3", "2023-11-14T22:13:20Z")
    wsx, *libraries = document["packages"]
    assert (wsx["name"], wsx["versionInfo"]) == ("wsx", VERSION)
    assert wsx["checksums"][0]["checksumValue"] == hashlib.sha256(pathlib.Path(STAND_IN).read_bytes()).hexdigest()
    ids = [package["SPDXID"] for package in document["packages"]]
    assert len(set(ids)) == len(ids) and all(re.fullmatch("SPDXRef-[A-Za-z0-9.-]+", name) for name in ids)
    assert [
        (relation["spdxElementId"], relation["relationshipType"], relation["relatedSpdxElement"])
        for relation in document["relationships"]
    ] == [("SPDXRef-DOCUMENT", "DESCRIBES", ids[0]), *((ids[0], "STATIC_LINK", name) for name in ids[1:])]
    names = {library["name"]: library for library in libraries}
    assert names.keys() >= {
        "libidn2", "libunistring", "msgpack-c", "ncurses", "nghttp2", "openssl", "pcre2", "readline", "swift", "zlib"}
    # The packages are the same as in the Debian package's field Built-Using.
    built_using = dict(re.findall(r"(\S+) \(= (\S+)\)", run(SCRIPTS / "notices.sh", "--sources")))
    assert names.keys() == {*built_using, "swift"}
    for name, version in built_using.items():
        assert version in names[name]["sourceInfo"]
        assert re.search(rf"(^|:){re.escape(names[name]['versionInfo'])}", version), version
    for name, license in {
        "openssl": "Apache-2.0", "readline": "GPL-3.0-or-later", "zlib": "Zlib",
        "libunistring": "LGPL-3.0-or-later OR GPL-2.0-or-later", "swift": "Apache-2.0 WITH Swift-exception",
    }.items():
        assert names[name]["licenseDeclared"] == license


def test_the_image_runs_wsx_as_nobody(dist):
    archive, = dist.glob("*.oci.tar")
    with tarfile.open(archive) as members:
        blobs = {name: members.extractfile(name).read() for name in members.getnames() if members.getmember(name).isfile()}

    def blob(descriptor):
        data = blobs["blobs/" + descriptor["digest"].replace(":", "/")]
        assert descriptor["digest"] == "sha256:" + hashlib.sha256(data).hexdigest()
        assert descriptor["size"] == len(data)
        return data

    index, = json.loads(blobs["index.json"])["manifests"]
    assert index["annotations"]["io.containerd.image.name"] == f"docker.io/library/wsx:{VERSION}"
    manifest = json.loads(blob(index))
    config = json.loads(blob(manifest["config"]))
    assert (config["config"]["User"], config["config"]["Entrypoint"]) == (NOBODY, ["/usr/bin/wsx"])
    with tarfile.open(fileobj=io.BytesIO(blob(*manifest["layers"]))) as layer:
        content = layer.extractfile("usr/bin/wsx").read()
        assert content == pathlib.Path(STAND_IN).read_bytes()
        assert b"BEGIN CERTIFICATE" in layer.extractfile(layer.getmember("usr/lib/ssl/cert.pem").linkname[1:]).read()
        assert any(re.search(r"/libc\.so\.6$", name) for name in layer.getnames())
        assert {(member.uid, member.mtime) for member in layer} == {(0, 1700000000)}


def test_a_binary_that_needs_a_newer_glibc_is_rejected(tmp_path):
    with pytest.raises(subprocess.CalledProcessError) as error:
        pack(STAND_IN, tmp_path / "dist", 0o022, MINIMUM_GLIBC="2.2.5")
    assert error.value.returncode == 1


@pytest.mark.parametrize("file, old, new, problem", [
    (None, None, None, None),
    ("packaging/maintainer", "@example.org", "@wsx.invalid", "packaging/maintainer has example values"),
    ("packaging/maintainer", "someone/", "OWNER/", "packaging/maintainer has example values"),
    ("CHANGELOG.md", f"## {RELEASE} ", "## Unreleased ", f"CHANGELOG.md has no heading for {RELEASE}"),
    ("Sources/UserInterface/Options/Version.swift", f'"{RELEASE}"', '"9.9.9"', f"has another version than {RELEASE}"),
])
def test_a_release_needs_a_version_changes_and_a_publisher(tmp_path, file, old, new, problem):
    # As the release steps of docs/howto/make-a-release.md leave the files.
    for name, text, changed in (
        ("scripts/dist/check-release.sh", "#", "#"),
        ("Sources/UserInterface/Options/Version.swift", f'"{VERSION}"', f'"{RELEASE}"'),
        ("CHANGELOG.md", "## Unreleased\n", f"## {RELEASE} – 2026-01-01\n"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
        (tmp_path / name).write_text((ROOT / name).read_text().replace(text, changed))
    (tmp_path / "packaging").mkdir()
    (tmp_path / "packaging/maintainer").write_text(
        'MAINTAINER="Someone <someone@example.org>"\nREPOSITORY=someone/wsx\n')
    if file:
        text = (tmp_path / file).read_text()
        assert old in text
        (tmp_path / file).write_text(text.replace(old, new))
    check = subprocess.run(
        [tmp_path / "scripts/dist/check-release.sh", RELEASE], stderr=subprocess.PIPE, text=True, check=False)
    assert check.returncode == (1 if problem else 0), check.stderr
    assert (problem or "") in check.stderr


def test_the_version_is_that_of_the_newest_changes():
    heading = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[1]
    assert heading == ("Unreleased" if VERSION.endswith("-dev") else VERSION)


def test_a_formula_needs_a_repository(tmp_path):
    sums = tmp_path / "SHA256SUMS"
    sums.write_text("".join(f"{'1' * 64}  wsx-1.2.3-{name}-linux.tar.gz\n" for name in ("x86_64", "aarch64")))
    formula = subprocess.run(
        [SCRIPTS / "formula.sh", "1.2.3", sums, "OWNER/wsx"], stderr=subprocess.PIPE, text=True, check=False)
    assert formula.returncode == 1
    assert "packaging/maintainer" in formula.stderr


def test_the_formula_names_the_release(tmp_path):
    sums = tmp_path / "SHA256SUMS"
    digests = {"x86_64": "1" * 64, "aarch64": "2" * 64}
    sums.write_text("".join(f"{digest}  wsx-1.2.3-{name}-linux.tar.gz\n" for name, digest in digests.items()))
    formula = tmp_path / "wsx.rb"
    formula.write_text(run(SCRIPTS / "formula.sh", "1.2.3", sums, "someone/wsx"))
    text = formula.read_text()
    assert 'version "1.2.3"' in text and all(f'sha256 "{digest}"' in text for digest in digests.values())
    assert not re.search("OWNER|SHA256_|placeholder", text)
    for file in (formula, ROOT / "packaging/homebrew/wsx.rb"):
        assert run("ruby", "-wc", file) == "Syntax OK\n"


def test_the_release_notes_are_those_of_one_version(tmp_path):
    (tmp_path / "scripts/dist").mkdir(parents=True)
    notes = shutil.copy(SCRIPTS / "release-notes.sh", tmp_path / "scripts/dist")
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.3.0 – 2026-01-01\n\n### Added\n\n- a [page](docs/a.md#b)\n\n"
        "- [elsewhere](https://example.com/)\n\n## 0.3.0-rc – 2025-12-01\n\n- b\n\n## 0.2.0 – 2025-01-01\n\n- old\n")
    text = "### Added\n\n- a [page](docs/a.md#b)\n\n- [elsewhere](https://example.com/)\n"
    assert run(notes, "0.3.0") == text
    assert run(notes, "0.3.0", "https://h/x") == text.replace("(docs", "(https://h/x/docs")
    assert run(notes, "0.2.0") == "- old\n"
    for version in ("0.3", "0.1.0", "3.0"):
        failure = subprocess.run([notes, version], capture_output=True, text=True, check=False)
        assert (failure.returncode, failure.stdout) == (1, ""), version


def test_newer_libraries_are_found_by_their_spdx_documents(dist, tmp_path):
    published, = dist.glob("*.spdx.json")
    document = json.loads(published.read_text())
    library = next(package for package in document["packages"] if package["name"] == "openssl")
    library["versionInfo"] = "9.9.9"
    rebuilt = tmp_path / "rebuilt.json"
    rebuilt.write_text(json.dumps(document))
    assert run(SCRIPTS / "compare-spdx.py", published, published) == ""
    rows = run(SCRIPTS / "compare-spdx.py", published, rebuilt).splitlines()
    assert len(rows) == 3 and rows[2].startswith("| openssl | ") and "| 9.9.9 (" in rows[2]
    # A fix changes the version of the Debian package alone.
    library["versionInfo"] = next(
        package for package in json.loads(published.read_text())["packages"] if package["name"] == "openssl")["versionInfo"]
    library["sourceInfo"] = "Debian source package openssl 9-2, binary package libssl-dev"
    rebuilt.write_text(json.dumps(document))
    assert "openssl 9-2" in run(SCRIPTS / "compare-spdx.py", published, rebuilt)


WORKFLOWS = sorted([*(ROOT / ".github/workflows").glob("*.yml"), *(ROOT / ".github/actions").rglob("*.yml")])


@pytest.mark.parametrize("path", sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.stem)
def test_the_forms_of_issues_have_what_github_requires(path):
    form = yaml.safe_load(path.read_text())
    if path.stem == "config":
        assert form.keys() <= {"blank_issues_enabled", "contact_links"}
        return
    assert form["name"] and form["description"]
    fields = [element for element in form["body"] if element["type"] != "markdown"]
    assert fields and len({field["id"] for field in fields}) == len(fields)
    assert all(field["attributes"]["label"] for field in fields)
    assert all(element["type"] in ("markdown", "textarea", "input", "dropdown", "checkboxes") for element in form["body"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_the_workflows_run_commands_that_exist(path):
    document = yaml.safe_load(path.read_text())
    jobs = document["jobs"].values() if "jobs" in document else [document["runs"]]
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    steps = [step for job in jobs for step in job["steps"]]
    assert steps
    needs = {need for job in jobs for need in ([job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", []))}
    assert needs <= set(document.get("jobs", {}))
    for step in steps:
        assert ("run" in step) != ("uses" in step), step
        script = step.get("run", "")
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)
        assert set(re.findall(r"^make ([\w-]+)", script, re.MULTILINE)) <= targets
        for used in re.findall(r"(?:^| )((?:\.ci|scripts)/[\w/.-]+)", script, re.MULTILINE):
            assert os.access(ROOT / used, os.X_OK), used
        if step.get("uses", "").startswith("./"):
            assert (ROOT / step["uses"] / "action.yml").exists()
