"""wsx relay as an HTTP proxy: the files of its authority, and --print-ca."""

import getpass
import os
import pwd
import subprocess
import threading

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from certificates import Certificate
from processes import BINARY, assert_fails, environment, run, wsx


@pytest.fixture
def home(tmp_path):
    """An environment with an own state directory, and the folder for the authority."""
    return environment(XDG_STATE_HOME=tmp_path, USER="other"), tmp_path / "wsx/ca"


def print_ca(env=None, *arguments, **options):
    return wsx("relay", "--print-ca", *arguments, env=env, **options)


def modes(folder):
    return {path.name: path.stat().st_mode & 0o777 for path in [folder, *folder.iterdir()]}


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_first_use(home, umask):
    """The first use creates the files, whatever the umask; later ones read them."""
    env, folder = home
    result = print_ca(env, umask=umask)
    assert (result.status, result.err) == (0, "")
    assert modes(folder) == {"ca": 0o700, "ca.pem": 0o644, "ca.key": 0o600, "lock": 0o600}
    assert result.out == (folder / "ca.pem").read_bytes() == print_ca(env).out
    certificate = x509.load_pem_x509_certificate(result.out)
    name = f"CN=wsx relay ({pwd.getpwuid(os.geteuid()).pw_name}@{os.uname().nodename})"[:3 + 64]
    assert name in certificate.subject.rfc4514_string()
    usage = certificate.extensions.get_extension_for_class(x509.KeyUsage)
    assert usage.critical and usage.value.key_cert_sign and not usage.value.digital_signature
    constraints = certificate.extensions.get_extension_for_class(x509.BasicConstraints)
    assert constraints.critical and constraints.value == x509.BasicConstraints(ca=True, path_length=0)
    key = serialization.load_pem_private_key((folder / "ca.key").read_bytes(), None)
    assert key.curve.name == "secp256r1"
    assert run(["openssl", "verify", "-CAfile", folder / "ca.pem", folder / "ca.pem"]).status == 0


