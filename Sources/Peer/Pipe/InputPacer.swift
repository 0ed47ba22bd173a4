/// The schedule of `--every`: after the first message of the input, one is due each interval.
///
/// The schedule restarts after a pause of the input or of the connection, so what was missed is not sent in a burst.
package final class InputPacer {
    /// Above 0.
    private let interval: Duration
    /// When the next message may be sent, on the clock of the loop.
    package private(set) var dueTime = Duration.zero

    /// Creates a schedule that begins with the first message.
    package init(every interval: Duration) {
        self.interval = interval
    }

    /// Restarts the schedule if a message has been due, because the pause ends now.
    package func resume(at now: Duration) {
        dueTime = max(dueTime, now)
    }

    /// Records that a message is sent. Delays of timers do not add up. After an interval without a message, such as that of a
    /// suspended process, the schedule restarts.
    package func sent(at now: Duration) {
        dueTime = (now - dueTime < interval ? dueTime : now) + interval
    }
}
