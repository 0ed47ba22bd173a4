import Testing

@testable import WSCore

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Signals belong to the whole process: one test at a time, and none whose default action ends it.
@Suite(.serialized) struct SignalWatcherTests {
    @Test("a signal is answered on the loop, each time it comes")
    func answered() throws {
        try withLoop { loop in
            var count = 0
            let watcher = try #require(SignalWatcher(.resize, on: loop) { count += 1 })
            kill(getpid(), SIGWINCH)
            loop.run { count == 1 }
            kill(getpid(), SIGWINCH)
            loop.run { count == 2 }
            withExtendedLifetime(watcher) {}
        }
    }

    @Test("a watcher does not keep the loop running, and one that is released is not called")
    func released() throws {
        try withLoop { loop in
            var watcher = SignalWatcher(.resize, on: loop) { Issue.record("it was called") }
            loop.run()
            #expect(watcher != nil)
            watcher = nil
            kill(getpid(), SIGWINCH)
            loop.run(for: .milliseconds(10))
        }
    }

    @Test("a signal that the process was started to ignore stays ignored")
    func ignored() throws {
        try withLoop { loop in
            let before = signal(SIGTSTP, SIG_IGN)
            defer { signal(SIGTSTP, before) }
            #expect(SignalWatcher(.suspend, on: loop) {} == nil)
        }
    }
}
