import Formats

extension RequestQueue.Settings {
    /// What the arguments say about requests; nil: there are none. Or throws ``Failure/badArgument(what:why:)``.
    /// - Parameter requestTarget: The path that is connected to.
    static func make(
        _ arguments: ConnectArguments, requestTarget: String
    ) throws(Failure) -> RequestQueue.Settings? {
        guard arguments.replies.hasRequests else { return nil }
        if arguments.calls != nil, let name = arguments.correlation, name != "id" {
            throw .badArgument(
                what: "--correlate with --json-rpc",
                why: "the replies of JSON-RPC have the 'id' of their request; leave --correlate out")
        }
        let name = arguments.calls != nil ? "id" : arguments.correlation
        if name == nil, arguments.heartbeatMessage != nil {
            throw .badArgument(
                what: "--request with --heartbeat-message",
                why: "an answer to the heartbeat would be taken for a reply; tell replies by --correlate")
        }
        return RequestQueue.Settings(
            field: name.flatMap { JSONField($0) }, isSequential: arguments.sendsRequests,
            makesCalls: arguments.calls != nil,
            callsHaveVersion: arguments.calls?.hasVersion(at: requestTarget) ?? true,
            replyTimeout: arguments.replyTimeout,
            keepsRequests: arguments.reconnection != .never)
    }
}
