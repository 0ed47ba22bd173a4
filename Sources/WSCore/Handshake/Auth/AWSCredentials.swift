/// An access key for requests to AWS.
package struct AWSCredentials: Equatable, Sendable {
    package let accessKeyID: String
    package let secretKey: String
    /// The token of temporary credentials.
    package let sessionToken: String?

    /// Creates credentials.
    /// - Throws: ``AWSCredentialsError`` if they cannot sign a request.
    package init(
        accessKeyID: String, secretKey: String, sessionToken: String? = nil
    ) throws(AWSCredentialsError) {
        guard Self.isVisibleASCII(accessKeyID) else { throw .invalidAccessKeyID }
        guard !secretKey.isEmpty else { throw .emptySecretKey }
        guard sessionToken.map(Self.isVisibleASCII) ?? true else { throw .invalidSessionToken }
        self.accessKeyID = accessKeyID
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }

    /// Both the ID and the token become parts of a header field.
    private static func isVisibleASCII(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }
}

/// The reason credentials cannot sign a request.
package enum AWSCredentialsError: Error, Equatable, CustomStringConvertible {
    case invalidAccessKeyID
    case emptySecretKey
    case invalidSessionToken

    /// The rule that the credentials break.
    package var description: String {
        switch self {
        case .invalidAccessKeyID: "the access key ID must be visible ASCII characters, without spaces"
        case .emptySecretKey: "the secret access key is empty"
        case .invalidSessionToken: "the session token must be visible ASCII characters, without spaces"
        }
    }
}
