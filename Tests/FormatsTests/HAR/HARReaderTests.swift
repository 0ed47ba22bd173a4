import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct HARReaderTests {
    private static func source(_ text: String) -> JSONStream.Source {
        let bytes = Array(text.utf8)
        return { offset, block in block = Array(bytes[offset..<min(bytes.count, offset + 16)]) }
    }

    private static func file(_ entries: String...) -> String {
        #"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#
    }

    /// An entry with these messages.
    private static func entry(_ messages: String) -> String {
        #"{"_webSocketMessages":[\#(messages)],"request":{"url":"wss://h/"},"response":{"status":101}}"#
    }

    /// The messages of a file with one connection, and their payloads.
    private static func messages(_ text: String) throws(HARError) -> [(HARMessage, [UInt8])] {
        let source = source(file(entry(text)))
        guard let messages = try HARReader.connections(in: source).first?.messages else { return [] }
        var reader = HARMessageReader(messages, in: source)
        var found: [(HARMessage, [UInt8])] = []
        while let message = try reader.next() {
            found.append((message, reader.withPayload { $0.withUnsafeBytes { Array($0) } }))
        }
        return found
    }

    private static func error(in text: String) -> HARError? {
        do throws(HARError) {
            _ = try messages(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A connection is recognized by its type, messages, scheme, or status",
        arguments: [
            (#"{"_resourceType":"websocket","request":{"url":"https://h/a?b"}}"#, "wss://h/a?b"),
            (#"{"_webSocketMessages":[],"request":{"url":"http://h/"}}"#, "ws://h/"),
            (#"{"request":{"url":"wss://h/"},"response":{"status":0}}"#, "wss://h/"),
            (
                #"{"request":{"url":"https://h/"},"response":{"status":101,"headers":[{"name":"upgrade","value":"websocket"}]}}"#,
                "wss://h/"
            ), (#"{"request":{"url":"https://h/"},"response":{"status":101}}"#, nil),
            (#"{"_resourceType":"document","request":{"url":"https://h/"},"response":{"status":200}}"#, nil),
        ])
    func recognition(entry: String, url: String?) throws {
        let entries = try HARReader.connections(in: Self.source(Self.file(#"{"request":{"url":"http://x/"}}"#, entry)))
        expectEqual(entries.map(\.url), [url].compactMap(\.self))
        expectEqual(entries.map(\.number), (url == nil ? [] : [2]))
    }

    @Test("Messages are counted before they are read, and fields are read again") func summary() throws {
        let text = Self.file(
            #"{"startedDateTime":"2026-01-31T16:04:05.5+01:00","_webSocketMessages":[{"type":"send","time":3},"#
                + #"{"type":"receive","time":2.5},{"type":"error"}],"request":{"url":"ws://h/"},"response":"#
                + #"{"status":101,"headers":[{"name":":status","value":"101"},{"name":"A","value":"b"},{"name":1}]}}"#)
        let source = Self.source(text)
        let entry = try #require(try HARReader.connections(in: source).first)
        expectEqual(entry.messages?.sentCount, 1)
        expectEqual(entry.messages?.receivedCount, 1)
        expectEqual(entry.messages?.times, .seconds(2.5) ... .seconds(3))
        expectEqual(entry.start, EventTime.parse("2026-01-31T15:04:05.500Z"))
        expectEqual(entry.responseFields, [])
        try expectEqual(HARReader.whole(entry, in: source).responseFields, [HeaderField(name: "A", value: "b")])
    }

    @Test(
        "Times are seconds or milliseconds, and -1 is unknown",
        arguments: [
            ("1772616600.301234", Duration.microseconds(1_772_616_600_301_234)),
            ("1772616600301.5", .microseconds(1_772_616_600_301_500)), ("0", .zero), ("-1", nil), ("null", nil),
        ])
    func times(text: String, expected: Duration?) throws {
        let message = try #require(try Self.messages(#"{"type":"send","time":\#(text),"data":""}"#).first)
        expectEqual(message.0, .message(.text, isSent: true, time: expected))
    }

    @Test("Payloads are text or Base64, and other frames have none") func payloads() throws {
        let found = try Self.messages(
            #"{"type":"send","opcode":1,"data":"gr\u00fc\/n"},{"type":"receive","opcode":2,"data":"AP8="},"#
                + #"{"type":"receive","opcode":9,"data":"x"},{"type":"error","opcode":-1,"data":"y"},"#
                + #"{"data":"no opcode","type":"send"}"#)
        expectEqual(
            found.map(\.0),
            [
                .message(.text, isSent: true, time: nil), .message(.binary, isSent: false, time: nil), .other, .other,
                .message(.text, isSent: true, time: nil),
            ])
        expectEqual(found.map(\.1), [Array("grü/n".utf8), [0, 255], [], [], Array("no opcode".utf8)])
    }

    static let invalidMessagesCases: [(String, HARError)] = [
        ("1", HARError.badValue(.message(1, ""), expected: "an object")),
        (#"{"data":""}"#, .badValue(.message(1, "type"), expected: "'send' or 'receive'")),
        (#"{"type":"sent","data":""}"#, .badValue(.message(1, "type"), expected: "'send' or 'receive'")),
        (#"{"type":1}"#, .badValue(.message(1, "type"), expected: "a string")),
        (#"{"type":"send"}"#, .badValue(.message(1, "data"), expected: "a string")),
        (#"{"type":"send","data":7}"#, .badValue(.message(1, "data"), expected: "a string")),
        (#"{"type":"send","data":"\ud800"}"#, .halfSurrogate(.message(1, "data"))),
        (#"{"type":"send","opcode":2,"data":"A*=="}"#, .notBase64(.message(1, "data"), .unexpected(offset: 1))),
        (#"{"type":"send","opcode":2,"data":"A"}"#, .notBase64(.message(1, "data"), .truncated)),
        (#"{"type":"send","opcode":2,"data":"AAA=="}"#, .notBase64(.message(1, "data"), .badPadding)),
        (
            #"{"type":"send","opcode":3,"data":""}"#,
            .badValue(.message(1, "opcode"), expected: "1 (text) or 2 (binary)")
        ), (#"{"type":"send","opcode":"1","data":""}"#, .badValue(.message(1, "opcode"), expected: "a number")),
        (#"{"type":"send","time":"1"}"#, .badValue(.message(1, "time"), expected: "a number")),
        (#"{"type":"send","time":-2}"#, Self.badTime), (#"{"type":"send","time":1e300}"#, Self.badTime),
        (#"{"type":"send","time":1e999}"#, Self.badTime),
        (#"{"type":"send","time":253402300800000}"#, Self.badTime),
    ]

    @Test("An invalid message is an error that names it", arguments: Self.invalidMessagesCases)
    func invalidMessages(text: String, expected: HARError) {
        expectEqual(Self.error(in: text), expected)
    }

    private static let badTime = HARError.badValue(
        .message(1, "time"), expected: "a time in seconds or milliseconds since 1970")

    static let invalidFilesCases: [(String, HARError)] = [
        ("[]", HARError.notAnArchive), ("{}", .notAnArchive), (#"{"log":{}}"#, .notAnArchive),
        (#"{"log":[]}"#, .notAnArchive), (#"{"log":{"entries":{}}}"#, .notAnArchive),
        (Self.file("1"), .badValue(.entry(1, ""), expected: "an object")),
        (Self.file(#"{"_webSocketMessages":[]}"#), .badValue(.entry(1, "request.url"), expected: "a URL")),
        (Self.file(#"{"_webSocketMessages":1}"#), .badValue(.entry(1, "_webSocketMessages"), expected: "an array")),
        (Self.file(#"{"request":{"url":1}}"#), .badValue(.entry(1, "request.url"), expected: "a string")),
        (
            Self.file(#"{"response":{"status":"x"}}"#),
            .badValue(.entry(1, "response.status"), expected: "a number")
        ), (#"{"log":{"entries":["#, .text(.invalid(.truncated))),
        (#"{"log":{"entries":[]}} x"#, .text(.invalid(.unexpected(offset: 23)))),
    ]

    @Test("An invalid file is an error", arguments: Self.invalidFilesCases)
    func invalidFiles(text: String, expected: HARError) {
        #expect(throws: expected) { try HARReader.connections(in: Self.source(text)) }
    }
}
