/// An authentication scheme offered by a server in WWW-Authenticate or by a proxy in Proxy-Authenticate (RFC 9110
/// §11.6.1).
package struct AuthenticationChallenge: Equatable, Sendable {
    /// A parameter of a challenge, with its name in the original case and its value without quotes.
    package struct Parameter: Equatable, Sendable {
        /// The name.
        package let name: String
        /// The value.
        package let value: String

        /// Creates a parameter.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The maximum number of challenges to parse: 16. Further ones are ignored.
    package static let maximumCount = 16

    /// The scheme in its original case, such as `Basic`.
    package let scheme: String
    /// The token68 that some schemes use instead of parameters.
    package internal(set) var token: String?
    /// The parameters, in order.
    package internal(set) var parameters: [Parameter] = []

    /// Creates a challenge with a token or with parameters.
    package init(scheme: String, token: String? = nil, parameters: [Parameter] = []) {
        self.scheme = scheme
        self.token = token
        self.parameters = parameters
    }

    /// The server's human-readable name for the protected area (RFC 9110 §11.5). Not safe to print.
    package var realm: String? { self["realm"] }

    /// The value of the first parameter with this name, ignoring case.
    package subscript(name: String) -> String? {
        parameters.first { ASCII.areEqualIgnoringCase($0.name, name) }?.value
    }

    /// Whether the scheme has this name, ignoring case (RFC 9110 §11.1).
    package func isScheme(_ name: String) -> Bool { ASCII.areEqualIgnoringCase(scheme, name) }

    /// Parses the challenges listed by the values of all fields.
    ///
    /// Parsing is lenient: malformed text is skipped up to the next comma.
    package static func parse(_ values: [String]) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        for value in values {
            var scanner = ChallengeScanner(value)
            challenges += scanner.scan()
        }
        return Array(challenges.prefix(maximumCount))
    }

    /// Describes the challenges, as in `Basic (realm "x") or "Hawk"`. Safe to print.
    package static func describe(_ challenges: [AuthenticationChallenge]) -> String {
        var descriptions: [String] = []
        for challenge in challenges {
            let isKnown = knownSchemes.contains { challenge.isScheme($0) }
            let scheme = isKnown ? challenge.scheme : quoted(String(challenge.scheme.prefix(maximumShownCharacters)))
            let realm = challenge.realm ?? ""
            let description = realm.isEmpty ? scheme : "\(scheme) (realm \(quoted(realm)))"
            if !descriptions.contains(description) { descriptions.append(description) }
        }
        return descriptions.prefix(maximumShownCount).joined(separator: " or ")
    }

    /// The command-line options that satisfy the challenges, for the schemes that the program supports.
    package static func options(for challenges: [AuthenticationChallenge]) -> [String] {
        let offers = { (scheme: String) in challenges.contains { $0.isScheme(scheme) } }
        let login = offers("Basic") ? ["--auth"] : offers("Digest") ? ["--auth and --digest"] : []
        return login + (offers("Bearer") ? ["--bearer"] : [])
    }

    private static let knownSchemes = ["Basic", "Bearer", "Digest", "Negotiate", "NTLM"]
    private static let maximumShownCount = 4
    private static let maximumShownCharacters = 32
}

/// Scans the value of one field.
///
///     challenge = auth-scheme [ 1*SP ( token68 / #( token BWS "=" BWS ( token / quoted-string ) ) ) ]
///
/// Commas separate both challenges and the parameters of a challenge. After a comma, a token followed by an equals sign
/// is a parameter; any other token is a scheme.
private struct ChallengeScanner {
    private var scanner: FieldScanner
    private var challenges: [AuthenticationChallenge] = []

    init(_ value: String) {
        scanner = FieldScanner(value)
    }

    mutating func scan() -> [AuthenticationChallenge] {
        while !scanner.isAtEnd, challenges.count <= AuthenticationChallenge.maximumCount {
            scanner.skipWhitespace()
            if scanner.skip(UInt8(ascii: ",")) { continue }
            scanElement()
            skipToComma()
        }
        return challenges
    }

    /// Scans a challenge, or another parameter of the previous challenge.
    private mutating func scanElement() {
        guard let name = scanner.scanToken() else { return }
        let isSpaceNext = scanner.next.map(ASCII.isOptionalWhitespace) ?? false
        scanner.skipWhitespace()
        if scanner.skip(UInt8(ascii: "=")) {
            addParameter(name)
            return
        }
        challenges.append(AuthenticationChallenge(scheme: name))
        guard isSpaceNext else { return }
        if let token = scanToken68() {
            challenges[challenges.count - 1].token = token
        } else if let name = scanner.scanToken() {
            scanner.skipWhitespace()
            if scanner.skip(UInt8(ascii: "=")) { addParameter(name) }
        }
    }

    /// Scans a parameter's value and appends the parameter to the last challenge.
    private mutating func addParameter(_ name: String) {
        scanner.skipWhitespace()
        guard !challenges.isEmpty,
            let value = scanner.skip(UInt8(ascii: "\"")) ? scanRestOfQuotedString() : scanner.scanToken()
        else { return }
        challenges[challenges.count - 1].parameters.append(.init(name, value))
    }

    /// RFC 9110 §11.2: `token68`, up to a comma or the end. Consumes nothing if there is none.
    private mutating func scanToken68() -> String? {
        let (bytes, start) = (scanner.bytes, scanner.index)
        var end = start
        while end < bytes.count, Self.isToken68Character(bytes[end]) { end += 1 }
        guard end > start else { return nil }
        while end < bytes.count, bytes[end] == UInt8(ascii: "=") { end += 1 }
        let next = bytes[end...].first { !ASCII.isOptionalWhitespace($0) }
        guard next == nil || next == UInt8(ascii: ",") else { return nil }
        scanner.index = end
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private mutating func scanRestOfQuotedString() -> String {
        String(decoding: scanner.scanRestOfQuotedString().value, as: UTF8.self)
    }

    /// Skips malformed text up to the next comma outside quoted strings.
    private mutating func skipToComma() {
        while let byte = scanner.next, byte != UInt8(ascii: ",") {
            scanner.index += 1
            if byte == UInt8(ascii: "\"") { _ = scanRestOfQuotedString() }
        }
    }

    private static func isToken68Character(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~+/".utf8.contains(byte)
    }
}
