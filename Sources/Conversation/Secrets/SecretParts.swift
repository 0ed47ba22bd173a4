import Formats
import WSCore

/// Finds the parts of a credential that a peer may repeat alone.
///
///     Token token="S"                  S
///     key=S, id:S, v1;S;x              S
///     "S", %53, {"token":"S","n":1}    S
///     base64url.bearer.S               S
enum SecretParts {
    /// Longer credentials, such as files with several tokens, have more parts than a peer repeats.
    private static let maximumCount = 32
    /// A shorter word in an unknown place is more likely the name of a scheme or a parameter.
    private static let shortestBytes = 6

    /// The parts of a credential that are likely secrets on their own.
    static func parts(of credential: String) -> [String] {
        var parts: [String] = []
        for text in [credential, decoded(credential)].compactMap(\.self) {
            if text != credential { parts.append(text) }
            let isJSON = text.utf8.first == UInt8(ascii: "{") || text.utf8.first == UInt8(ascii: "[")
            let strings = isJSON ? (try? JSONReader.strings(in: text)) : nil
            parts += strings.map { SecretText.assignedSecrets(in: text) + $0.filter(isPart) } ?? pieces(of: text)
        }
        return Array(parts.prefix(maximumCount))
    }

    /// The ends of a subprotocol after its dots. Tokens contain dots, too.
    static func suffixes(ofSubprotocol name: String) -> [String] {
        name.utf8.indices.filter { name.utf8[$0] == UInt8(ascii: ".") }.prefix(maximumCount)
            .map { String(Substring(name.utf8[$0...].dropFirst())) }
    }

    /// The words between separators, without names that a value follows, and without the scheme.
    private static func pieces(of text: String) -> [String] {
        let bytes = Array(text.utf8)
        guard bytes.contains(where: isSeparator) else { return [] }
        var pieces: [String] = []
        for piece in bytes.split(whereSeparator: isSeparator) {
            // A value follows a name. After the padding of Base64, a separator does.
            let signs = bytes[piece.endIndex...].prefix { $0 == UInt8(ascii: "=") }
            let next = bytes[signs.endIndex...].first ?? 0
            let isName = !signs.isEmpty && (!isSeparator(next) || "\"'".utf8.contains(next))
            guard !isName else { continue }
            let word = String(decoding: piece, as: UTF8.self)
            // Of `Token token="S"`, neither word is a part, but the value is, however short.
            let sign = bytes[..<piece.startIndex].last { !"\"'".utf8.contains($0) } ?? UInt8(ascii: " ")
            let isValue = sign == UInt8(ascii: "=") || sign == UInt8(ascii: ":")
            if isValue || isPart(word) || sign > UInt8(ascii: " ") && word.utf8.count >= shortestBytes {
                pieces.append(word)
            }
        }
        return pieces
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte <= UInt8(ascii: " ") || ",;:=&|\"'/@<>()[]".utf8.contains(byte)
    }

    private static func isPart(_ word: String) -> Bool {
        word.utf8.count >= shortestBytes && !word.utf8.allSatisfy(ASCII.isLetter)
    }

    /// The text without percent escapes, or `nil` without any.
    private static func decoded(_ text: String) -> String? {
        text.utf8.contains(UInt8(ascii: "%")) ? try? PercentEncoding.decode(text) : nil
    }
}

extension JSONReader {
    /// The string values in a JSON text, without the names of members.
    package static func strings(in text: String) throws(JSONError) -> [String] {
        let bytes = Array(text.utf8)
        var reader = JSONReader()
        var strings: [String] = []
        while let token = try reader.next(in: bytes.span.bytes) {
            guard token.kind == .string else { continue }
            strings.append(JSONString.decoded(bytes.span.bytes.extracting(token.range)))
        }
        return strings
    }
}
