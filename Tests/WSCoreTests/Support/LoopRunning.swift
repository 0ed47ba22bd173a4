import Testing

@testable import WSCore

/// Runs `body` with a new loop, in a process that ignores SIGPIPE.
func withLoop(_ body: (EventLoop) throws -> Void) throws {
    _ = preparation
    try body(try EventLoop())
}

/// Done once per process, as in the program.
private let preparation: Void = StandardDescriptors.prepare()

/// Expects an attempt to take less than `limit`. Uses the fastest of up to ten attempts, since other load on the
/// machine can only slow an attempt down.
/// - Parameter attempt: Returns the time it took.
func expectFastest(
    under limit: Duration, sourceLocation: SourceLocation = #_sourceLocation, _ attempt: () throws -> Duration
) rethrows {
    var fastest = try attempt()
    for _ in 1..<10 where fastest >= limit { fastest = min(fastest, try attempt()) }
    #expect(fastest < limit, sourceLocation: sourceLocation)
}

extension EventLoop {
    /// Runs until `isDone`, checked about every millisecond, returns true. Records an issue after `limit`.
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
        if !isDone() { Issue.record("the condition is not met after \(limit)", sourceLocation: sourceLocation) }
    }
}
