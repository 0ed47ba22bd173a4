/// Finds the likely secrets among the parameters in the query or fragment of a URL.
///
/// The text need not be a valid URL, and may be one that is part of other text, such as that of a Link field.
package enum SecretQuery {
    /// Replaces these values with `•••`.
    package static func masking(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let secrets = ranges(in: bytes, depth: 0)
        guard !secrets.isEmpty else { return text }
        var masked: [UInt8] = []
        var start = 0
        for secret in secrets {
            masked += bytes[start..<secret.lowerBound] + Array(SecretText.mask.utf8)
            start = secret.upperBound
        }
        return String(decoding: masked + bytes[start...], as: UTF8.self)
    }

    /// These values, as written and percent-decoded.
    package static func values(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        return ranges(in: bytes, depth: 0).flatMap { range in
            [String(decoding: bytes[range], as: UTF8.self), String(decoding: decoded(bytes[range]), as: UTF8.self)]
        }
    }

    /// Values within values, such as that of a URL in a parameter, are examined up to this depth.
    private static let maximumDepth = 3

    private static func ranges(in bytes: [UInt8], depth: Int) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var index = 0
        while let mark = bytes[index...].firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            index = mark
            // The parameters, up to the end of the query.
            repeat {
                let follows = bytes[index] == UInt8(ascii: ";") && ranges.last?.upperBound == index
                let piece = index + 1..<end(ofPieceAt: index + 1, in: bytes)
                let sign = bytes[piece].firstIndex(of: UInt8(ascii: "="))
                let value = (sign.map { $0 + 1 } ?? piece.lowerBound)..<piece.upperBound
                if follows, sign == nil {
                    // A value that contains a semicolon.
                    ranges[ranges.count - 1] = ranges[ranges.count - 1].lowerBound..<piece.upperBound
                } else if isSecret(bytes[value], named: sign.map { bytes[piece.lowerBound..<$0] }, depth) {
                    ranges.append(value)
                }
                index = piece.upperBound
            } while index < bytes.count && "&;#".utf8.contains(bytes[index])
        }
        return ranges
    }

    /// The end of a parameter: a separator, or a character that no URL contains.
    private static func end(ofPieceAt start: Int, in bytes: [UInt8]) -> Int {
        var index = start
        while index < bytes.count, bytes[index] > ASCII.space, !"&;#\"<>".utf8.contains(bytes[index]) {
            index = placeholderEnd(in: bytes[...], at: index) ?? index + 1
        }
        return index
    }

    private static func isSecret(_ value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>?, _ depth: Int) -> Bool {
        // A placeholder is the name of a value.
        guard !withoutPlaceholders(value).isEmpty, !value.elementsEqual(SecretText.mask.utf8) else { return false }
        guard depth < maximumDepth else { return true }
        let text = decoded(value)
        // `{"` in Base64 begins tokens and the login of some services.
        if text.starts(with: "eyJ".utf8) || SecretText.hasWebToken(text) { return true }
        guard let name else {
            return text.count >= shortestTokenBytes && text.contains(where: ASCII.isDigit)
                && text.contains(where: ASCII.isLetter)
        }
        let key = decoded(name)
        let folded = key.map(ASCII.lowercased)
        if shortNames.contains(where: { folded.elementsEqual($0.utf8) }) { return text.count >= shortestValueBytes }
        if SecretName.isSecret(key) { return !flags.contains { text.elementsEqual($0.utf8) } }
        // A URL or parameters in the value.
        guard text.contains(UInt8(ascii: "=")) else { return SecretText.assignsSecret(text) }
        return SecretText.assignsSecret(text) || !ranges(in: [UInt8(ascii: "?")] + text, depth: depth + 1).isEmpty
    }

    /// Names of parameters for tokens, keys, passwords, and codes of OAuth, in URLs only: elsewhere, they are common for
    /// other values.
    private static let shortNames = ["t", "k", "p", "code"]
    /// A shorter value of such a parameter is a number, such as that of a page.
    private static let shortestValueBytes = 4
    /// Values of telling names that are no secrets: `auth=none`, `session=true`.
    private static let flags = ["true", "false", "none", "null", "yes", "no"]
    /// A shorter value without a name is more likely a flag.
    private static let shortestTokenBytes = 16

    /// The text without `{{…}}`.
    static func withoutPlaceholders(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            if let end = placeholderEnd(in: text, at: index) {
                index = end
            } else {
                kept.append(text[index])
                index += 1
            }
        }
        return kept
    }

    /// A longer placeholder is searched for secrets like other text.
    private static let maximumPlaceholderBytes = 256

    private static func placeholderEnd(in bytes: ArraySlice<UInt8>, at index: Int) -> Int? {
        guard bytes[index...].starts(with: "{{".utf8) else { return nil }
        return bytes[index...].prefix(maximumPlaceholderBytes).firstRange(of: Array("}}".utf8))?.upperBound
    }

    /// Decodes percent escapes, if they are valid, and `+`.
    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let spaced = text.map { $0 == UInt8(ascii: "+") ? ASCII.space : $0 }
        return (try? PercentEncoding.decodeBytes(String(decoding: spaced, as: UTF8.self))) ?? spaced
    }
}
