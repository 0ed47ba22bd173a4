import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct HARWriterTests {
    @Test("A file has an entry for each connection, which HARReader reads") func roundTrip() throws {
        var writer = HARWriter(version: "1")
        for number in 1...2 {
            var connection = HARConnection(url: "ws://h\(number)/?a=b&c#d", start: .milliseconds(1500))
            connection.responseFields = [("A", "b\"")]
            connection.timings.lookup = .milliseconds(1)
            connection.timings.tls = .milliseconds(3)
            connection.timings.open = .milliseconds(100)
            writer.begin(connection)
            writer.add(
                Array("\u{7}é\"".utf8).span.bytes, as: .text, isSent: true, time: .microseconds(1_795_802_227_505_070))
            writer.add(([0, 255] as [UInt8]).span.bytes, as: .binary, isSent: false, time: .seconds(-1))
            writer.end()
        }
        writer.finish()
        let text = writer.text.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
        let entries = try HARReader.connections { offset, block in block = Array(text[offset...]) }
        expectEqual(entries.map(\.url), ["ws://h1/?a=b&c#d", "ws://h2/?a=b&c#d"])
        expectEqual(entries.map(\.status), [101, 101])
        expectEqual(entries[1].start, .milliseconds(1500))
        expectEqual(entries[1].messages?.times, .zero ... .microseconds(1_795_802_227_505_070))

        let messages = try #require(entries[1].messages)
        var reader = HARMessageReader(messages) { offset, block in block = Array(text[offset...]) }
        try expectEqual(reader.next(), .message(.text, isSent: true, time: .microseconds(1_795_802_227_505_070)))
        expectEqual(reader.withPayload { $0.withUnsafeBytes { Array($0) } }, Array("\u{7}é\"".utf8))
        try expectEqual(reader.next(), .message(.binary, isSent: false, time: .zero))
        expectEqual(reader.withPayload { $0.withUnsafeBytes { Array($0) } }, [0, 255])
        try expectNil(reader.next())
    }

    @Test("HAR counts the time for TLS as part of that for the connection") func timings() throws {
        var connection = HARConnection(url: "wss://h/", start: .zero)
        connection.timings.connect = .milliseconds(2)
        connection.timings.tls = .milliseconds(3)
        connection.timings.upgrade = .milliseconds(4)
        var writer = HARWriter(version: "1")
        writer.begin(connection)
        writer.end()
        writer.finish()
        guard case .object(let file) = try writer.text.withReadableBytes({ try JSONValue(parsing: $0) }),
            case .object(let log)? = file["log"], case .array(let entries)? = log["entries"],
            case .object(let entry)? = entries.first
        else {
            Issue.record("no entry")
            return
        }
        expectEqual(entry["time"], .number("9.000"))
        expectEqual(
            entry["timings"],
            .object([
                "dns": .number("-1"), "connect": .number("5.000"), "ssl": .number("3.000"),
                "blocked": .number("-1"),
                "send": .number("0"), "wait": .number("4.000"), "receive": .number("0.000"),
            ]))
    }
}
