/// Parses and writes Sec-WebSocket-Extensions values (RFC 6455 §9.1).
package enum ExtensionHeader {
    /// The name of the field.
    package static let fieldName = "Sec-WebSocket-Extensions"

    /// The field's value for a list of extensions.
    package static func value(of extensions: [ExtensionOffer]) -> String {
        extensions.map(\.description).joined(separator: ", ")
    }

    /// Parses the extensions listed by the values of all fields. Empty list elements are skipped (RFC 9110 §5.6.1).
    /// - Throws: ``ExtensionHeaderError`` for the first malformed value.
    package static func parse(_ values: [String]) throws(ExtensionHeaderError) -> [ExtensionOffer] {
        var extensions: [ExtensionOffer] = []
        for value in values {
            var scanner = ListScanner(value)
            do {
                try scanner.scanList(into: &extensions)
            } catch {
                throw ExtensionHeaderError(value: value)
            }
        }
        // RFC 9110 §5.6.1: a list `1#` has at least one element, and empty ones do not count.
        if extensions.isEmpty, let value = values.first { throw ExtensionHeaderError(value: value) }
        return extensions
    }

    private struct SyntaxError: Error {}

    private struct ListScanner {
        private var scanner: FieldScanner

        init(_ value: String) {
            scanner = FieldScanner(value)
        }

        /// RFC 6455 §9.1: `extension-list = 1#extension`.
        mutating func scanList(into extensions: inout [ExtensionOffer]) throws(SyntaxError) {
            while true {
                scanner.skipWhitespace()
                if scanner.isAtEnd { return }
                if scanner.skip(UInt8(ascii: ",")) { continue }
                extensions.append(try scanExtension())
                scanner.skipWhitespace()
                guard scanner.isAtEnd || scanner.skip(UInt8(ascii: ",")) else { throw SyntaxError() }
            }
        }

        /// RFC 6455 §9.1: `extension = extension-token *( ";" extension-param )`.
        private mutating func scanExtension() throws(SyntaxError) -> ExtensionOffer {
            let name = try scanToken()
            var parameters: [ExtensionOffer.Parameter] = []
            scanner.skipWhitespace()
            while scanner.skip(UInt8(ascii: ";")) {
                scanner.skipWhitespace()
                parameters.append(try scanParameter())
                scanner.skipWhitespace()
            }
            return ExtensionOffer(name: name, parameters: parameters)
        }

        /// RFC 6455 §9.1: `extension-param = token [ "=" (token | quoted-string) ]`.
        private mutating func scanParameter() throws(SyntaxError) -> ExtensionOffer.Parameter {
            let name = try scanToken()
            scanner.skipWhitespace()
            guard scanner.skip(UInt8(ascii: "=")) else { return ExtensionOffer.Parameter(name) }
            scanner.skipWhitespace()
            let value = scanner.skip(UInt8(ascii: "\"")) ? try scanRestOfQuotedString() : try scanToken()
            return ExtensionOffer.Parameter(name, value)
        }

        private mutating func scanToken() throws(SyntaxError) -> String {
            guard let token = scanner.scanToken() else { throw SyntaxError() }
            return token
        }

        private mutating func scanRestOfQuotedString() throws(SyntaxError) -> String {
            let (value, isTerminated) = scanner.scanRestOfQuotedString()
            // RFC 6455 §9.1: a quoted value must be a token after unquoting.
            guard isTerminated, !value.isEmpty, value.allSatisfy(ASCII.isTokenCharacter) else { throw SyntaxError() }
            return String(decoding: value, as: UTF8.self)
        }
    }
}

/// A Sec-WebSocket-Extensions value that violates the grammar of RFC 6455 §9.1.
package struct ExtensionHeaderError: Error, Equatable {
    /// The malformed value.
    package let value: String
}
