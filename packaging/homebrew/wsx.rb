# Installs a released binary on Linux, the only system that wsx supports: its sources import Glibc.
#
# OWNER, the version, and the checksums are placeholders. scripts/dist/formula.sh fills them in for a release.
class Wsx < Formula
  desc "Command-line client, server, proxy, and load generator for WebSockets"
  homepage "https://github.com/OWNER/wsx"
  version "0.0.0"
  # The source is under the MIT license; the binary contains GNU readline.
  license "GPL-3.0-or-later"

  on_intel do
    url "https://github.com/OWNER/wsx/releases/download/v#{version}/wsx-#{version}-x86_64-linux.tar.gz"
    sha256 "SHA256_X86_64"
  end

  on_arm do
    url "https://github.com/OWNER/wsx/releases/download/v#{version}/wsx-#{version}-aarch64-linux.tar.gz"
    sha256 "SHA256_AARCH64"
  end

  depends_on :linux

  def install
    bin.install "bin/wsx"
    man1.install Dir["share/man/man1/*.1"]
    man7.install Dir["share/man/man7/*.7"]
    bash_completion.install "share/bash-completion/completions/wsx"
    zsh_completion.install "share/zsh/site-functions/_wsx"
    fish_completion.install "share/fish/vendor_completions.d/wsx.fish"
    doc.install Dir["share/doc/wsx/*"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/wsx --version")
    assert_equal "hi\n", shell_output("#{bin}/wsx echo: hi")
  end
end
