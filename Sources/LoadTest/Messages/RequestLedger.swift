import Conversation

/// The unanswered requests of a connection, by a value that each request and its reply have in common.
///
///     sent ──► in flight ──► answered
///                  └────────► given up ──► answered late, or forgotten
struct RequestLedger<Key: Hashable> {
    private struct Request {
        let sendTime: UInt64
        var isGivenUp = false
        /// The messages of the reply so far, if it may consist of several.
        var stream = ReplyStream()
    }

    private var requests: [Key: Request] = [:]
    /// The values in the order of sending, from ``oldest`` on. Some of them are answered.
    private var order: [(value: Key, sendTime: UInt64)] = []
    private var oldest = 0
    /// The number of requests that have been given up and can still be answered.
    private var givenUpCount = 0
    /// The number of requests that are no longer known.
    private var forgottenCount = 0

    /// The number of requests given up that are remembered. Above it, the oldest are forgotten.
    static var mostGivenUp: Int { 32_768 }

    /// Whether a request had the value of an unanswered one.
    private(set) var hasReusedValues = false
    /// Whether a request had the value of the one before, which may be answered.
    private(set) var hasRepeatedValues = false

    /// The number of requests in flight, without those given up.
    var inFlightCount: Int { requests.count - givenUpCount }
    /// The number of all unanswered requests.
    var unansweredCount: Int { requests.count + forgottenCount }

    /// The number of unanswered requests sent at a time or later. Forgotten requests count regardless of their send
    /// time.
    func unansweredCount(since time: UInt64) -> Int {
        forgottenCount + requests.values.count { $0.sendTime >= time }
    }

    /// Whether a request with a value is in flight.
    func isInFlight(_ value: Key) -> Bool { requests[value]?.isGivenUp == false }
    /// Whether a request with a value has been given up, and can still be answered.
    func isGivenUp(_ value: Key) -> Bool { givenUpCount > 0 && requests[value]?.isGivenUp == true }

    /// Records a request.
    mutating func send(_ value: Key, at time: UInt64) {
        if order.last?.value == value { hasRepeatedValues = true }
        order.append((value, time))
        let earlier = requests.updateValue(Request(sendTime: time), forKey: value)
        guard let earlier else { return }
        // The next reply with this value belongs to the later request.
        forgottenCount += 1
        hasReusedValues = true
        if earlier.isGivenUp { givenUpCount -= 1 }
    }

    /// The value of the oldest unanswered request, or `nil` if there is none.
    var oldestValue: Key? {
        order[oldest...].first { requests[$0.value]?.sendTime == $0.sendTime }?.value
    }

    /// Adds a message that arrives now to the reply to a request, and returns the reply so far, or `nil` if there is no
    /// such request.
    mutating func addMessage(to value: Key, at now: UInt64) -> ReplyStream? {
        requests[value]?.stream.received(at: now)
        return requests[value]?.stream
    }

    /// Removes the request with a value and returns its send time, or `nil` if there is none.
    mutating func take(_ value: Key) -> UInt64? {
        guard let request = requests.removeValue(forKey: value) else { return nil }
        if request.isGivenUp { givenUpCount -= 1 }
        // Usually the oldest request is answered first, and no others remain behind it.
        while oldest < order.count, requests[order[oldest].value]?.sendTime != order[oldest].sendTime { oldest += 1 }
        compact()
        return request.sendTime
    }

    /// Gives up requests sent before a time. Returns their number.
    mutating func giveUp(before time: UInt64) -> Int {
        var count = 0
        var index = oldest
        while index < order.count, order[index].sendTime < time {
            let value = order[index].value
            if let request = requests[value], request.sendTime == order[index].sendTime, !request.isGivenUp {
                requests[value]?.isGivenUp = true
                count += 1
            }
            index += 1
        }
        givenUpCount += count
        while givenUpCount > Self.mostGivenUp { forgetOldest() }
        return count
    }

    private mutating func forgetOldest() {
        defer { oldest += 1 }
        let (value, sendTime) = order[oldest]
        guard let request = requests[value], request.sendTime == sendTime else { return }
        requests[value] = nil
        givenUpCount -= 1
        forgottenCount += 1
    }

    /// Removes the answered beginning of the order when it is more than half, so each entry moves a bounded number of
    /// times.
    private mutating func compact() {
        guard oldest > 32, oldest * 2 > order.count else { return }
        order.removeFirst(oldest)
        oldest = 0
    }
}
