import Testing

@testable import WSCore

@Suite struct ReadinessWatcherTests {
    @Test("a watcher is called while there is something to read, and leaves the reading to others")
    func readable() throws {
        let ends = try makePipe()
        defer { closeAll(ends.readEnd, ends.writeEnd) }
        try withLoop { loop in
            var read: [UInt8] = []
            let watcher = try ReadinessWatcher(descriptor: ends.readEnd, on: loop, for: .readable) {
                read += readSome(ends.readEnd, limit: 1)
            }
            loop.run(for: .milliseconds(5))
            #expect(read.isEmpty)
            writeAll(Array("abc".utf8), to: ends.writeEnd)
            loop.run { read.count == 3 }
            #expect(read == Array("abc".utf8))
            withExtendedLifetime(watcher) {}
        }
    }

    @Test("the end of the input is something to read")
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
            loop.run(for: .milliseconds(5))
            #expect(callCount == 1)
            #expect(watcher == nil)
        }
    }

    @Test("a reader that goes away is noticed once, and waiting for that does not keep the loop running")
    func hangUp() throws {
        let ends = try makePipe()
        defer { closeAll(ends.writeEnd) }
        try withLoop { loop in
            var callCount = 0
            let watcher = try ReadinessWatcher(descriptor: ends.writeEnd, on: loop, for: .hangUp) { callCount += 1 }
            loop.run()
            #expect(callCount == 0)
            closeAll(ends.readEnd)
            loop.run { callCount > 0 }
            loop.run(for: .milliseconds(10))
            #expect(callCount == 1)
            withExtendedLifetime(watcher) {}
        }
    }

    @Test("a watcher that is released is not called")
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
            loop.run(for: .milliseconds(10))
        }
    }

    @Test("what cannot be watched is refused: a file, and a descriptor that is not open")
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
