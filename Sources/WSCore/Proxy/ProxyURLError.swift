/// Why a text does not name a proxy. None of these carries a user name or a password.
public enum ProxyURLError: Error, Equatable, CustomStringConvertible {
    /// There is nothing.
    case empty
    /// It contains a space or a control character.
    case spaceOrControlCharacter
    /// Its scheme is none of those known; the scheme.
    case unsupportedScheme(String)
    /// No two slashes follow the scheme.
    case missingSlashes(scheme: String)
    /// A path, a query or a fragment follows the host.
    case path
    /// It has no host.
    case emptyHost
    /// The host or the port cannot be one.
    case invalidHostOrPort(URLError)
    /// The user name or password contains characters that end it, or escapes that are none.
    case unescapedCredentials
    /// The user name or password cannot be sent.
    case invalidCredentials(CredentialsError)
    /// The user name or password is too short or too long for SOCKS (RFC 1929 §2).
    case credentialsLength

    /// Why, and what to try.
    public var description: String {
        switch self {
        case .empty: "there is no URL; write one like http://HOST:PORT or socks5h://HOST:PORT"
        case .spaceOrControlCharacter: "the URL contains a space or a control character; percent-encode it"
        case .unsupportedScheme(let scheme) where scheme.hasPrefix("socks"):
            "\(quoted(scheme)) is not supported; use socks5h://, or socks5:// to look names up here"
        case .unsupportedScheme(let scheme):
            "unknown scheme \(quoted(scheme)); use http://, https://, socks5:// or socks5h://"
        case .missingSlashes(let scheme): "two slashes are missing; write \(scheme)://HOST:PORT"
        case .path: "something follows the host and port; write http://HOST:PORT and nothing after it"
        case .emptyHost: "there is no host; write one like http://HOST:PORT"
        case .invalidHostOrPort(let error): error.description
        case .unescapedCredentials:
            "the user name or password is not percent-encoded; write '@' as %40, '/' as %2F, '%' as %25, in UTF-8"
        case .invalidCredentials(let error): error.description
        case .credentialsLength:
            "SOCKS takes a user name and a password of 1 to 255 bytes each; give both, or use http:// for longer ones"
        }
    }
}
