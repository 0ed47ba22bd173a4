import Glibc
import TestSupport
import Testing

@testable import WSCore

/// Signals affect the whole process: the tests run one at a time, without signals that kill the process by default.
@Suite(.serialized) struct SignalWatcherTests {
    @Test("a watcher fires on the loop each time its signal arrives")
    func answered() throws {
        try withLoop { loop in
            var count = 0
            let watcher = try SignalWatcher(.resize, on: loop) { count += 1 }
            kill(getpid(), SIGWINCH)
            loop.run { count == 1 }
            kill(getpid(), SIGWINCH)
            loop.run { count == 2 }
            withExtendedLifetime(watcher) {}
        }
    }

    @Test("Work that waits for earlier signals runs after a signal that arrived in the same turn")
    func order() throws {
        try withLoop { loop in
            let record = Record()
            let watcher = try SignalWatcher(.resize, on: loop) { record.events.append("signal") }
            let timer = Timer(on: loop) {
                raiseResize()
                loop.afterEarlierSignals { record.events.append("work") }
            }
            timer.start(after: .zero)
            loop.run { record.events.count == 2 }
            expectEqual(record.events, ["signal", "work"])
            withExtendedLifetime(watcher) {}
        }
    }

    @Test("a watcher does not keep the loop running, and a released one does not fire")
    func released() throws {
        try withLoop { loop in
            var watcher: SignalWatcher? = try SignalWatcher(.resize, on: loop) { Issue.record("it was called") }
            loop.run()
            expectNotNil(watcher)
            watcher = nil
            raiseResize()
            loop.settle()
        }
    }

    /// Sends this thread SIGWINCH, which has arrived when the function returns. Test threads may block signals.
    private func raiseResize() {
        var (resize, before) = (sigset_t(), sigset_t())
        sigaddset(&resize, SIGWINCH)
        pthread_sigmask(SIG_UNBLOCK, &resize, &before)
        raise(SIGWINCH)
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    private final class Record {
        var events: [String] = []
    }

    @Test("a signal ignored at startup stays ignored")
    func ignored() throws {
        try withLoop { loop in
            let before = signal(SIGTSTP, SIG_IGN)
            defer { signal(SIGTSTP, before) }
            let watcher = try SignalWatcher(.suspend, on: loop) { Issue.record("it was called") }
            raise(SIGTSTP)
            loop.settle()
            withExtendedLifetime(watcher) {}
            expectEqual(unsafeBitCast(signal(SIGTSTP, SIG_IGN), to: Int.self), unsafeBitCast(SIG_IGN, to: Int.self))
        }
    }
}
