/// Counts wrong tokens: after ten in a minute, no token is compared until the oldest of them is a minute old.
struct WrongTokens {
    private static let maximumCount = 10
    private static let interval = Duration.seconds(60)
    /// When the latest ones came, oldest first.
    private var times: [Duration] = []

    /// The time to wait before the next attempt; zero: none.
    /// - Parameter now: The time of a monotonic clock.
    mutating func delay(at now: Duration) -> Duration {
        times.removeAll { now - $0 >= Self.interval }
        guard times.count >= Self.maximumCount, let first = times.first else { return .zero }
        return Self.interval - (now - first)
    }

    mutating func add(at now: Duration) { times.append(now) }
}
