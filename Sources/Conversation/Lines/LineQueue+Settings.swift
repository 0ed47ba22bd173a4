import Formats
import WSCore

extension LineQueue {
    /// The settings of a queue.
    package struct Settings: Equatable {
        /// How replies are matched to requests.
        package enum Matching: Equatable {
            /// By their order.
            case order
            /// By an id that a request and its reply have in common.
            case id(Correlation)
            /// By the ids of JSON-RPC calls, to which input lines are converted.
            case calls(JSONRPCCall.Form = .standard)
            /// By the keys that an application protocol assigns to requests and replies.
            case keys
        }

        /// How replies are matched to lines, or `nil` if lines are no requests.
        package let matching: Matching?
        let correlation: Correlation?
        /// Whether each request waits for the reply to the previous one.
        package let isSequential: Bool
        /// The time limit for replies.
        package let replyTimeout: Duration
        /// Whether a request needs its reply. Otherwise, it is confirmed like other lines.
        package let needsReplies: Bool
        /// Whether lines are kept until they are confirmed, to send them again on another connection.
        package let keepsLines: Bool

        package init(
            _ matching: Matching? = nil, isSequential: Bool = false, replyTimeout: Duration = .seconds(30),
            needsReplies: Bool = true, keepsLines: Bool = false
        ) {
            self.matching = matching
            self.isSequential = isSequential
            self.replyTimeout = replyTimeout
            self.needsReplies = needsReplies
            self.keepsLines = keepsLines
            correlation =
                switch matching {
                case .id(let correlation): correlation
                case .calls: Correlation("id")
                case .order, .keys, nil: nil
                }
        }

        /// Whether replies are matched to lines.
        package var areRequests: Bool { matching != nil }
        /// Whether input lines are converted to JSON-RPC calls.
        package var makesCalls: Bool {
            if case .calls = matching { true } else { false }
        }

        /// Whether lines with numbers are counted as requests. If replies are optional, they are like other lines, which wait
        /// for another connection.
        var countsRequests: Bool { areRequests && (needsReplies || !keepsLines) }

        /// The ids of the replies to a line, one for each call of a batch.
        func ids(of line: Line) -> [JSONScalar] {
            correlation?.request.values(in: line.payload.span.bytes) ?? []
        }

        /// The message that a line becomes.
        /// - Parameter number: The number of the line.
        /// - Throws: ``JSONRPCCallError`` if the line cannot be converted to a call.
        package func message(for payload: RawSpan, number: Int) throws(JSONRPCCallError) -> [UInt8] {
            guard case .calls(let form) = matching, UTF8Validator.isValid(payload) else {
                return payload.withUnsafeBytes { Array($0) }
            }
            return try JSONRPCCall.compose(payload, id: number, form: form)
        }

        /// Finds out why a message that ``message(for:number:)`` has returned must not be sent. Returns `nil` for a request,
        /// and for a JSON-RPC notification.
        package func problem(with message: RawSpan) -> RequestProblem? {
            switch matching {
            case .order, .keys, nil: nil
            case .id(let correlation): .of(message, without: correlation.request)
            case .calls: .ofCall(message)
            }
        }
    }
}
