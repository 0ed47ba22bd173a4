import Testing
import WSCore

@testable import Peer
@testable import UserInterface

@Suite struct InputDecoderTests {
    private static let out = #"{"type":"message","direction":"out","data":"out"}"#
    private static let incoming = #"{"type":"message","direction":"in","data":"in"}"#
    private static let bare = #"{"type":"message","data":"bare"}"#

    @Test(
        "Records are decoded by format",
        arguments: [
            (.lines, "text", "text"), (.nul, "", ""), (.hex, "68 69", "hi"), (.hex, "", ""), (.base64, "aGk=\r", "hi"),
            (.base64, "", ""), (.json, bare, "bare"), (.json, "\u{FEFF}" + bare, "bare"),
        ] as [(InputFormat, String, String)])
    func formats(format: InputFormat, record: String, payload: String) throws {
        var decoder = InputDecoder(format, as: .binary)
        #expect(try Self.payloads(of: [record], by: &decoder) == [payload])
    }

    @Test("Text must be UTF-8, also if it is encoded")
    func text() {
        #expect(throws: InputProblem.notText) { try Self.decode("ff", .hex, as: .text) }
        #expect(throws: InputProblem.notText) { try Self.decode("/w==", .base64, as: .text) }
        #expect(throws: Never.self) { try Self.decode("ff", .hex, as: .binary) }
    }

    @Test("Invalid digits are bad input")
    func problems() {
        #expect(throws: InputProblem.notHexadecimal(.truncated)) { try Self.decode("f", .hex, as: .binary) }
        #expect(throws: InputProblem.notBase64(.unexpected(offset: 0))) { try Self.decode("!", .base64, as: .binary) }
    }

    @Test("Events of both directions are sent, and blank lines and reports are not")
    func events() throws {
        var decoder = InputDecoder(.json, as: .text)
        let lines = [#"{"type":"open"}"#, "", Self.out, " \t\r", Self.incoming, #"{"type":"recording"}"#, Self.bare]
        #expect(try Self.payloads(of: lines, by: &decoder) == ["out", "in", "bare"])
    }

    @Test("Only the sent items of a recording are sent")
    func recording() throws {
        var decoder = InputDecoder(.json, as: .text)
        let lines = [
            "", #"{"type":"recording"}"#, Self.incoming, Self.out, Self.bare, #"{"type":"recording"}"#, Self.out,
        ]
        #expect(try Self.payloads(of: lines, by: &decoder) == ["out", "out"])
    }

    @Test("Of a recording's close events only a final one counts; of other input all count")
    func closes() throws {
        let (head, close) = (#"{"type":"recording"}"#, #"{"type":"close","direction":"out","code":1000}"#)
        let (inClose, ping) = (#"{"type":"close","direction":"in"}"#, #"{"type":"ping","direction":"out"}"#)
        let cases: [(lines: [String], items: [InputItem], atEnd: InputItem?)] = [
            ([head, close, inClose, Self.incoming], [], .end(CloseFrame(code: .normalClosure))),
            ([head, close, Self.out], [.message(.text)], nil),
            ([head, close, ping, close], [.ping], .end(CloseFrame(code: .normalClosure))),
            ([close, ping], [.close(CloseFrame(code: .normalClosure)), .ping], nil),
        ]
        for (lines, items, atEnd) in cases {
            var decoder = InputDecoder(.json, as: .text)
            var found: [InputItem] = []
            for line in lines {
                let input = try Array(line.utf8).withUnsafeBytes { try decoder.decode($0.bytes) }
                if let input { found.append(input.item) }
            }
            let (close, second) = (decoder.takeClose(), decoder.takeClose())
            #expect(found == items)
            #expect(close?.item == atEnd)
            #expect(second == nil)
        }
    }

    @Test("The first time is the start, even if its event is not sent")
    func pace() throws {
        func event(_ type: String, _ second: Int) -> String {
            #"{"type":"\#(type)","time":"2026-05-01T12:00:0\#(second)Z"}"#
        }
        var decoder = InputDecoder(.json, as: .text, keepsPace: true)
        var delays: [Duration?] = []
        for line in [#"{"type":"ping"}"#, event("open", 3), event("ping", 5), #"{"type":"ping"}"#, event("pong", 1)] {
            let input = try Array(line.utf8).withUnsafeBytes { try decoder.decode($0.bytes) }
            if let input { delays.append(input.delay) }
        }
        let hasBegun = decoder.hasBegun
        #expect(hasBegun)
        #expect(delays == [nil, .seconds(2), nil, .seconds(-2)])
    }

    private static func decode(_ record: String, _ format: InputFormat, as kind: MessageKind) throws {
        var decoder = InputDecoder(format, as: kind)
        _ = try Array(record.utf8).withUnsafeBytes { try decoder.decode($0.bytes) }
    }

    private static func payloads(of records: [String], by decoder: inout InputDecoder) throws -> [String] {
        var payloads: [String] = []
        for record in records {
            try Array(record.utf8).withUnsafeBytes { bytes in
                guard try decoder.decode(bytes.bytes) != nil else { return }
                let payload = decoder.withPayload(of: bytes.bytes) { payload in
                    payload.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                }
                payloads.append(payload)
            }
        }
        return payloads
    }
}
