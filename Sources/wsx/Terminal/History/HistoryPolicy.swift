/// Decides which lines are written to the history file. It excludes lines that contain, or may contain, credentials:
///
/// - a line that begins with a space, which lets users exclude a line;
/// - a line with a word such as `password` or `token`, in any case, with or without `_` and `-`;
/// - a line with a secret of this run: the value of an option, or a password that was typed;
/// - a line with a user name or password in a URL;
/// - a line with a JSON Web Token.
struct HistoryPolicy {
    /// A line that contains one of these words is excluded.
    static let words = [
        "password", "passwd", "passphrase", "secret", "token", "authorization", "bearer", "apikey", "credential",
        "cookie", "privatekey",
    ]

    /// The secrets of the run.
    private let secrets: [[UInt8]]
    private static let foldedWords = words.map { Array($0.utf8) }

    /// A shorter secret must be a separate word, because many other words contain it.
    private static let shortestPartBytes = 6

    /// Creates a policy.
    /// - Parameter secrets: The secrets of the run, as a message would contain them.
    init(secrets: some Sequence<String> = []) {
        self.secrets = Set(secrets).filter { !$0.isEmpty }.map { Array($0.utf8) }
    }

    /// Whether a line may be written to the file.
    func allows(_ line: [UInt8]) -> Bool {
        guard line.first != UInt8(ascii: " ") else { return false }
        return !hasSecret(line) && !Self.hasWord(line) && !Self.hasUserInfo(line) && !Self.hasWebToken(line)
    }

    private func hasSecret(_ line: [UInt8]) -> Bool {
        secrets.contains { secret in
            var rest = line[...]
            while let found = rest.firstRange(of: secret) {
                let isPart = [line[..<found.lowerBound].last, line[found.upperBound...].first].contains {
                    $0.map(Self.isLetterOrDigit) ?? false
                }
                if secret.count >= Self.shortestPartBytes || !isPart { return true }
                rest = rest[(found.lowerBound + 1)...]
            }
            return false
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: true
        default: false
        }
    }

    private static func hasWord(_ line: [UInt8]) -> Bool {
        let folded = line.compactMap { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            case UInt8(ascii: "_"), UInt8(ascii: "-"): nil
            default: byte
            }
        }
        return foldedWords.contains { folded.firstRange(of: $0) != nil }
    }

    /// RFC 3986 §3.2: user information precedes an `@` in the authority, which `//` begins. Commands also accept an
    /// authority without a scheme.
    private static func hasUserInfo(_ line: [UInt8]) -> Bool {
        let isCommand = line.first == UInt8(ascii: "/")
        return line.split(whereSeparator: { " \t\n\"'<>".utf8.contains($0) }).contains { word in
            var rest = word
            while let slashes = rest.firstRange(of: "//".utf8) {
                rest = rest[slashes.upperBound...]
                if rest.prefix(while: { !"/?#".utf8.contains($0) }).contains(UInt8(ascii: "@")) { return true }
            }
            guard isCommand, let colon = word.firstIndex(of: UInt8(ascii: ":")) else { return false }
            return word[colon...].contains(UInt8(ascii: "@"))
        }
    }

    /// RFC 7519: three base64url parts separated by dots. The first part is a JSON object.
    private static func hasWebToken(_ line: [UInt8]) -> Bool {
        let isPart = { (byte: UInt8) in
            byte < 0x80 && (isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_"))
        }
        var rest = line[...]
        // `{"` in Base64.
        while let start = rest.firstRange(of: "eyJ".utf8) {
            let header = rest[start.lowerBound...].prefix(while: isPart)
            // A later start in the same part would have the same end.
            rest = rest[header.endIndex...]
            guard header.endIndex < line.endIndex, line[header.endIndex] == UInt8(ascii: ".") else { continue }
            let payload = line[(header.endIndex + 1)...].prefix(while: isPart)
            guard !payload.isEmpty, payload.endIndex < line.endIndex else { continue }
            if line[payload.endIndex] == UInt8(ascii: ".") { return true }
        }
        return false
    }
}

extension Collection where Element == UInt8 {
    /// The position of the first occurrence.
    fileprivate func firstRange(of bytes: some Collection<UInt8>) -> Range<Index>? {
        guard let first = bytes.first else { return nil }
        var start = startIndex
        while let index = self[start...].firstIndex(of: first) {
            if self[index...].starts(with: bytes) {
                return index..<self.index(index, offsetBy: bytes.count)
            }
            start = self.index(after: index)
        }
        return nil
    }
}
