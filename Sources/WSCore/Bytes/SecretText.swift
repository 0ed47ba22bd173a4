/// Finds what is likely a secret in text of any form.
package enum SecretText {
    /// What replaces a secret.
    package static let mask = "•••"

    /// Whether the text contains a name that suggests a secret, in any position.
    package static func hasName(_ text: some Sequence<UInt8>) -> Bool {
        Array(text).split(whereSeparator: { !isNameByte($0) }).contains {
            $0.count <= maximumNameBytes && SecretName.isSecret(Array($0))
        }
    }

    /// Whether the text gives a value to a name that suggests a secret: `token=x`, `"token": "x"`.
    package static func assignsSecret(_ text: some Sequence<UInt8>) -> Bool {
        let bytes = Array(text)
        var index = 0
        while index < bytes.count {
            let name = bytes[index...].prefix(while: isNameByte)
            guard !name.isEmpty else {
                index += 1
                continue
            }
            index = name.endIndex
            let rest = bytes[index...].drop { "\"'\\ ]".utf8.contains($0) }
            guard let sign = rest.first, sign == UInt8(ascii: "=") || sign == ASCII.colon else { continue }
            let value = rest.dropFirst().drop { "\"'\\ ".utf8.contains($0) }
            // The members of an object have names, too. A placeholder is the name of a value.
            guard let first = value.first, !"{},&]".utf8.contains(first) else { continue }
            if SecretName.isSecret(Array(name)) { return true }
        }
        return false
    }

    /// Whether the text contains a JSON Web Token (RFC 7519): three base64url parts separated by dots. The first part is
    /// a JSON object.
    package static func hasWebToken(_ text: some Sequence<UInt8>) -> Bool {
        let line = Array(text)
        var rest = line[...]
        // `{"` in Base64.
        while let start = rest.firstRange(of: Array("eyJ".utf8)) {
            let header = rest[start.lowerBound...].prefix(while: isNameByte)
            // A later start in the same part would have the same end.
            rest = rest[header.endIndex...]
            guard header.endIndex < line.endIndex, line[header.endIndex] == UInt8(ascii: ".") else { continue }
            let payload = line[(header.endIndex + 1)...].prefix(while: isNameByte)
            guard !payload.isEmpty, payload.endIndex < line.endIndex else { continue }
            if line[payload.endIndex] == UInt8(ascii: ".") { return true }
        }
        return false
    }

    /// Whether the text contains a JSON Web Token, or begins with `Bearer` and a token (RFC 6750).
    package static func hasToken(_ text: some Sequence<UInt8>) -> Bool {
        let text = Array(text)
        let scheme = Array("bearer ".utf8)
        return text.count > scheme.count && text.prefix(scheme.count).map(ASCII.lowercased) == scheme
            || hasWebToken(text)
    }

    /// Longer words are data, such as Base64, and contain short words by chance.
    private static let maximumNameBytes = 128

    /// Base64url has the same characters.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}

extension ArraySlice<UInt8> {
    /// The position of the first occurrence.
    package func firstRange(of bytes: [UInt8]) -> Range<Int>? {
        guard let first = bytes.first else { return nil }
        var start = startIndex
        while let index = self[start...].firstIndex(of: first) {
            if self[index...].starts(with: bytes) { return index..<(index + bytes.count) }
            start = index + 1
        }
        return nil
    }
}