@pytest.mark.parametrize("count", [2, 20])
def test_simultaneous_starts(home, count):
    """Processes that start at once get the same authority."""
    env, folder = home
    outputs = []
    barrier = threading.Barrier(count)

    def start():
        barrier.wait()
        outputs.append(print_ca(env).out)

    threads = [threading.Thread(target=start) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert set(outputs) == {(folder / "ca.pem").read_bytes()} and len(outputs) == count


def test_lock_is_waited_for(home):
    """The creation waits for a process that holds the lock."""
    env, folder = home
    folder.mkdir(mode=0o700, parents=True)
    with subprocess.Popen(["flock", folder / "lock", "cat"], stdin=subprocess.PIPE) as holder:
        lock = folder / "lock"
        while not lock.exists() or run(["flock", "-n", lock, "true"]).status == 0:
            pass
        with subprocess.Popen(
                [BINARY, "relay", "--print-ca"], env=env, stdout=subprocess.PIPE) as process:
            # It has opened the file, and does not go on.
            while not any(os.path.realpath(f"/proc/{process.pid}/fd/{name}") == str(lock)
                          for name in os.listdir(f"/proc/{process.pid}/fd")):
                pass
            assert not (folder / "ca.pem").exists()
            holder.stdin.close()
            out = process.communicate(timeout=60)[0]
    assert out == (folder / "ca.pem").read_bytes()


def test_given_directory(tmp_path):
    """--proxy-ca names another directory, which is created."""
    folder = tmp_path / "a/b"
    result = print_ca(None, "--proxy-ca", folder)
    assert result.out == (folder / "ca.pem").read_bytes()
    assert print_ca(None, "--proxy-ca", f"{folder}/").out == result.out


def given_pair(folder, certificate, key=None):
    folder.mkdir()
    (folder / "ca.pem").write_bytes(certificate.pem)
    (folder / "ca.key").write_bytes(key if key is not None else certificate.key_pem())
    (folder / "ca.key").chmod(0o600)


def test_pair_of_the_user(tmp_path):
    """An existing pair is used."""
    authority = Certificate("Mine", is_authority=True)
    given_pair(tmp_path / "ca", authority)
    assert print_ca(None, "--proxy-ca", tmp_path / "ca").out == authority.pem


def broken(name, folder):
    authority = Certificate("Mine", is_authority=True)
    if name == "expired":
        given_pair(folder, Certificate("Old", is_authority=True, from_days=-9, to_days=-1))
    elif name == "not yet valid":
        given_pair(folder, Certificate("New", is_authority=True, from_days=1))
    elif name == "no authority":
        given_pair(folder, Certificate("Leaf"))
    elif name == "wrong key":
        given_pair(folder, authority, Certificate("Other").key_pem())
    elif name == "encrypted key":
        given_pair(folder, authority, authority.key_pem("secret"))
    elif name == "no PEM":
        given_pair(folder, authority, b"key")
    else:
        given_pair(folder, authority)
    if name == "no key":
        (folder / "ca.key").unlink()
    elif name == "no certificate":
        (folder / "ca.pem").unlink()
    elif name == "shared key":
        (folder / "ca.key").chmod(0o640)
    elif name == "shared directory":
        folder.chmod(0o770)
    elif name == "linked key":
        (folder / "ca.key").rename(folder / "real")
        (folder / "ca.key").symlink_to("real")
    elif name == "directory for a key":
        (folder / "ca.key").unlink()
        (folder / "ca.key").mkdir(0o700)
    elif name == "pipe for a key":
        (folder / "ca.key").unlink()
        os.mkfifo(folder / "ca.key", 0o600)
    elif name == "shared certificate":
        (folder / "ca.pem").chmod(0o666)
    elif name == "linked directory":
        folder.rename(folder.with_name("real"))
        folder.symlink_to("real")
    elif name == "file for the directory":
        folder.rename(folder.with_name("real"))
        folder.write_text("")


@pytest.mark.parametrize("name, words", [
    ("expired", ["expired at 2", "delete it and", "ca.key", "--print-ca"]),
    ("not yet valid", ["is not valid before 2", "check the clock"]),
    ("no authority", ["is not that of an authority", "CA:TRUE"]),
    ("wrong key", ["does not belong to the certificate"]),
    ("encrypted key", ["is encrypted", "openssl pkey"]),
    ("no PEM", ["contains no private key"]),
    ("no key", ["ca.key': it is missing", "restore it"]),
    ("no certificate", ["ca.pem': it is missing", "restore it"]),
    ("shared key", ["other users can read or write it", "chmod 600"]),
    ("shared directory", ["other users can write it", "chmod go-w"]),
    ("linked key", ["ca.key': it is a symbolic link"]),
    ("directory for a key", ["ca.key': it is not a regular file"]),
    ("pipe for a key", ["ca.key': it is not a regular file"]),
    ("shared certificate", ["ca.pem': other users can write it", "chmod go-w"]),
    ("linked directory", ["it is a symbolic link"]),
    ("file for the directory", ["not a directory"]),
], ids=lambda value: value if isinstance(value, str) else "")
def test_problems(tmp_path, name, words):
    """A broken authority is an error that names the file and the remedy, and nothing is replaced."""
    folder = tmp_path / "ca"
    broken(name, folder)
    before = sorted(tmp_path.rglob("*"))
    assert_fails(print_ca(None, "--proxy-ca", folder), 2, "--proxy-ca: ", *words)
    assert [path for path in sorted(tmp_path.rglob("*")) if path.name != "lock"] == before


def test_directory_of_another_user(tmp_path):
    if getpass.getuser() != "root":
        pytest.skip("only root can give a directory away")
    folder = tmp_path / "ca"
    folder.mkdir(0o700)
    os.chown(folder, 65534, 65534)
    assert_fails(print_ca(None, "--proxy-ca", folder), 2, "it belongs to another user")


@pytest.mark.parametrize("name", ["ca.pem", "ca.key"])
def test_file_of_another_user(tmp_path, name):
    if getpass.getuser() != "root":
        pytest.skip("only root can give a file away")
    folder = tmp_path / "ca"
    assert print_ca(None, "--proxy-ca", folder).status == 0
    os.chown(folder / name, 65534, 65534)
    assert_fails(print_ca(None, "--proxy-ca", folder), 2, f"{name}': it belongs to another user")


def test_places_that_do_not_exist(tmp_path):
    assert_fails(print_ca(None, "--proxy-ca", "/proc/wsx"), 2, "'/proc/wsx': no such file or directory")
    assert_fails(print_ca(None, "--proxy-ca", ""), 2, "--proxy-ca", "it is empty")
    env = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_STATE_HOME")}
    assert_fails(print_ca(env), 2, "the home directory is unknown", "--proxy-ca DIR")


@pytest.mark.parametrize("arguments", [["8080"], ["-v"], ["--", "false"], ["--once"], ["--intercept", "a"], ["--record", "x"]],
                         ids=" ".join)
def test_print_ca_starts_nothing(home, arguments):
    env, folder = home
    assert_fails(print_ca(env, *arguments), 2, "--print-ca")
    assert not folder.exists()


def test_port_is_needed_otherwise():
    assert_fails(wsx("relay"), 2, "'wsx relay' needs [ADDRESS:]PORT")


def test_authority_needs_a_proxy(tmp_path):
    result = wsx("relay", "0", "ws://localhost:1", "--proxy-ca", tmp_path / "ca")
    assert_fails(result, 2, "--proxy-ca", "HTTP proxy")
    assert not (tmp_path / "ca").exists()
