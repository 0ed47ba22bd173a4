/// A user name and password for HTTP's Basic authentication (RFC 7617).
public struct Credentials: Equatable, Sendable {
    /// The user name: no colon, no control character.
    public let user: String
    /// The password: no control character.
    public let password: String

    /// Takes a user name and password, or throws ``CredentialsError`` when Basic authentication cannot carry them.
    public init(user: String, password: String) throws(CredentialsError) {
        // RFC 7617 §2: a user name with a colon is invalid, because the first colon ends it.
        guard !user.utf8.contains(ASCII.colon) else { throw .colonInUser }
        // RFC 7617 §2: neither may contain control characters.
        guard !user.utf8.contains(where: ASCII.isControl) else { throw .controlCharacterInUser }
        guard !password.utf8.contains(where: ASCII.isControl) else { throw .controlCharacterInPassword }
        self.user = user
        self.password = password
    }

    /// The value of the Authorization field: `Basic` and the Base64 form of `user:password` in UTF-8.
    public var basicAuthorization: String { "Basic " + basicToken }

    /// The Base64 form of `user:password`, which follows the scheme.
    var basicToken: String { Digest.base64(Array("\(user):\(password)".utf8)) }
}

extension Credentials: CustomStringConvertible {
    /// The user name alone, so that no log shows the password.
    public var description: String { "\(escapingControls(user)):***" }
}

/// Why a user name and password cannot be sent with Basic authentication.
public enum CredentialsError: Error, Equatable, CustomStringConvertible {
    /// The user name contains a colon, which ends it (RFC 7617 §2).
    case colonInUser
    /// The user name contains a control character.
    case controlCharacterInUser
    /// The password contains a control character.
    case controlCharacterInPassword

    /// Why, and what to try.
    public var description: String {
        switch self {
        case .colonInUser: "a user name cannot contain a colon; Basic authentication ends it there"
        case .controlCharacterInUser: "the user name contains a control character; remove it"
        case .controlCharacterInPassword: "the password contains a control character; remove it"
        }
    }
}
