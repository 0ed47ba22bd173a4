import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct MessageChangesTests {
    private static func findings(
        _ texts: [String], of paths: [String] = []
    ) throws -> [MessageChanges.Finding] {
        var changes = MessageChanges(kinds: try paths.map { try JSONPath($0) })
        return texts.map { text in
            let bytes = Array(text.utf8)
            return changes.receive(bytes.span.bytes)
        }
    }

    @Test("A message is compared with the previous one of its kind")
    func kinds() throws {
        let texts = [
            #"{"type":"tick","symbol":"A","p":1}"#, #"{"type":"tick","symbol":"B","p":1}"#,
            #"{"type":"tick","symbol":"A","p":2}"#, #"{"type":"tick","symbol":"A","p":2}"#, #"{"p":1}"#, #"{"p":2}"#,
        ]
        try expectEqual(
            Self.findings(texts),
            [
                .whole, .whole, .changes("tick A: .p 1 → 2"), .changes("tick A: no changes"), .whole,
                .changes(".p 1 → 2"),
            ])
    }

    @Test("Paths choose the values that make up the kind")
    func paths() throws {
        let texts = [#"{"a":{"b":1},"x":1}"#, #"{"a":{"b":2},"x":1}"#, #"{"a":{"b":1},"x":2}"#, "[]", "[1]"]
        try expectEqual(
            Self.findings(texts, of: ["/a/b", ".c"]),
            [
                .whole, .whole, .changes("1 -: .x 1 → 2"), .whole, .changes("- -: +.[0] 1"),
            ])
    }

    @Test("A caller may know the kind and the source of a message")
    func callers() {
        var changes = MessageChanges()
        let findings = [("[1]", 1), ("[2]", 2), ("[3]", 1)].map { text, source in
            let bytes = Array(text.utf8)
            return changes.receive(bytes.span.bytes, from: source, kind: "news")
        }
        expectEqual(findings, [.whole, .whole, .changes("news: .[0] 1 → 3")])
    }

    @Test("Given paths take precedence over the kind that a caller knows")
    func pathsAndCallers() throws {
        var changes = MessageChanges(kinds: [try JSONPath("/a")])
        let findings = [#"{"a":1,"x":1}"#, #"{"a":2,"x":1}"#, #"{"a":1,"x":2}"#].map { text in
            let bytes = Array(text.utf8)
            return changes.receive(bytes.span.bytes, kind: "news")
        }
        expectEqual(findings, [.whole, .whole, .changes("1: .x 1 → 2")])
    }

    @Test("Kinds with different values differ, although they look the same")
    func lookalikes() throws {
        let pairs = [
            (#"{"a":"x y","b":"z"}"#, #"{"a":"x","b":"y z"}"#), (#"{"a":"1"}"#, #"{"a":1}"#),
            (#"{"a":"null"}"#, #"{"a":null}"#), (#"{"a":"-"}"#, #"{"b":"-"}"#), (#"{"a":"-"}"#, "{}"),
            (#"{"a":"x\ny"}"#, #"{"a":"x\\ny"}"#),
            (#"{"a":"\#u{E9}"}"#, #"{"a":"e\#u{301}"}"#),
            (
                #"{"a":"\#(String(repeating: "x", count: 50))1"}"#, #"{"a":"\#(String(repeating: "x", count: 50))2"}"#
            ),
        ]
        for (one, other) in pairs {
            try expectEqual(Self.findings([one, other], of: ["/a", "/b"]), [.whole, .whole], "\(one) \(other)")
        }
        try expectEqual(Self.findings([#"{"type":"a"}"#, #"{"event":"a"}"#]), [.whole, .whole])
        try expectEqual(Self.findings([#"{"type":"a"}"#, #"{"type":"\u0061"}"#]), [.whole, .changes("a: no changes")])
    }

    @Test("Messages that are not JSON, or are big, are shown as a whole")
    func others() throws {
        let big = "\"" + String(repeating: "x", count: MessageChanges.maximumMessageBytes) + "\""
        try expectEqual(Self.findings(["x", "x", big, big, "1", "{"]), Array(repeating: .whole, count: 6))
    }

    @Test("Control characters of a kind are escaped")
    func control() throws {
        let text = #"{"type":"a\n\u001b[31m","x":1}"#
        guard case .changes(let line) = try Self.findings([text, text])[1] else {
            Issue.record("no changes were found")
            return
        }
        let hasControl = line.unicodeScalars.contains { $0.value < 32 }
        expectFalse(hasControl)
    }

    @Test("The oldest kinds are forgotten beyond the limits")
    func limits() {
        var changes = MessageChanges(limitBytes: 100_000)
        func receive(_ number: Int, padding: Int = 0) -> MessageChanges.Finding {
            let text = Array(#"{"type":\#(number),"x":"\#(String(repeating: "x", count: padding))"}"#.utf8)
            return changes.receive(text.span.bytes)
        }
        for number in 0...MessageChanges.maximumKinds { expectEqual(receive(number), .whole) }
        expectEqual(receive(MessageChanges.maximumKinds), .changes("\(MessageChanges.maximumKinds): no changes"))
        expectEqual(receive(0), .whole)
        // 12 messages of 10 kB exceed the limit.
        for number in 0..<12 { _ = receive(number, padding: 10_000) }
        expectEqual(receive(0, padding: 10_000), .whole)
        expectEqual(receive(11, padding: 10_000), .changes("11: no changes"))
    }
}
