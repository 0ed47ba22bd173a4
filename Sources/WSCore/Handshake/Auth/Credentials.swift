/// A user name and password for HTTP Basic authentication (RFC 7617).
package struct Credentials: Equatable, Sendable {
    /// The user name, without colons and control characters.
    package let user: String
    /// The password, without control characters.
    package let password: String

    /// Creates credentials.
    /// - Throws: ``CredentialsError`` if Basic authentication cannot transmit them.
    package init(user: String, password: String) throws(CredentialsError) {
        // RFC 7617 §2: a user name with a colon is invalid, because the first colon ends it.
        guard !user.utf8.contains(ASCII.colon) else { throw .colonInUser }
        // RFC 7617 §2: neither may contain control characters.
        guard !user.utf8.contains(where: ASCII.isControl) else { throw .controlCharacterInUser }
        guard !password.utf8.contains(where: ASCII.isControl) else { throw .controlCharacterInPassword }
        self.user = user
        self.password = password
    }

    /// The value of the Authorization field: `Basic` and the Base64 encoding of `user:password` in UTF-8.
    package var basicAuthorization: String { "Basic " + basicToken }

    /// The Base64 encoding of `user:password`, without the scheme.
    var basicToken: String { Digest.base64(Array("\(user):\(password)".utf8)) }
}

extension Credentials: CustomStringConvertible {
    /// The user name and three asterisks, to keep the password out of logs.
    package var description: String { "\(escapingControls(user)):***" }
}

/// The reason Basic authentication cannot transmit a user name or password.
package enum CredentialsError: Error, Equatable, CustomStringConvertible {
    /// The user name contains a colon, which would end it (RFC 7617 §2).
    case colonInUser
    /// The user name contains a control character.
    case controlCharacterInUser
    /// The password contains a control character.
    case controlCharacterInPassword

    /// The reason and the remedy.
    package var description: String {
        switch self {
        case .colonInUser: "a user name cannot contain a colon, which separates it from the password"
        case .controlCharacterInUser: "the user name contains a control character; remove it"
        case .controlCharacterInPassword: "the password contains a control character; remove it"
        }
    }
}

/// The identity of an authenticated client. It comes from the server's own settings, never from the request.
package enum Login: Equatable, Sendable {
    /// Authenticated with a password (RFC 7617).
    case basic(user: String)
    /// Authenticated with a token (RFC 6750), which has no user name.
    case bearer
}
