/// Why a client cannot go on with a server's answer about permessage-deflate.
public enum DeflateNegotiationError: Error, Equatable, Sendable {
    /// It was accepted more than once.
    case repeated([ExtensionOffer])
    /// The answer has an unknown, repeated or invalid parameter.
    case invalid(ExtensionOffer)
    /// The answer goes with none of the offers.
    case doesNotMatch(ExtensionOffer)
}

extension DeflateNegotiationError: CustomStringConvertible {
    /// Why, and what to try; safe to print whatever the server sent.
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
