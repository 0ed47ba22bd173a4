import Formats
import Testing
import WSCore

@testable import Peer

@Suite struct JSONEventTests {
    @Test("An event is one line with its fields in the order of their addition")
    func fields() {
        let line = event("open") { event in
            event.add("url", "ws://h/\"x\"")
            event.add("count", -7)
            event.add("clean", true)
            event.add("open", false)
        }
        #expect(
            line == #"{"type":"open","time":"T","url":"ws://h/\"x\"","count":-7,"clean":true,"open":false}"# + "\n")
    }

    @Test("An object is a member like others")
    func object() {
        let line = event("open") { event in
            var object = JSONWriter()
            object.add("a", 1)
            object.endObject()
            event.add("tls", object)
            event.add("b", 2)
        }
        #expect(line == #"{"type":"open","time":"T","tls":{"a":1},"b":2}"# + "\n")
    }

    @Test("An event without fields has its type and time")
    func bare() {
        #expect(event("ping") { _ in } == #"{"type":"ping","time":"T"}"# + "\n")
    }

    @Test("Events follow each other in the buffer")
    func several() {
        var buffer = ByteBuffer()
        for _ in 0..<2 { buffer = JSONEvent("x", time: Array("T".utf8).span.bytes, into: buffer.takeAll()).finish() }
        #expect(text(of: buffer) == String(repeating: #"{"type":"x","time":"T"}"# + "\n", count: 2))
    }

    @Test(
        "RFC 4648 §10: a payload is data if it is UTF-8, and Base64 otherwise",
        arguments: [
            ([], #""data":"""#), (Array("a\nb".utf8), #""data":"a\nb""#), ([0x66], #""data":"f""#),
            ([0xFF], #""base64":"/w==""#), ([0xFF, 0xFE], #""base64":"//4=""#), ([0xFF, 0, 0x3E], #""base64":"/wA+""#),
            ([0xC3], #""base64":"ww==""#),
        ] as [([UInt8], String)])
    func payload(bytes: [UInt8], field: String) {
        let line = event("message") { event in
            bytes.withUnsafeBytes { event.addPayload($0.bytes, isText: false) }
        }
        #expect(line == #"{"type":"message","time":"T",\#(field)}"# + "\n")
    }

    private func event(_ type: StaticString, _ addFields: (inout JSONEvent) -> Void) -> String {
        var event = JSONEvent(type, time: Array("T".utf8).span.bytes, into: ByteBuffer())
        addFields(&event)
        return text(of: event.finish())
    }
}
