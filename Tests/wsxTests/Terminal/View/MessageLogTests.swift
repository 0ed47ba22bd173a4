import Testing
import WSCore

@testable import UserInterface

@Suite struct MessageLogTests {
    @Test("Messages are found by number; the first is 1")
    func numbers() throws {
        var log = MessageLog()
        #expect(log.entry(1) == nil)
        #expect(Self.add("a", to: &log) == 1)
        #expect(Self.add("b", to: &log) == 2)
        #expect(log.entry(1)?.payload == Array("a".utf8))
        #expect(log.entry(2)?.payload == Array("b".utf8))
        for number in [-1, 0, 3, Int.max] { #expect(log.entry(number) == nil) }
    }

    @Test("Beyond the maximum number of messages the oldest are dropped, and numbers do not change")
    func count() throws {
        var log = MessageLog()
        let count = MessageLog.maximumCount * 3 + 7
        for number in 1...count { Self.add("\(number)", to: &log) }
        #expect(log.kept.count == MessageLog.maximumCount)
        let oldest = count - MessageLog.maximumCount + 1
        #expect(log.kept.first?.number == oldest)
        #expect(log.entry(oldest - 1) == nil)
        for number in [oldest, oldest + 1, count - 1, count] {
            #expect(log.entry(number)?.payload == Array("\(number)".utf8))
        }
    }

    @Test("Beyond the maximum number of bytes the oldest are dropped, too")
    func bytes() {
        var log = MessageLog()
        let third = [UInt8](repeating: 7, count: MessageLog.maximumBytes / 3 - MessageLog.entryBytes)
        for _ in 1...10 { Self.add(third, to: &log) }
        #expect(log.kept.map(\.number) == [8, 9, 10])
        Self.add([UInt8](repeating: 1, count: MessageLog.maximumBytes), to: &log)
        #expect(log.kept.map(\.number) == [11])
        Self.add("x", to: &log)
        #expect(log.kept.map(\.number) == [12])
    }

    @Test("Only the beginning and the length of a larger message are kept")
    func cut() throws {
        var log = MessageLog()
        Self.add([UInt8](repeating: 1, count: MessageLog.maximumBytes + 1), to: &log)
        let entry = try #require(log.entry(1))
        #expect(entry.isCut)
        #expect(entry.payload.count == MessageLog.maximumBytes)
        #expect(entry.byteCount == MessageLog.maximumBytes + 1)
    }

    @discardableResult
    private static func add(_ payload: [UInt8], to log: inout MessageLog) -> Int {
        let moment = TranscriptClock.Moment(wallTime: WallTime(seconds: 0, microseconds: 0), loopTime: .zero)
        return log.add(payload.span.bytes, as: .text, .received, at: moment)
    }

    @discardableResult
    private static func add(_ text: String, to log: inout MessageLog) -> Int {
        add(Array(text.utf8), to: &log)
    }
}
