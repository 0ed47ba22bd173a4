/// A close code (RFC 6455 §7.4).
public struct CloseCode: RawRepresentable, Hashable, Sendable {
    /// The code as it travels.
    public let rawValue: UInt16

    /// Makes a code from its number; ``mayTravel`` tells whether it is one that a close frame can carry.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The purpose of the connection has been fulfilled.
    public static let normalClosure = CloseCode(rawValue: 1000)
    /// An endpoint leaves: a server stops, a page is left.
    public static let goingAway = CloseCode(rawValue: 1001)
    /// The peer violated the protocol.
    public static let protocolError = CloseCode(rawValue: 1002)
    /// The peer sent a kind of data that is not accepted.
    public static let unsupportedData = CloseCode(rawValue: 1003)
    /// Stands for a close frame without a code; never travels.
    public static let noStatus = CloseCode(rawValue: 1005)
    /// Stands for a connection that ended without a close frame; never travels.
    public static let abnormalClosure = CloseCode(rawValue: 1006)
    /// A message is not what it says it is: text that is not UTF-8.
    public static let invalidPayload = CloseCode(rawValue: 1007)
    /// A message violates the receiver's policy.
    public static let policyViolation = CloseCode(rawValue: 1008)
    /// A message is too big to process.
    public static let messageTooBig = CloseCode(rawValue: 1009)
    /// The client expected an extension that the server did not negotiate.
    public static let mandatoryExtension = CloseCode(rawValue: 1010)
    /// The server met a condition that kept it from fulfilling the request.
    public static let internalError = CloseCode(rawValue: 1011)
    /// The service restarts.
    public static let serviceRestart = CloseCode(rawValue: 1012)
    /// The service is overloaded; try again later.
    public static let tryAgainLater = CloseCode(rawValue: 1013)
    /// A gateway got an invalid answer from its upstream server.
    public static let badGateway = CloseCode(rawValue: 1014)

    /// What was to be done needs a login.
    public static let unauthorized = CloseCode(rawValue: 3000)
    /// What was to be done is not allowed.
    public static let forbidden = CloseCode(rawValue: 3003)
    /// The peer took too long.
    public static let timeout = CloseCode(rawValue: 3008)

    /// Whether a close frame may carry this code.
    public var mayTravel: Bool {
        switch rawValue {
        // RFC 6455 §7.4.1: 1004 is reserved; 1005, 1006 and 1015 must not be set in a close frame. 1012 through
        // 1014 were registered later (RFC 6455 §11.7, IANA WebSocket Close Code Number Registry).
        case 1000...1003, 1007...1014: true
        // RFC 6455 §7.4.2: 3000–3999 are for libraries and frameworks, 4000–4999 for private use; others are not used.
        case 3000...4999: true
        default: false
        }
    }

    /// What the code means, in a few words; nil for codes of libraries and applications that are not registered (IANA
    /// WebSocket Close Code Number Registry).
    public var meaning: String? {
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
