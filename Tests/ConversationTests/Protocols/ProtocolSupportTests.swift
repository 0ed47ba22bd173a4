import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct ProtocolSupportTests {
    // MARK: Typed lines

    @Test("A line is read word by word, and JSON values may contain blanks")
    func typedLine() {
        let text = Array(" join  a\t{\"x\": [1, 2]} é rest of it ".utf8)
        var line = TypedLine(text.span.bytes)
        let words = [line.word(), line.word()]
        expectEqual(words, ["join", "a"])
        let next = line.nextWord
        expectEqual(next, "{\"x\":")
        let value = line.json()
        expectEqual(value, Array("{\"x\":[1,2]}".utf8))
        let last = line.word()
        expectEqual(last, "é")
        expectEqual(line.rest, Array("rest of it".utf8))
    }

    @Test("A value that is not JSON, or not followed by a blank, is not read", arguments: ["{", "{}x", "1,", "a", ""])
    func typedLineWithoutJSON(text: String) {
        let bytes = Array(text.utf8)
        var line = TypedLine(bytes.span.bytes)
        let value = line.json()
        expectNil(value)
        expectEqual(line.rest, bytes)
    }

    // MARK: JSON

    @Test("The last of several members with the same name counts")
    func members() throws {
        let members = try #require(JSONMembers(Array(#"{"a":1,"a":{"b": 2},"n":null,"t":true,"s":"\u00e9"}"#.utf8)))
        #expect(members.json("a") == Array(#"{"b":2}"#.utf8) && members.integer("a") == nil)
        #expect(members.isNull("n") && members.isNull("x") && members.has("n") && !members.has("x"))
        #expect(members.isTrue("t") && !members.isTrue("n") && members.string("s") == "é" && members.count == 4)
    }

    static let smallObjectsCases: [(String, String)] = [
        (#"{"a":1}"#, "X"), (#"[{"a":1},{"a":1,"b":2}]"#, "[X,X]"), (#"{"c":{"a":"}"}}"#, #"{"c":X}"#),
        (#"{"a":1,"b":2,"c":3}"#, #"{"a":1,"b":2,"c":3}"#), ("{}", "X"), (#"{"a":[]}"#, #"{"a":[]}"#),
        (#"{"a":1,"b":{"c":1}}"#, #"{"a":1,"b":X}"#), ("{broken", "{broken"),
    ]

    @Test("Only objects with at most two members, all of them scalars, are replaced", arguments: Self.smallObjectsCases)
    func smallObjects(text: String, replaced: String) {
        let result = JSONBytes.replacingSmallObjects(in: Array(text.utf8)) { _ in Array("X".utf8) }
        expectEqual(String(decoding: result, as: UTF8.self), replaced)
    }

    @Test("Byte strings have a form in JSON that can be reversed")
    func byteStrings() {
        expectEqual(JSONBytes.bytes(of: JSONBytes.text(of: [0, 255])), [0, 255])
        for text in [#"{"$bytes":"?"}"#, #"{"$bytes":1}"#, #"{"$bytes":"","x":1}"#, "1"] {
            expectNil(JSONBytes.bytes(of: Array(text.utf8)))
        }
    }

    // MARK: Bounds

    @Test("Lines that wait have a limit, which one line may exceed, and keep their order")
    func heldLines() throws {
        var lines = HeldLines<Int>()
        var output = ProtocolOutput()
        try lines.hold(1, byteCount: 10, for: "a", &output)
        try lines.hold(2, byteCount: 10, for: "b", &output)
        try lines.hold(3, byteCount: HeldLines<Int>.limitBytes, for: "a", &output)
        #expect(throws: ProtocolInputError.self) { try lines.hold(4, byteCount: 0, for: "b", &output) }
        expectEqual(lines.last(for: "a"), 3)
        let first = lines.takeFirst(for: "a")
        #expect(first?.message == 1 && first?.number == 1 && lines.isFull)
        let second = lines.takeFirst(for: "a")
        #expect(second?.message == 3 && second?.number == 3 && !lines.isFull)
        #expect(lines.takeFirst(for: "a") == nil && lines.last(for: "a") == nil)
        try lines.hold(5, byteCount: 0, for: "b", &output)
        lines.drop("b", &output)
        expectEqual(output.items.last, .linesDropped([2, 4]))
        lines.removeAll()
        try lines.hold(6, byteCount: 0, for: "b", &output)
        expectEqual(output.items.last, .lineWaits(5))
    }

    @Test("Beyond the limit, the oldest requests are forgotten")
    func requests() {
        let limit = NumberedRequests<Int>.maximumCount
        var requests = NumberedRequests<Int>()
        for number in 1...limit + 2 { expectEqual(requests.add(number), number) }
        #expect(requests[2] == nil && requests[3] == 3)
        let skipped = requests.skip()
        expectEqual(skipped, limit + 3)
        let removed = requests.removeAll { $0 > limit }
        expectEqual(removed.map(\.number), [limit + 1, limit + 2])
        requests.removeAll()
        let next = requests.add(0)
        expectEqual(next, limit + 4)
    }
}
