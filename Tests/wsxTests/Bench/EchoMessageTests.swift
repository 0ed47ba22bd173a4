import Testing
import WSCore

@testable import wsx

@Suite struct EchoMessageTests {
    @Test("a message begins with its number and a hash, and the rest stays as it is")
    func form() {
        var message = EchoMessage(byteCount: 40)
        let first = Self.text(&message, 0x0123_45AF, 3)
        let second = Self.text(&message, 0x0123_45B0, 3)
        #expect(first.hasPrefix("012345af"))
        #expect(second.hasPrefix("012345b0"))
        #expect(first.utf8.count == 40)
        #expect(first.dropFirst(8).prefix(8) != second.dropFirst(8).prefix(8))
        #expect(first.dropFirst(16) == second.dropFirst(16))
        #expect(Self.text(&message, 0x0123_45AF, 4) != first, "another connection has another message")
        #expect(Self.text(&message, 0x0123_45AF, 3) == first)
    }

    @Test("a short message is the end of the number and the end of the hash", arguments: 1...17)
    func shortForms(byteCount: Int) {
        var (long, short) = (
            Self.text(byteCount: 16, number: 0xFEDC_BA98), Self.text(byteCount: byteCount, number: 0xFEDC_BA98)
        )
        let numberDigits = min(8, (byteCount + 1) / 2)
        let hashDigits = min(8, byteCount - numberDigits)
        #expect(short.utf8.count == byteCount)
        short = String(short.prefix(16))
        long = String(long.prefix(8).suffix(numberDigits) + long.suffix(hashDigits))
        #expect(short == long)
    }

    @Test(
        "a message is equal to itself and to nothing that differs in one byte",
        arguments: [1, 7, 8, 9, 16, 20, 64, 1001])
    func equality(byteCount: Int) {
        var message = EchoMessage(byteCount: byteCount)
        message.stamp(5, of: 1)
        let bytes = message.withBytes { $0.withUnsafeBytes { Array($0) } }
        #expect(message.isEqual(bytes) == true)
        #expect(message.isEqual(Array(bytes.dropLast())) == false)
        #expect(message.isEqual(bytes + [0]) == false)
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 1
            #expect(message.isEqual(other) == false)
        }
    }

    @Test("the number is found in a reply, from the one that is expected on or before it")
    func numbers() {
        var message = EchoMessage(byteCount: 16)
        for number in [0, 1, 99, 1 << 32 - 1, 1 << 32, 1 << 32 + 5, 1 << 40 + 7] as [UInt64] {
            let reply = Array(Self.text(&message, number, 2).utf8)
            for distance in [0, 1, 1000] as [UInt64] {
                #expect(message.found(in: reply, of: 2, expected: number &+ distance) == number)
                if number >= distance {
                    #expect(message.found(in: reply, of: 2, expected: number - distance) == number)
                }
            }
            #expect(message.found(in: reply, of: 3, expected: number) == nil, "it belongs to another connection")
            #expect(message.found(in: Array(reply.dropLast()), of: 2, expected: number) == nil)
        }
    }

    @Test("digits that are damaged are no number")
    func damage() {
        var message = EchoMessage(byteCount: 20)
        let reply = Array(Self.text(&message, 77, 1).utf8)
        for index in 0..<16 {
            for bit in 0..<8 {
                var damaged = reply
                damaged[index] ^= 1 << bit
                #expect(message.found(in: damaged, of: 1, expected: 70) == nil)
            }
        }
    }

    @Test("a message that was given is the same every time, and has no number")
    func given() {
        var message = EchoMessage(Array("hello".utf8))
        #expect(message.isNumbered == false)
        #expect(Self.text(&message, 1, 1) == "hello")
        #expect(Self.text(&message, 2, 2) == "hello")
        #expect(message.isEqual(Array("hello".utf8)) == true)
        #expect(message.isEqual(Array("hellO".utf8)) == false)
        #expect(message.found(in: Array("hello".utf8), of: 1, expected: 0) == nil)
    }

    private static func text(_ message: inout EchoMessage, _ number: UInt64, _ connection: UInt64) -> String {
        message.stamp(number, of: connection)
        return message.withBytes { String(decoding: $0.withUnsafeBytes { Array($0) }, as: UTF8.self) }
    }

    private static func text(byteCount: Int, number: UInt64) -> String {
        var message = EchoMessage(byteCount: byteCount)
        return text(&message, number, 0)
    }
}

extension EchoMessage {
    fileprivate func isEqual(_ reply: [UInt8]) -> Bool {
        reply.withUnsafeBytes { isEqual(to: $0.bytes) }
    }

    fileprivate func found(in reply: [UInt8], of connection: UInt64, expected: UInt64) -> UInt64? {
        reply.withUnsafeBytes { number(in: $0.bytes, of: connection, expected: expected) }
    }
}
