import TestSupport
import Testing
import WSCore

@Suite struct IdleWatchTests {
    /// `#expect` does not accept mutating calls.
    private func expect(_ condition: Bool, at location: SourceLocation = #_sourceLocation) {
        expectTrue(condition, sourceLocation: location)
    }

    @Test("a connection is idle when it has carried no data for the limit, and not before")
    func limit() {
        var watch = IdleWatch(limit: .seconds(8))
        expectEqual(watch.lookInterval, .seconds(1))
        watch.add(1, at: .zero)
        expect(!watch.isIdle(1, carriedBytes: 0, at: .seconds(7)))
        expect(watch.isIdle(1, carriedBytes: 0, at: .seconds(8)))
    }

    @Test("any byte restarts the idle time of its connection only")
    func bytes() {
        var watch = IdleWatch(limit: .seconds(8))
        watch.add(1, at: .zero)
        watch.add(2, at: .zero)
        expect(!watch.isIdle(1, carriedBytes: 1, at: .seconds(5)))
        expect(!watch.isIdle(1, carriedBytes: 1, at: .seconds(12)))
        expect(watch.isIdle(2, carriedBytes: 0, at: .seconds(12)))
        expect(watch.isIdle(1, carriedBytes: 1, at: .seconds(13)))
    }

    @Test("excuse(_:at:) restarts the idle time")
    func excuse() {
        var watch = IdleWatch(limit: .seconds(8))
        watch.add(1, at: .zero)
        watch.excuse(1, at: .seconds(7))
        expect(!watch.isIdle(1, carriedBytes: 0, at: .seconds(14)))
        expect(watch.isIdle(1, carriedBytes: 0, at: .seconds(15)))
    }

    @Test("an unknown or removed connection is never idle")
    func unknown() {
        var watch = IdleWatch(limit: .milliseconds(1))
        expectEqual(watch.lookInterval, .milliseconds(1))
        watch.add(1, at: .zero)
        watch.remove(1)
        watch.excuse(1, at: .zero)
        expect(!watch.isIdle(1, carriedBytes: 0, at: .seconds(9)))
        expect(!watch.isIdle(2, carriedBytes: 0, at: .seconds(9)))
    }
}
