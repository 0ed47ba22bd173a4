import Glibc
import Testing

@testable import WSCore

/// Signals affect the whole process: the tests run one at a time, without signals that kill the process by default.
@Suite(.serialized) struct SignalWatcherTests {
    @Test("a watcher fires on the loop each time its signal arrives")
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

    @Test("a watcher does not keep the loop running, and a released one does not fire")
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

    @Test("a signal ignored at startup stays ignored")
    func ignored() throws {
        try withLoop { loop in
            let before = signal(SIGTSTP, SIG_IGN)
            defer { signal(SIGTSTP, before) }
            #expect(SignalWatcher(.suspend, on: loop) {} == nil)
        }
    }
}
