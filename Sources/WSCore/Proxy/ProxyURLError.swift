/// An error in a proxy URL. No case contains a user name or password.
package enum ProxyURLError: Error, Equatable, CustomStringConvertible {
    /// The text is empty.
    case empty
    /// The URL contains a space or control character.
    case spaceOrControlCharacter
    /// The scheme is not supported.
    case unsupportedScheme(String)
    /// The scheme is not followed by two slashes.
    case missingSlashes(scheme: String)
    /// The host is followed by a path, query, or fragment.
    case path
    /// The host is missing.
    case emptyHost
    /// The host or port is invalid.
    case invalidHostOrPort(URLError)
    /// The user name or password contains reserved characters or invalid percent-encoding.
    case unescapedCredentials
    /// The user name or password contains characters that cannot be sent.
    case invalidCredentials(CredentialsError)
    /// The user name or password is empty or too long for SOCKS (RFC 1929 §2).
    case credentialsLength

    /// The cause and a remedy.
    package var description: String {
        switch self {
        case .empty: "the URL is empty; write one like http://HOST:PORT or socks5h://HOST:PORT"
        case .spaceOrControlCharacter: "the URL contains a space or a control character; percent-encode it"
        case .unsupportedScheme(let scheme) where scheme.hasPrefix("socks"):
            "\(quoted(scheme)) is not supported; use socks5h://, or socks5:// to look up names on this machine"
        case .unsupportedScheme(let scheme):
            "unknown scheme \(quoted(scheme)); use http://, https://, socks5://, or socks5h://"
        case .missingSlashes(let scheme): "two slashes are missing after the first colon; write \(scheme)://HOST:PORT"
        case .path: "unexpected text after the host and port; write http://HOST:PORT"
        case .emptyHost: "there is no host; write one like http://HOST:PORT"
        case .invalidHostOrPort(let error): error.description
        case .unescapedCredentials:
            "the user name or password is not percent-encoded; write '@' as %40, '/' as %2F, '%' as %25, in UTF-8"
        case .invalidCredentials(let error): error.description
        case .credentialsLength:
            "SOCKS requires a user name and a password of 1 to 255 bytes each; set both, or use an http:// proxy"
        }
    }
}
