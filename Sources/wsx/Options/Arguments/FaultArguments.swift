/// What `wsx listen` is to do wrong, so that clients can be tried with it.
struct FaultArguments: Equatable, Sendable {
    /// How long messages to a client are held back: a random time of these; nil: they are not.
    var delay: ClosedRange<Duration>?
    /// The probability with which a message to a client is left out, 0 through 1.
    var dropRate = 0.0
    /// What the random numbers begin with; nil: with something else in each run.
    var seed: Int?
    /// When a client is closed; nil: it is not.
    var closeLimit: CloseLimit?
    /// What it is then closed with: 1012, service restart, after which clients connect again.
    var closeCode: UInt16 = 1012
    var closeReason = ""
    /// Which requests are refused; nil: none.
    var rejection: Rejection?
    var answersPings = true
    /// The rate of each client's stream, each way; nil: there is no limit.
    var bytesPerSecond: Int?

    /// Whether each client needs a gate for what is sent to it.
    var concernMessages: Bool { delay != nil || dropRate > 0 || closeLimit != nil }
}
