/// Parses and writes Sec-WebSocket-Extensions values (RFC 6455 §9.1).
public enum ExtensionHeader {
    /// The name of the field.
    public static let fieldName = "Sec-WebSocket-Extensions"

    /// The field's value for a list of extensions.
    public static func value(of extensions: [ExtensionOffer]) -> String {
        extensions.map(\.description).joined(separator: ", ")
    }

    /// Parses the extensions listed by the values of all fields. Empty list elements are skipped (RFC 9110 §5.6.1).
    /// - Throws: ``ExtensionHeaderError`` for the first malformed value.
    public static func parse(_ values: [String]) throws(ExtensionHeaderError) -> [ExtensionOffer] {
        var extensions: [ExtensionOffer] = []
        for value in values {
            var scanner = Scanner(bytes: Array(value.utf8))
            do {
                try scanner.scanList(into: &extensions)
            } catch {
                throw ExtensionHeaderError(value: value)
            }
        }
        return extensions
    }

    private struct SyntaxError: Error {}

    private struct Scanner {
        let bytes: [UInt8]
        var index = 0

        init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        /// RFC 6455 §9.1: `extension-list = 1#extension`.
        mutating func scanList(into extensions: inout [ExtensionOffer]) throws(SyntaxError) {
            while true {
                skipWhitespace()
                if index == bytes.count { return }
                if skip(UInt8(ascii: ",")) { continue }
                extensions.append(try scanExtension())
                skipWhitespace()
                guard index == bytes.count || skip(UInt8(ascii: ",")) else { throw SyntaxError() }
            }
        }

        /// RFC 6455 §9.1: `extension = extension-token *( ";" extension-param )`.
        private mutating func scanExtension() throws(SyntaxError) -> ExtensionOffer {
            let name = try scanToken()
            var parameters: [ExtensionOffer.Parameter] = []
            skipWhitespace()
            while skip(UInt8(ascii: ";")) {
                skipWhitespace()
                parameters.append(try scanParameter())
                skipWhitespace()
            }
            return ExtensionOffer(name: name, parameters: parameters)
        }

        /// RFC 6455 §9.1: `extension-param = token [ "=" (token | quoted-string) ]`.
        private mutating func scanParameter() throws(SyntaxError) -> ExtensionOffer.Parameter {
            let name = try scanToken()
            skipWhitespace()
            guard skip(UInt8(ascii: "=")) else { return ExtensionOffer.Parameter(name) }
            skipWhitespace()
            let value = skip(UInt8(ascii: "\"")) ? try scanRestOfQuotedString() : try scanToken()
            return ExtensionOffer.Parameter(name, value)
        }

        private mutating func scanToken() throws(SyntaxError) -> String {
            let start = index
            while index < bytes.count, ASCII.isTokenCharacter(bytes[index]) { index += 1 }
            guard index > start else { throw SyntaxError() }
            return String(decoding: bytes[start..<index], as: UTF8.self)
        }

        private mutating func scanRestOfQuotedString() throws(SyntaxError) -> String {
            var value: [UInt8] = []
            while index < bytes.count {
                var byte = bytes[index]
                index += 1
                if byte == UInt8(ascii: "\"") {
                    guard !value.isEmpty else { throw SyntaxError() }
                    return String(decoding: value, as: UTF8.self)
                }
                if byte == UInt8(ascii: "\\"), index < bytes.count {
                    byte = bytes[index]
                    index += 1
                }
                // RFC 6455 §9.1: a quoted value must be a token after unquoting.
                guard ASCII.isTokenCharacter(byte) else { throw SyntaxError() }
                value.append(byte)
            }
            throw SyntaxError()
        }

        private mutating func skip(_ byte: UInt8) -> Bool {
            guard index < bytes.count, bytes[index] == byte else { return false }
            index += 1
            return true
        }

        private mutating func skipWhitespace() {
            while index < bytes.count, ASCII.isOptionalWhitespace(bytes[index]) { index += 1 }
        }
    }
}

/// A Sec-WebSocket-Extensions value that violates the grammar of RFC 6455 §9.1.
public struct ExtensionHeaderError: Error, Equatable {
    /// The malformed value.
    public let value: String
}
