/// The reason a client rejects a server's permessage-deflate answer.
public enum DeflateNegotiationError: Error, Equatable, Sendable {
    /// The server accepted the extension more than once.
    case repeated([ExtensionOffer])
    /// The answer has an unknown, repeated, or invalid parameter.
    case invalid(ExtensionOffer)
    /// The answer corresponds to none of the offers.
    case doesNotMatch(ExtensionOffer)
}

extension DeflateNegotiationError: CustomStringConvertible {
    /// The cause and a remedy. Control characters in the server's answer are escaped.
    public var description: String {
        switch self {
        case .repeated(let answers):
            "the server accepted compression more than once: \(escapingControls(ExtensionHeader.value(of: answers)))\(remedy)"
        case .invalid(let answer):
            "the server's answer about compression is invalid: \(escapingControls("\(answer)"))\(remedy)"
        case .doesNotMatch(let answer):
            "the server accepted compression as it was not offered: \(escapingControls("\(answer)"))\(remedy)"
        }
    }

    private var remedy: String { "; check the server, or try --compress=off" }
}
