import WSCore

/// Sends a message repeatedly.
final class Repetition {
    /// The number of messages sent so far.
    private(set) var sentCount = 0
    private let count: Int
    private var timer: Timer?

    /// The number of messages per batch, and the minimum time between batches. A timer without a delay would starve the
    /// loop.
    private static let batch = 200
    private static let batchInterval = Duration.milliseconds(1)
    /// The delay when there is no room for more.
    private static let pause = Duration.milliseconds(10)

    /// Starts sending.
    /// - Parameters:
    ///   - count: The number of messages; at least 1.
    ///   - interval: The time between messages. Zero sends them as fast as the connection accepts them.
    ///   - loop: The loop that runs the timer.
    ///   - hasRoom: Returns whether there is room for another message.
    ///   - send: Sends a message.
    ///   - finish: Called when all messages have been sent.
    init(
        count: Int, interval: Duration, on loop: EventLoop, hasRoom: @escaping () -> Bool,
        send: @escaping () -> Void, finish: @escaping () -> Void
    ) {
        self.count = count
        let timer = Timer(on: loop) { [unowned self] in
            let target = min(count, sentCount + (interval == .zero ? Self.batch : 1))
            // Without room, a due message is sent later.
            while sentCount < target, hasRoom() {
                sentCount += 1
                send()
            }
            guard sentCount < count else { return finish() }
            if interval == .zero { self.timer?.start(after: sentCount == target ? Self.batchInterval : Self.pause) }
        }
        self.timer = timer
        if interval == .zero { timer.start(after: .zero) } else { timer.start(after: interval, every: interval) }
    }
}
