import WSCore

/// What the received messages decide about the end of a run: `--count`, `--until` and `--expect`.
struct EndConditions {
    private let count: Int?
    private let until: [Pattern]
    /// The expectations that no message has met.
    private var unmet: [Pattern]
    private var receivedCount = 0

    /// Makes conditions of which none is met; `count` is 1 or more.
    init(count: Int? = nil, until: [Pattern] = [], expectations: [Pattern] = []) {
        self.count = count
        self.until = until
        unmet = expectations
    }

    /// Takes a message, text or binary.
    /// - Returns: Whether it is the last one that counts.
    mutating func isLast(_ payload: RawSpan) -> Bool {
        receivedCount += 1
        if !unmet.isEmpty { unmet.removeAll { $0.matches(payload) } }
        if receivedCount == count { return true }
        // Not with a closure: most runs have no pattern.
        for pattern in until where pattern.matches(payload) { return true }
        return false
    }

    /// The expressions that are searched for.
    var patterns: [Pattern] { until + unmet }

    /// The expectations that no message has met, as they were typed.
    var unmetExpectations: [String] { unmet.map(\.source) }
}
