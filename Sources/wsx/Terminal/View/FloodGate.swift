/// Decides, without a clock, which messages of a flood are shown. Below the limit all are; above it, samples are.
struct FloodGate {
    /// The number of messages shown per interval before the rest counts as a flood: more than anyone can read.
    static let limit = 200
    /// The number of messages shown per interval while the flood lasts.
    static let sampleCount = 10
    static let interval = Duration.seconds(1)

    private var start: Duration?
    private var shownCount = 0
    private(set) var hiddenCount = 0
    private var isFlood = false

    /// Counts a message, and returns whether to show it.
    mutating func admits(at now: Duration) -> Bool {
        // `endInterval` is called only after messages were hidden.
        if hiddenCount == 0, !isFlood, start.map({ now - $0 >= Self.interval }) ?? true {
            start = now
            shownCount = 0
        }
        guard shownCount < (isFlood ? Self.sampleCount : Self.limit) else {
            hiddenCount += 1
            return false
        }
        shownCount += 1
        return true
    }

    /// The time at which the current interval ends.
    var intervalEnd: Duration { (start ?? .zero) + Self.interval }

    /// Ends an interval with hidden messages and begins the next.
    /// - Returns: The number of hidden messages and the length of the interval.
    mutating func endInterval(at now: Duration) -> (hiddenCount: Int, length: Duration) {
        defer {
            isFlood = shownCount + hiddenCount > Self.limit
            start = now
            shownCount = 0
            hiddenCount = 0
        }
        return (hiddenCount, now - (start ?? now))
    }

    /// Whether the next interval shows samples only.
    var continues: Bool { isFlood }
}
