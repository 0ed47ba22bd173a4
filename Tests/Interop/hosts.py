"""Simulated hosts: network namespaces, each with sshd, and a network that connects them to the tests.

The addresses and keys exist only inside the namespaces, and the machine's ssh configuration is not used.
"""

import os
import pwd
import shutil

from processes import BINARY, PEERS, Running, environment, run, wait_until

SSHD = "/usr/sbin/sshd"
# Everything runs as the current user, who must be root or be allowed to create namespaces.
IS_ROOT = os.geteuid() == 0
UNSHARE = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"] + (
    [] if IS_ROOT else ["--user", "--map-current-user", "--keep-caps"])

SSHD_CONFIGURATION = """
HostKey {directory}/host_key
AuthorizedKeysFile {directory}/user_key.pub
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PidFile none
SetEnv PATH={directory}/bin:/usr/local/bin:/usr/bin:/bin
"""

SSH_CONFIGURATION = """
{names}
Host *
    User {user}
    IdentityFile {directory}/user_key
    IdentitiesOnly yes
    BatchMode yes
    UserKnownHostsFile {directory}/known_hosts
    GlobalKnownHostsFile none
"""


def why_there_are_none():
    """Returns the reason hosts cannot be created on this machine, or None."""
    for program in (SSHD, "ssh", "parallel", "ip"):
        if not shutil.which(program):
            return f"{program} is not installed"
    trial = run([*UNSHARE, "sh", "-c", "mount -t tmpfs tmpfs /run && ip link add to-host type veth peer name eth0"])
    return f"no namespaces here: {trial.err.strip()}" if trial.status else None


class Hosts(Running):
    """Hosts with these names, where `wsx` is the tested binary. All of them reach this machine at `address`."""

    address = "10.66.1.1"

    def __init__(self, directory, *names):
        self._directory = directory
        account = pwd.getpwuid(os.geteuid())
        user = account.pw_name
        for name in ("host_key", "user_key"):
            assert run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory / name]).status == 0
        addresses = {name: f"10.66.{number}.2" for number, name in enumerate(names, 1)}
        host_key = (directory / "host_key.pub").read_text()
        (directory / "known_hosts").write_text("".join(f"{address} {host_key}" for address in addresses.values()))
        (directory / "sshd_config").write_text(SSHD_CONFIGURATION.format(directory=directory))
        (directory / "ssh_config").write_text(SSH_CONFIGURATION.format(
            directory=directory, user=user,
            names="\n".join(f"Host {name}\n    HostName {address}" for name, address in addresses.items())))
        (directory / "shadow").write_text(f"{user}:*:::::::\n")
        # Another home, because bash reads ~/.bashrc for commands that come by ssh. sshd needs its own account.
        others = [other for other in pwd.getpwall() if other.pw_name != user]
        accounts = [(*account[:5], directory, account.pw_shell), *others]
        (directory / "passwd").write_text("".join(":".join(map(str, fields)) + "\n" for fields in accounts))
        (directory / "parallel").mkdir()
        (directory / "parallel/will-cite").touch()
        (directory / "bin").mkdir()
        (directory / "bin/wsx").symlink_to(BINARY)
        super().__init__([*UNSHARE, PEERS / "hosts.sh", directory, *names])
        try:
            self._target = self.wait_for(r"^(\d+)\n", "out").group(1).decode()
            wait_until(lambda: self.err.count("listening on 0.0.0.0") == len(names), what="sshd")
        except AssertionError:
            self.__exit__()
            raise

    def inside(self, directory, *words):
        """Returns the command line that runs `words` in `directory`, inside the network of the hosts."""
        user = [] if IS_ROOT else ["--user", "--preserve-credentials"]
        return ["nsenter", f"--target={self._target}", "--mount", "--net", *user, f"--wd={directory}", "--", *words]

    @property
    def environment(self):
        """Lets parallel and shells find the hosts and wsx, and silences parallel's citation notice."""
        return environment(
            PATH=f"{self._directory}/bin:{os.environ['PATH']}", PARALLEL_HOME=self._directory / "parallel",
            PARALLEL_SSH=f"ssh -F {self._directory}/ssh_config")
