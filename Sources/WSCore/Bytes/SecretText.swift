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
        !valueStarts(in: Array(text)).isEmpty
    }

    /// The values that the text gives to such names, and the strings of a list: S1 and S2 in `"tokens": ["S1", "S2"]`.
    package static func assignedSecrets(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        return valueStarts(in: bytes).flatMap { start in
            guard bytes[start] == UInt8(ascii: "[") else { return [value(in: bytes, at: start)] }
            let list = bytes[start...].prefix { $0 != UInt8(ascii: "]") }
            return list.split { "[,\"' ".utf8.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The value that begins at an index: up to its closing quote, or to a separator.
    private static func value(in bytes: [UInt8], at start: Int) -> String {
        let quote = start > 0 ? bytes[start - 1] : 0
        let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        let sign = bytes[..<start].last { $0 != ASCII.space }
        var value: [UInt8] = []
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            // A scheme is a part of the value: `Authorization: Bearer S`.
            let isInside = byte == ASCII.space && sign == ASCII.colon && value.allSatisfy(ASCII.isLetter)
            let isEnd = isQuoted ? byte == quote : byte <= ASCII.space || ",;&}\"'".utf8.contains(byte)
            if isEnd, !isInside { break }
            // RFC 8259 §7. Within a string of a string, the escape precedes the closing quote.
            if byte == UInt8(ascii: "\\"), index + 1 < bytes.count, "\"\\/".utf8.contains(bytes[index + 1]) {
                if start > 1, bytes[start - 2] == byte, bytes[index + 1] == quote { break }
                index += 1
            }
            value.append(bytes[index])
            index += 1
        }
        return String(decoding: value, as: UTF8.self)
    }

    /// The indices of the values of names that suggest secrets.
    private static func valueStarts(in bytes: [UInt8]) -> [Int] {
        var starts: [Int] = []
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
            if SecretName.isSecret(Array(name)) { starts.append(value.startIndex) }
        }
        return starts
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
