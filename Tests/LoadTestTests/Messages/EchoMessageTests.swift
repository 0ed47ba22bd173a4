import Conversation
import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct EchoMessageTests {
    @Test("A message begins with its number and a hash, and the rest is constant")
    func form() {
        var message = EchoMessage(byteCount: 40)
        let first = Self.text(&message, 0x0123_45AF, 3)
        let second = Self.text(&message, 0x0123_45B0, 3)
        #expect(first.hasPrefix("012345af"))
        #expect(second.hasPrefix("012345b0"))
        #expect(first.dropFirst(8).prefix(8).allSatisfy { "abcdefghijklmnop".contains($0) })
        expectEqual(first.utf8.count, 40)
        expectNotEqual(first.dropFirst(8).prefix(8), second.dropFirst(8).prefix(8))
        expectEqual(first.dropFirst(16), second.dropFirst(16))
        expectNotEqual(Self.text(&message, 0x0123_45AF, 4), first, "messages differ between connections")
        expectEqual(Self.text(&message, 0x0123_45AF, 3), first)
    }

    @Test("A short message is the end of the number and the end of the hash", arguments: 1...17)
    func shortForms(byteCount: Int) {
        var (long, short) = (
            Self.text(byteCount: 16, number: 0xFEDC_BA98), Self.text(byteCount: byteCount, number: 0xFEDC_BA98)
        )
        let numberDigits = min(8, (byteCount + 1) / 2)
        let hashLetters = min(8, byteCount - numberDigits)
        expectEqual(short.utf8.count, byteCount)
        short = String(short.prefix(16))
        long = String(long.prefix(8).suffix(numberDigits) + long.suffix(hashLetters))
        expectEqual(short, long)
    }

    static let equalityCases: [Int] = [1, 7, 8, 9, 16, 20, 64, 1001]

    @Test("A message equals itself, and nothing that differs in one byte", arguments: Self.equalityCases)
    func equality(byteCount: Int) {
        var message = EchoMessage(byteCount: byteCount)
        message.set(EchoMessage.Stamp(number: 5, connection: 1, time: 0))
        let bytes = message.withBytes { $0.withUnsafeBytes { Array($0) } }
        expectEqual(message.isEcho(bytes, 5, of: 1), true)
        expectEqual(message.isEcho(Array(bytes.dropLast()), 5, of: 1), false)
        expectEqual(message.isEcho(bytes + [0], 5, of: 1), false)
        expectEqual(message.isEcho(bytes, 6, of: 1), false)
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            expectEqual(message.isEcho(other, 5, of: 1), false)
        }
    }

    @Test("The number in a reply is found, at or after the expected one or before it")
    func numbers() {
        var message = EchoMessage(byteCount: 16)
        for number in [0, 1, 99, 1 << 32 - 1, 1 << 32, 1 << 32 + 5, 1 << 40 + 7] as [UInt64] {
            let reply = Array(Self.text(&message, number, 2).utf8)
            for distance in [0, 1, 1000] as [UInt64] {
                expectEqual(message.found(in: reply, of: 2, expected: number &+ distance), number)
                if number >= distance {
                    expectEqual(message.found(in: reply, of: 2, expected: number - distance), number)
                }
            }
            expectNil(message.found(in: reply, of: 3, expected: number), "it belongs to another connection")
            expectNil(message.found(in: Array(reply.dropLast()), of: 2, expected: number))
        }
    }

    @Test("Damaged digits are not a number")
    func damage() {
        var message = EchoMessage(byteCount: 20)
        let reply = Array(Self.text(&message, 77, 1).utf8)
        for index in 0..<16 {
            for bit in 0..<8 {
                var damaged = reply
                damaged[index] ^= 1 << bit
                expectNil(message.found(in: damaged, of: 1, expected: 70))
            }
        }
    }

    @Test("A constant message is the same each time, and has no number")
    func given() throws {
        var message = EchoMessage([try LoadFixture.template("hello")], clockOffset: 0)
        expectEqual(message.isNumbered, false)
        expectEqual(message.isFoundByComparing, false)
        expectEqual(Self.text(&message, 1, 1), "hello")
        expectEqual(Self.text(&message, 2, 2), "hello")
        expectEqual(message.isEcho(Array("hello".utf8), 3, of: 1), true)
        expectEqual(message.isEcho(Array("hellO".utf8), 3, of: 1), false)
        expectNil(message.found(in: Array("hello".utf8), of: 1, expected: 0))
    }

    @Test("Messages from the user are sent in turn, with their placeholders replaced")
    func varied() throws {
        let templates = [
            try LoadFixture.template("{{connection}}:{{seq}}"), Template(literal: Array("{{seq}}".utf8)),
        ]
        var message = EchoMessage(templates, clockOffset: 5_000_000)
        expectEqual(message.isFoundByComparing, true)
        expectEqual(Self.text(&message, 0, 6), "7:1")
        expectEqual(Self.text(&message, 1, 6), "{{seq}}")
        expectEqual(Self.text(&message, 998, 6), "7:999")
        expectEqual(message.isEcho(Array("7:1001".utf8), 1000, of: 6), true)
        expectEqual(message.isEcho(Array("7:1001".utf8), 1002, of: 6), false)
        expectEqual(message.isEcho(Array("{{seq}}".utf8), 1001, of: 6), true)
    }

    @Test("Random characters differ by message, connection, and position, and are the same when the echo arrives")
    func random() throws {
        var message = EchoMessage([try LoadFixture.template("{{random 12}}.{{random 12}}")], clockOffset: 0)
        var parts: [Substring] = []
        for (number, connection) in [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0)] as [(UInt64, UInt64)] {
            let text = Self.text(&message, number, connection)
            expectEqual(message.isEcho(Array(text.utf8), number, of: connection), true)
            parts += text.split(separator: ".")
        }
        expectEqual(Set(parts).count, 10)
    }

    @Test("A message contains the values in the row of its connection, when it is sent and when its echo arrives")
    func variables() throws {
        let rows = try LoadFixture.data("user,token\nAda,1\nBo,\"2\"\"\"\n")
        let templates = [
            try LoadFixture.template(#"{"user":{{json:user}},"token":{{json:token}},"n":{{seq}}}"#, rows)
        ]
        var message = EchoMessage(templates, rows: ConnectionRows(rows), clockOffset: 0)
        let (first, second) = (Self.text(&message, 4, 0), Self.text(&message, 4, 1))
        expectEqual(first, #"{"user":"Ada","token":"1","n":5}"#)
        expectEqual(second, #"{"user":"Bo","token":"2\"","n":5}"#)
        for _ in 0..<2 {
            expectEqual(message.isEcho(Array(first.utf8), 4, of: 0), true)
            expectEqual(message.isEcho(Array(second.utf8), 4, of: 1), true)
            expectEqual(message.isEcho(Array(first.utf8), 4, of: 1), false)
        }
    }

    @Test(
        "Replies are found by comparing only if the messages of a connection differ",
        arguments: [
            ("hello", false), ("{{connection}}", false), ("{{user}}", false), ("{{seq}}", true), ("{{time}}", true),
            ("{{user}}{{random 8}}", true),
        ])
    func identity(text: String, isFound: Bool) throws {
        let rows = try LoadFixture.data("user\nAda\n")
        let message = EchoMessage(
            [try LoadFixture.template(text, rows)], rows: ConnectionRows(rows), clockOffset: 0)
        expectEqual(message.isFoundByComparing, isFound)
        expectEqual(message.isIdentified, isFound)
    }

    private static func text(_ message: inout EchoMessage, _ number: UInt64, _ connection: UInt64) -> String {
        message.set(EchoMessage.Stamp(number: number, connection: connection, time: 0))
        return message.withBytes { String(decoding: $0.withUnsafeBytes { Array($0) }, as: UTF8.self) }
    }

    private static func text(byteCount: Int, number: UInt64) -> String {
        var message = EchoMessage(byteCount: byteCount)
        return text(&message, number, 0)
    }
}

extension EchoMessage {
    fileprivate mutating func isEcho(_ reply: [UInt8], _ number: UInt64, of connection: UInt64) -> Bool {
        reply.withUnsafeBytes {
            isEcho($0.bytes, of: EchoMessage.Stamp(number: number, connection: connection, time: 0))
        }
    }

    fileprivate func found(in reply: [UInt8], of connection: UInt64, expected: UInt64) -> UInt64? {
        reply.withUnsafeBytes { number(in: $0.bytes, of: connection, expected: expected) }
    }
}
