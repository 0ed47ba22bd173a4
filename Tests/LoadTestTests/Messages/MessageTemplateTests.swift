import Testing

@testable import LoadTest

@Suite struct MessageTemplateTests {
    @Test(
        "Placeholders are replaced by the properties of a message",
        arguments: [
            ("hello", "hello"), ("{{seq}}", "42"), ("{{ seq }}", "42"), ("{{connection}}", "8"),
            (#"{"id":{{seq}},"of":{"c":{{connection}}}}"#, #"{"id":42,"of":{"c":8}}"#), ("{{time}}", "1700000000123"),
            ("a{{{{b", "a{{b"), ("{{{{seq}}", "{{seq}}"), ("{{{{{{seq}}", "{{42"), ("}}{", "}}{"),
            ("é{{seq}}é", "é42é"),
        ])
    func forms(text: String, message: String) throws {
        let stamp = EchoMessage.Stamp(number: 41, connection: 7, time: 123_999_999)
        let offset: UInt64 = 1_700_000_000_000_000_000
        #expect(try Self.message(MessageTemplate(text), stamp, offset) == message)
    }

    @Test("Random characters differ by message, connection, and position, and are reproducible")
    func random() throws {
        let template = try MessageTemplate("{{random 12}}.{{random 12}}")
        var parts: [Substring] = []
        for (number, connection) in [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0)] as [(UInt64, UInt64)] {
            let stamp = EchoMessage.Stamp(number: number, connection: connection, time: 5)
            let message = Self.message(template, stamp)
            #expect(message == Self.message(template, stamp))
            #expect(message.utf8.count == 25)
            parts += message.split(separator: ".")
        }
        #expect(Set(parts).count == 10)
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        #expect(parts.allSatisfy { $0.allSatisfy(allowed.contains) })
    }

    @Test(
        "Numbers have as many digits as they need", arguments: [0, 9, 10, 99, 999_999, 1 << 40, .max - 1] as [UInt64])
    func numbers(number: UInt64) throws {
        let stamp = EchoMessage.Stamp(number: number, connection: number / 2, time: 0)
        #expect(
            try Self.message(MessageTemplate("{{seq}}/{{connection}}"), stamp) == "\(number + 1)/\(number / 2 + 1)")
    }

    @Test("The size is known if all messages have the same one")
    func sizes() throws {
        #expect(try MessageTemplate("hello").constantBytes == 5)
        #expect(try MessageTemplate("a{{random 10}}").constantBytes == 11)
        #expect(try MessageTemplate("a{{seq}}").constantBytes == nil)
        #expect(try MessageTemplate("a{{seq}}").largestBytes == 21)
        #expect(try MessageTemplate("a{{random 10}}").isConstant == false)
        #expect(try MessageTemplate("{{{{").isConstant)
        #expect(MessageTemplate(literal: []).largestBytes == 0)
    }

    @Test(
        "Invalid placeholders are reported",
        arguments: [
            ("{{", .notClosed), ("a{{seq", .notClosed), ("{{}}", .unknownPlaceholder("")),
            ("{{sequence}}", .unknownPlaceholder("sequence")), ("{{seq 1}}", .unknownPlaceholder("seq 1")),
            ("{{random}}", .badLength), ("{{random 0}}", .badLength), ("{{random x}}", .badLength),
            ("{{random -1}}", .badLength), ("{{random 1 2}}", .badLength),
            ("{{random 99999999999999999999}}", .badLength),
        ] as [(String, MessageTemplateError)])
    func problems(text: String, error: MessageTemplateError) {
        #expect(throws: error) { try MessageTemplate(text) }
    }

    private static func message(
        _ template: MessageTemplate, _ stamp: EchoMessage.Stamp, _ clockOffset: UInt64 = 0
    ) -> String {
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: template.largestBytes, alignment: 1)
        defer { storage.deallocate() }
        let count = template.write(to: storage, stamp, clockOffset: clockOffset)
        return String(decoding: storage[..<count], as: UTF8.self)
    }
}
