import Conversation
import WSCore

/// Decides which lines are written to the history file. It excludes lines that contain, or may contain, credentials:
///
/// - a line that begins with a space, which lets users exclude a line;
/// - a line with a name that suggests a secret (``SecretName``), such as `password` or `accessKey`;
/// - a line with a secret of this run: the value of an option, or a password that was typed;
/// - a line with a user name or password in a URL, or with a parameter that is likely a secret;
/// - a line with a JSON Web Token or with a key in PEM form.
package struct HistoryPolicy {
    /// The secrets of the run.
    private let secrets: SecretRecord

    /// Creates a policy.
    package init(secrets: SecretRecord) {
        self.secrets = secrets
    }

    /// Whether a line may be written to the file.
    func allows(_ line: [UInt8]) -> Bool {
        guard line.first != UInt8(ascii: " ") else { return false }
        return !secrets.isIn(line) && !SecretText.hasName(line) && !Self.hasUserInfo(line)
            && !SecretText.hasWebToken(line) && line[...].firstRange(of: Array("-----BEGIN".utf8)) == nil
            && SecretQuery.values(in: String(decoding: line, as: UTF8.self)).isEmpty
    }

    /// RFC 3986 §3.2: user information precedes an `@` in the authority, which `//` begins. Commands also accept an
    /// authority without a scheme.
    private static func hasUserInfo(_ line: [UInt8]) -> Bool {
        let isCommand = line.first == UInt8(ascii: "/")
        return line.split(whereSeparator: { " \t\n\"'<>".utf8.contains($0) }).contains { word in
            var rest = word
            while let slashes = rest.firstRange(of: Array("//".utf8)) {
                rest = rest[slashes.upperBound...]
                if rest.prefix(while: { !"/?#".utf8.contains($0) }).contains(UInt8(ascii: "@")) { return true }
            }
            guard isCommand, let colon = word.firstIndex(of: UInt8(ascii: ":")) else { return false }
            return word[colon...].contains(UInt8(ascii: "@"))
        }
    }
}
