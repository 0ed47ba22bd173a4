import Testing
import WSCore

@testable import Peer

@Suite struct EventReaderTests {
    @Test(
        "Events that can be sent are parsed with their payload",
        arguments: [
            (#"{"type":"message","data":"hé\n"}"#, .message(.text), Array("hé\n".utf8)),
            (#"{"type":"message","base64":"AP8="}"#, .message(.binary), [0, 255]),
            (#"{"type":"message","opcode":"text","base64":"aGk"}"#, .message(.text), Array("hi".utf8)),
            (#"{"type":"message","opcode":"binary","data":"hi"}"#, .message(.binary), Array("hi".utf8)),
            (#"{"type":"message","data":"","bytes":7,"time":7}"#, .message(.text), []),
            (#"{"type":"message","data":"x","base64":null}"#, .message(.text), Array("x".utf8)),
            (#"{"type":"message","base64":"\/\/8="}"#, .message(.binary), [255, 255]),
            (#" { "\u0074ype" : "ping" , "data" : "a" } "#, .ping, Array("a".utf8)),
            (#"{"type":"ping"}"#, .ping, []),
            (#"{"data":"b","type":"pong","rtt_us":412}"#, .pong, Array("b".utf8)),
            (#"{"type":"pong","base64":"/w=="}"#, .pong, [255]),
            (
                #"{"type":"message","data":"x","more":{"type":[{"data":1}]},"type ":2}"#, .message(.text),
                Array("x".utf8)
            ),
            (#"{"type":"message","data":"x","\ud800":1,"code":"no number"}"#, .message(.text), Array("x".utf8)),
        ] as [(String, InputItem, [UInt8])])
    func items(line: String, item: InputItem, payload: [UInt8]) throws {
        let (event, read) = try Self.read(line)
        #expect(event.kind == .item(item))
        #expect(read == payload)
    }

    @Test(
        "RFC 6455 §7.4: a close event with a reserved code ends the input without a frame",
        arguments: [
            (#""code":1000,"reason":"bye""#, CloseFrame(code: .normalClosure, reason: "bye")),
            (#""code":4999,"reason":"","clean":true"#, CloseFrame(code: CloseCode(rawValue: 4999))),
            (#""code":1005,"reason":"""#, CloseFrame(code: nil)), (#""x":1"#, CloseFrame(code: nil)),
            (#""code":1006,"reason":"lost""#, nil), (#""code":1015"#, nil), (#""code":1004"#, nil),
            (#""code":2999"#, nil),
        ] as [(String, CloseFrame?)])
    func closes(members: String, frame: CloseFrame?) throws {
        #expect(try Self.read(#"{"type":"close",\#(members)}"#).event.kind == .item(.close(frame)))
    }

    @Test(
        "Other events send nothing",
        arguments: [
            (#"{"type":"recording","time":"x"}"#, .recording), (#"{"type":"open","url":"ws://h/"}"#, .open),
            (#"{"type":"http","method":"GET","status":200,"headers":{"type":["x"]}}"#, .exchange),
            (#"{"type":"listening","port":1}"#, .report), (#"{"type":"later","direction":1}"#, .report),
            (#"{"type":"error","message":"x","body":"y"}"#, .report),
        ] as [(String, InputEvent.Kind)])
    func reports(line: String, kind: InputEvent.Kind) throws {
        #expect(try Self.read(line).event.kind == kind)
    }

    @Test("The direction and the client are parsed, and the time on request")
    func members() throws {
        let line = #"{"type":"ping","time":"1970-01-01T00:00:01.5Z","direction":"out","client":7}"#
        let timed = try Self.read(line, readsTimes: true).event
        #expect((timed.direction, timed.client) == (.outgoing, 7))
        #expect(timed.time == .milliseconds(1500))
        #expect(try Self.read(line).event.time == nil)
        let bare = try Self.read(#"{"type":"ping","direction":"in"}"#, readsTimes: true).event
        #expect((bare.direction, bare.client) == (.incoming, nil))
        #expect(bare.time == nil)
    }

    @Test("An event of an unknown type is ignored, whatever its members mean") func unknownType() throws {
        for members in ["", #","direction":"up","client":"x","time":7,"data":1,"base64":1"#, #","client":null"#] {
            let event = try Self.read(#"{"type":"violation"\#(members)}"#, readsTimes: true).event
            #expect(event == InputEvent(kind: .report, direction: nil, client: nil, time: nil, isDropped: false))
        }
    }

    private static let badClient = InputProblem.badMember("client", expected: "a client number of 1 or more")

    @Test(
        "Errors in events are reported",
        arguments: [
            ("x", .notJSON(.unexpected(offset: 0))), (#"{"type":"ping""#, .notJSON(.truncated)),
            (#"{"type":"ping"}{}"#, .notJSON(.unexpected(offset: 15))),
            ("[1]", .notAnObject), (#""message""#, .notAnObject), ("7", .notAnObject),
            ("{}", .missingMember("type")), (#"{"type":null}"#, .missingMember("type")),
            (#"{"type":7}"#, .badMember("type", expected: "a string")),
            (#"{"type":"message"}"#, .noPayload), (#"{"type":"message","data":"","base64":""}"#, .twoPayloads),
            (#"{"type":"ping","data":"","base64":""}"#, .twoPayloads),
            (#"{"type":"message","data":7}"#, .badMember("data", expected: "a string")),
            (#"{"type":"message","base64":["AA=="]}"#, .badMember("base64", expected: "a string")),
            (#"{"type":"message","base64":"A"}"#, .notBase64(.truncated)),
            (#"{"type":"message","base64":"AA=A"}"#, .notBase64(.unexpected(offset: 2))),
            (#"{"type":"message","data":"\ud800"}"#, .halfSurrogate("data")),
            (#"{"type":"message","data":"","opcode":"close"}"#, .badMember("opcode", expected: "'text' or 'binary'")),
            (
                #"{"type":"message","opcode":"text","base64":"/w=="}"#,
                .badMember("base64", expected: "UTF-8, which a text message must be")
            ),
            (#"{"type":"ping","type":"ping"}"#, .repeatedMember("type")),
            (#"{"type":"ping","direction":"up"}"#, .badMember("direction", expected: "'in' or 'out'")),
            (#"{"type":"ping","client":"1"}"#, badClient), (#"{"type":"ping","client":1.0}"#, badClient),
            (#"{"type":"ping","client":null}"#, badClient), (#"{"type":"ping","client":0}"#, badClient),
            (#"{"type":"ping","client":-1}"#, badClient), (#"{"type":"ping","client":1.5}"#, badClient),
            (#"{"type":"ping","client":[1]}"#, badClient),
            (#"{"type":"ping","client":99999999999999999999}"#, badClient),
            (
                #"{"type":"close","reason":"x"}"#,
                .badMember("reason", expected: "empty, which it must be without a code")
            ),
        ] as [(String, InputProblem)])
    func problems(line: String, problem: InputProblem) {
        #expect(throws: problem) { try Self.read(line) }
    }

    @Test(
        "Codes outside the valid range are rejected",
        arguments: ["999", "0", "-1", "5000", "1e3", "1000.0", "\"1000\"", "99999999999999999999"])
    func codes(code: String) {
        #expect(throws: InputProblem.badMember("code", expected: "a close code from 1000 to 4999")) {
            try Self.read(#"{"type":"close","code":\#(code)}"#)
        }
    }

    @Test("RFC 6455 §5.5: a control frame holds 125 bytes, of which a close code takes two")
    func lengths() throws {
        let longest = String(repeating: "x", count: 125)
        #expect(try Self.read(#"{"type":"ping","data":"\#(longest)"}"#).payload.count == 125)
        #expect(throws: InputProblem.tooLong("data", byteCount: 126, limit: 125)) {
            try Self.read(#"{"type":"pong","data":"\#(longest)x"}"#)
        }
        let reason = String(repeating: "é", count: 62)
        #expect(throws: InputProblem.tooLong("reason", byteCount: 124, limit: 123)) {
            try Self.read(#"{"type":"close","code":1000,"reason":"\#(reason)"}"#)
        }
    }

    @Test("Invalid UTF-8 is rejected, and so is an invalid time if times matter")
    func nonsense() {
        var reader = EventReader()
        #expect(throws: InputProblem.notTextEvent) {
            try [UInt8]([0x22, 0xFF, 0x22]).withUnsafeBytes { _ = try reader.read($0.bytes) }
        }
        #expect(throws: InputProblem.self) { try Self.read(#"{"type":"open","time":"now"}"#, readsTimes: true) }
        #expect(throws: InputProblem.self) { try Self.read(#"{"type":"open","time":7}"#, readsTimes: true) }
    }

    private static func read(
        _ line: String, readsTimes: Bool = false
    ) throws -> (event: InputEvent, payload: [UInt8]) {
        var reader = EventReader(readsTimes: readsTimes)
        let event = try Array(line.utf8).withUnsafeBytes { try reader.read($0.bytes) }
        return (event, reader.withPayload { payload in payload.withUnsafeBytes { Array($0) } })
    }
}
