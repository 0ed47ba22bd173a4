extension RequestQueue.Settings {
    /// What the arguments say about requests; nil: there are none. Or throws ``Failure/badArgument(what:why:)``.
    static func make(_ arguments: ConnectArguments) throws(Failure) -> RequestQueue.Settings? {
        guard arguments.sendsRequests || arguments.isJSONRPC || arguments.correlation != nil else { return nil }
        if arguments.isJSONRPC, let name = arguments.correlation, name != "id" {
            throw .badArgument(
                what: "--correlate with --json-rpc",
                why: "the replies of JSON-RPC have the 'id' of their request; leave --correlate out")
        }
        let name = arguments.isJSONRPC ? "id" : arguments.correlation
        if name == nil, arguments.heartbeatMessage != nil {
            throw .badArgument(
                what: "--request with --heartbeat-message",
                why: "an answer to the heartbeat would be taken for a reply; tell replies by --correlate")
        }
        return RequestQueue.Settings(
            field: name.flatMap { JSONField($0) }, isSequential: arguments.sendsRequests,
            isJSONRPC: arguments.isJSONRPC, replyTimeout: arguments.replyTimeout,
            keepsRequests: arguments.reconnection != .never)
    }
}
