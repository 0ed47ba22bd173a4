/// The reason a string is not a usable WebSocket URL.
package enum URLError: Error, Equatable, CustomStringConvertible {
    /// The string is empty.
    case empty
    /// The URL contains a control character.
    case controlCharacter
    /// The URL contains a space.
    case space
    /// A space or a control character, such as the end of a line, precedes or follows the URL.
    case surroundingSpace
    /// The URL has a fragment (RFC 6455 §3).
    case fragment
    /// The scheme is unknown.
    case unknownScheme(String)
    /// The scheme is not followed by a colon but by two slashes, perhaps after another character.
    case missingColon(scheme: String)
    /// Another scheme follows the scheme.
    case repeatedScheme(String)
    /// The scheme is not followed by two slashes.
    case missingSlashes(scheme: String)
    /// The URL has no host.
    case emptyHost
    /// The host contains characters that are not allowed in names and addresses.
    case invalidHost(String)
    /// The host has non-ASCII characters but no ASCII form. Carries the host and the reason.
    case invalidInternationalName(String, InternationalNameError)
    /// The host exceeds 255 bytes.
    case hostTooLong(byteCount: Int)
    /// The text in brackets is not an IPv6 address.
    case invalidIPv6Address(String)
    /// The host has several colons but no brackets.
    case unbracketedIPv6Address
    /// The port is not a number from 1 through 65535.
    case invalidPort(String)
    /// A percent sign is not followed by two hexadecimal digits. Carries up to three characters.
    case malformedPercentEscape(String)
    /// The decoded percent escapes are not UTF-8.
    case invalidUTF8
    /// The user name or password contains an unescaped `@`.
    case unescapedAtSign
    /// The user name or password contains an unescaped `/` or `?`.
    case unescapedSlash
    /// Basic authentication cannot transmit the user name or password.
    case invalidCredentials(CredentialsError)
    /// `ws+unix:` without a path.
    case emptySocketPath
    /// The socket's path contains a control character.
    case controlCharacterInSocketPath
    /// `echo:` is followed by an address.
    case echoWithAddress
    /// A redirect leads to a scheme that is never followed.
    case forbiddenRedirect(scheme: String)

    /// The reason and the remedy.
    package var description: String {
        switch self {
        case .empty: "the URL is empty; write ws://HOST:PORT/PATH, or echo: to try things out"
        case .controlCharacter: "the URL contains a control character; percent-encode it"
        case .space: "the URL contains a space; percent-encode it as %20"
        case .surroundingSpace: "there is a space or a line end before or after the URL; remove it"
        case .fragment: "WebSocket URLs have no fragment; percent-encode '#' as %23"
        case .unknownScheme(let scheme):
            "unknown scheme \(quoted(scheme)); use ws://, wss://, http://, https://, ws+unix:, or echo:"
        case .missingColon(let scheme): "a colon must follow the scheme; write \(scheme)://HOST"
        case .repeatedScheme(let scheme): "there are two schemes; write just \(scheme)://HOST"
        case .missingSlashes(let scheme): "two slashes are missing; write \(scheme)://HOST"
        case .emptyHost: "there is no host; write ws://HOST/PATH, or :PORT/PATH for this machine"
        case .invalidHost(let host): "\(quoted(host)) is not a host name; use letters, digits, hyphens, and dots"
        case .invalidInternationalName(let host, let reason): "\(quoted(host)) is not a host name: \(reason)"
        case .hostTooLong(let byteCount): "the host name has \(byteCount) bytes; the limit is 255"
        case .invalidIPv6Address(let address):
            "\(quoted(address)) is not an IPv6 address; write one like [2001:db8::1]"
        case .unbracketedIPv6Address: "more than one colon in the host; put an IPv6 address in brackets, as in [::1]"
        case .invalidPort(let port): "\(quoted(port)) is not a port; use a number from 1 to 65535"
        case .malformedPercentEscape(let escape):
            "\(quoted(escape)) is not a percent escape; write two hexadecimal digits after '%', or %25 for '%' itself"
        case .invalidUTF8: "the percent escapes do not form UTF-8; encode the characters as UTF-8"
        case .unescapedAtSign:
            "more than one '@' before the path; percent-encode those of the user name and password as %40"
        case .unescapedSlash:
            "the user name or password, before '@', is not percent-encoded; write '/' as %2F and '?' as %3F"
        case .invalidCredentials(let error): error.description
        case .emptySocketPath: "there is no socket path; write ws+unix:/PATH/TO/SOCKET:/REQUEST"
        case .controlCharacterInSocketPath: "the socket path contains a control character; rename the socket"
        case .echoWithAddress: "echo: is a built-in server and takes no address; write just echo:"
        case .forbiddenRedirect(let scheme): "a server cannot redirect to \(quoted(scheme)); connect to it directly"
        }
    }
}
