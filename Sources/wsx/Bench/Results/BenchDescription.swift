import WSCore

/// What a load test was asked to do, as far as its results tell of it.
struct BenchDescription: Equatable, Sendable {
    /// The messages that were sent.
    struct Message: Equatable, Sendable {
        let kind: MessageKind
        /// The size of each payload; nil: they differ.
        let byteCount: Int?
    }

    let mode: BenchMode
    /// Without credentials.
    var url: String
    /// The connections that were asked for.
    var connections: Int
    /// The threads that they ran on.
    var threads: Int
    /// Nil: there were none, or not all were alike.
    var message: Message?
    /// The messages of a connection that could be without a reply; nil: as many as there were, or not always as many.
    var inFlight: Int?
    /// The messages a second that were asked for, in all; nil: as many as there were replies.
    var rateAsked: Int?
}
