import WSCore

/// A message that is sent again and again.
final class Repetition {
    /// How many have been sent.
    private(set) var sentCount = 0
    private let count: Int
    private var timer: Timer?

    /// How many are sent between two looks at what comes, and how far apart these are at least: a timer without a wait
    /// would keep the loop from anything else.
    private static let batch = 200
    private static let batchInterval = Duration.milliseconds(1)
    /// How long to wait when there is no room for more.
    private static let pause = Duration.milliseconds(10)

    /// Begins to send.
    /// - Parameters:
    ///   - count: How many there are to be, 1 or more.
    ///   - interval: How far apart they are; zero: as fast as they are taken.
    ///   - loop: The loop it belongs to.
    ///   - hasRoom: Whether there is room for one more.
    ///   - send: Sends one.
    ///   - finish: Called when all have been sent.
    init(
        count: Int, interval: Duration, on loop: EventLoop, hasRoom: @escaping () -> Bool,
        send: @escaping () -> Void, finish: @escaping () -> Void
    ) {
        self.count = count
        let timer = Timer(on: loop) { [unowned self] in
            let target = min(count, sentCount + (interval == .zero ? Self.batch : 1))
            // Without room, one that is due is sent later.
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
