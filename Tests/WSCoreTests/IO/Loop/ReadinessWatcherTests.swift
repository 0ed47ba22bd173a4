import TestSupport
import Testing

@testable import WSCore

@Suite struct ReadinessWatcherTests {
    @Test("a watcher fires while data is readable, and does not consume it")
    func readable() throws {
        let ends = try makePipe()
        defer { closeAll(ends.readEnd, ends.writeEnd) }
        try withLoop { loop in
            var read: [UInt8] = []
            let watcher = try ReadinessWatcher(descriptor: ends.readEnd, on: loop, for: .readable) {
                read += readSome(ends.readEnd, limit: 1)
            }
            loop.settle()
            expectEmpty(read)
            writeAll(Array("abc".utf8), to: ends.writeEnd)
            loop.run { read.count == 3 }
            expectEqual(read, Array("abc".utf8))
            withExtendedLifetime(watcher) {}
        }
    }

    @Test("the end of the input counts as readable")
    func end() throws {
        let ends = try makePipe()
        defer { closeAll(ends.readEnd) }
        try withLoop { loop in
            var callCount = 0
            var watcher: ReadinessWatcher?
            watcher = try ReadinessWatcher(descriptor: ends.readEnd, on: loop, for: .readable) {
                callCount += 1
                watcher = nil
            }
            closeAll(ends.writeEnd)
            loop.run { callCount > 0 }
            loop.settle()
            expectEqual(callCount, 1)
            expectNil(watcher)
        }
    }

    @Test("a closed reader is reported once, and watching for it does not keep the loop running")
    func hangUp() throws {
        let ends = try makePipe()
        defer { closeAll(ends.writeEnd) }
        try withLoop { loop in
            var callCount = 0
            let watcher = try ReadinessWatcher(descriptor: ends.writeEnd, on: loop, for: .hangUp) { callCount += 1 }
            loop.run()
            expectEqual(callCount, 0)
            closeAll(ends.readEnd)
            loop.run { callCount > 0 }
            loop.settle()
            expectEqual(callCount, 1)
            withExtendedLifetime(watcher) {}
        }
    }

    @Test("a released watcher does not fire")
    func released() throws {
        let ends = try makePipe()
        defer { closeAll(ends.readEnd, ends.writeEnd) }
        try withLoop { loop in
            var watcher: ReadinessWatcher? = try ReadinessWatcher(
                descriptor: ends.readEnd, on: loop, for: .readable
            ) { Issue.record("it was called") }
            writeAll([1], to: ends.writeEnd)
            _ = watcher
            watcher = nil
            loop.settle()
        }
    }

    @Test("files and closed descriptors cannot be watched")
    func refused() throws {
        try withTemporaryDirectory { directory in
            let file = try openFile("\(directory)/file", 2)
            defer { closeAll(file) }
            try withLoop { loop in
                #expect(throws: IOError(code: -1)) {
                    _ = try ReadinessWatcher(descriptor: file, on: loop, for: .readable) {}
                }
                #expect(throws: IOError.badDescriptor) {
                    _ = try ReadinessWatcher(descriptor: 1_000_000, on: loop, for: .readable) {}
                }
            }
        }
    }
}
