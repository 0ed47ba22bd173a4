/// A reply that consists of several messages, such as the parts of a generated text. Times are on a monotonic clock in
/// nanoseconds.
package struct ReplyStream: Equatable, Sendable {
    /// The number of messages so far.
    package private(set) var messageCount = 0
    /// When the first message arrived, or 0 without messages.
    package private(set) var firstTime: UInt64 = 0
    /// The longest time between two consecutive messages, or 0 without two messages.
    package private(set) var longestGap: UInt64 = 0
    private var lastTime: UInt64 = 0

    /// Starts without messages.
    package init() {}

    /// Adds a message that has arrived now.
    package mutating func received(at now: UInt64) {
        if messageCount == 0 { firstTime = now } else { longestGap = max(longestGap, now &- lastTime) }
        messageCount += 1
        lastTime = now
    }
}
