import Testing

@testable import WSCore

/// Gives `body` a loop of its own, in a process that a write to a pipe without a reader does not kill.
func withLoop(_ body: (EventLoop) throws -> Void) throws {
    _ = preparation
    try body(try EventLoop())
}

/// As the program does, once and not on several threads.
private let preparation: Void = StandardDescriptors.prepare()

/// Expects that an attempt takes less than `limit`. A busy machine makes attempts slower and none faster, so the fastest of
/// ten is judged.
/// - Parameter attempt: Returns how long it took.
func expectFastest(
    under limit: Duration, sourceLocation: SourceLocation = #_sourceLocation, _ attempt: () throws -> Duration
) rethrows {
    var fastest = try attempt()
    for _ in 1..<10 where fastest >= limit { fastest = min(fastest, try attempt()) }
    #expect(fastest < limit, sourceLocation: sourceLocation)
}

extension EventLoop {
    /// Runs until `isDone`, which is asked about every millisecond; records an issue when that takes longer than `limit`.
    func run(
        within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
        until isDone: @escaping () -> Bool
    ) {
        let deadline = now + limit
        let watchdog = Timer(on: self) { [unowned self] in
            if isDone() || now > deadline { stop() }
        }
        watchdog.start(after: .zero, every: .milliseconds(1))
        withExtendedLifetime(watchdog) { run() }
        if !isDone() { Issue.record("this is not done after \(limit)", sourceLocation: sourceLocation) }
    }

    /// Runs for a time, in which nothing is to happen.
    func run(for time: Duration) {
        let end = now + time
        run { [unowned self] in now >= end }
    }
}
