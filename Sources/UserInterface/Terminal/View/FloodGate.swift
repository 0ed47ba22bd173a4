/// Decides, without a clock, which messages of a flood are shown. Below the limit all are; above it, samples are, spread
/// evenly over each interval.
struct FloodGate {
    /// The number of messages shown per interval before the rest counts as a flood: more than anyone can read.
    static let limit = 200
    /// The maximum number of messages shown per interval while the flood lasts.
    static let sampleCount = 10
    static let interval = Duration.seconds(1)

    private var start: Duration?
    private var shownCount = 0
    private(set) var hiddenCount = 0
    private var isFlood = false
    /// The number of the part of the interval in which the latest sample was shown, or `nil` if none was.
    private var sampledPart: Int?

    /// Counts a message, and returns whether to show it.
    mutating func admits(at now: Duration) -> Bool {
        // `endInterval` is called only after messages were hidden.
        if hiddenCount == 0, !isFlood, start.map({ now - $0 >= Self.interval }) ?? true { begin(at: now) }
        guard isFlood ? isSample(at: now) : shownCount < Self.limit else {
            hiddenCount += 1
            return false
        }
        shownCount += 1
        return true
    }

    /// Whether a message is the first one in its part of the interval.
    private mutating func isSample(at now: Duration) -> Bool {
        // If the end of the interval is late, its last part is longer.
        let part = min(Self.sampleCount - 1, Int((now - (start ?? now)) / (Self.interval / Self.sampleCount)))
        defer { sampledPart = part }
        return part != sampledPart
    }

    /// The time at which the current interval ends.
    var intervalEnd: Duration { (start ?? .zero) + Self.interval }

    /// Ends an interval with hidden messages and begins the next.
    /// - Returns: The number of hidden messages and the length of the interval.
    mutating func endInterval(at now: Duration) -> (hiddenCount: Int, length: Duration) {
        defer {
            isFlood = shownCount + hiddenCount > Self.limit
            begin(at: now)
        }
        return (hiddenCount, now - (start ?? now))
    }

    private mutating func begin(at now: Duration) {
        start = now
        shownCount = 0
        hiddenCount = 0
        sampledPart = nil
    }

    /// Whether the next interval shows samples only.
    var continues: Bool { isFlood }
}
