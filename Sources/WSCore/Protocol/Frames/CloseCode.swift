/// A close status code (RFC 6455 §7.4).
package struct CloseCode: RawRepresentable, Hashable, Sendable {
    /// The code as sent on the wire.
    package let rawValue: UInt16

    /// Creates a code from its number, which may be any; ``mayTravel`` reports whether a close frame may carry it.
    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The connection has fulfilled its purpose.
    package static let normalClosure = CloseCode(rawValue: 1000)
    /// The endpoint is going away: a server shuts down or a browser leaves the page.
    package static let goingAway = CloseCode(rawValue: 1001)
    /// The peer violated the protocol.
    package static let protocolError = CloseCode(rawValue: 1002)
    /// The endpoint received a type of data it cannot accept.
    package static let unsupportedData = CloseCode(rawValue: 1003)
    /// A close frame arrived without a code. Reported locally and never sent.
    package static let noStatus = CloseCode(rawValue: 1005)
    /// The connection ended without a close frame. Reported locally and never sent.
    package static let abnormalClosure = CloseCode(rawValue: 1006)
    /// A message contained data inconsistent with its type, for example a text message with invalid UTF-8.
    package static let invalidPayload = CloseCode(rawValue: 1007)
    /// A message violated the receiver's policy.
    package static let policyViolation = CloseCode(rawValue: 1008)
    /// A message was too big to process.
    package static let messageTooBig = CloseCode(rawValue: 1009)
    /// The client expected an extension that the server did not negotiate.
    package static let mandatoryExtension = CloseCode(rawValue: 1010)
    /// The server encountered an unexpected condition.
    package static let internalError = CloseCode(rawValue: 1011)
    /// The service is restarting.
    package static let serviceRestart = CloseCode(rawValue: 1012)
    /// The service is overloaded; try again later.
    package static let tryAgainLater = CloseCode(rawValue: 1013)
    /// A gateway received an invalid response from its upstream server.
    package static let badGateway = CloseCode(rawValue: 1014)

    /// The operation requires authentication.
    package static let unauthorized = CloseCode(rawValue: 3000)
    /// The operation is not permitted.
    package static let forbidden = CloseCode(rawValue: 3003)
    /// The peer took too long to respond.
    package static let timeout = CloseCode(rawValue: 3008)

    /// Whether a close frame may carry this code.
    package var mayTravel: Bool {
        switch rawValue {
        // RFC 6455 §7.4.1: 1004 is reserved; 1005, 1006, and 1015 must not be set in a close frame. 1012–1014 were
        // registered later (RFC 6455 §11.7, IANA WebSocket Close Code Number Registry).
        case 1000...1003, 1007...1014: true
        // RFC 6455 §7.4.2: 3000–3999 are for libraries and frameworks, 4000–4999 for private use.
        case 3000...4999: true
        default: false
        }
    }

    /// The code's meaning in a few words, or nil if the code is not registered (IANA WebSocket Close Code Number
    /// Registry).
    package var meaning: String? {
        switch self {
        case .normalClosure: "normal closure"
        case .goingAway: "going away"
        case .protocolError: "protocol error"
        case .unsupportedData: "unsupported data"
        case .noStatus: "no code"
        case .abnormalClosure: "no close frame"
        case .invalidPayload: "invalid payload"
        case .policyViolation: "policy violation"
        case .messageTooBig: "message too big"
        case .mandatoryExtension: "mandatory extension missing"
        case .internalError: "internal error"
        case .serviceRestart: "service restart"
        case .tryAgainLater: "try again later"
        case .badGateway: "bad gateway"
        case .unauthorized: "unauthorized"
        case .forbidden: "forbidden"
        case .timeout: "timeout"
        default: nil
        }
    }
}
