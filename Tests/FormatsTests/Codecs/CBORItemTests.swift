import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct CBORItemTests {
    /// The items of a message.
    private func items(_ message: [UInt8]) throws(CodecProblem) -> [CBORItem] {
        var reader = CBORItemReader()
        var items: [CBORItem] = []
        while reader.offset < message.count { items.append(try reader.next(in: message.span.bytes)) }
        return items
    }

    private func written(_ write: (inout ByteBuffer) -> Void) -> [UInt8] {
        var buffer = ByteBuffer()
        write(&buffer)
        return buffer.withReadableBytes { span in span.withUnsafeBytes { Array($0) } }
    }

    @Test(
        "RFC 8949 §3.1: the major type tells what the argument means",
        arguments: [
            ("0a", .unsigned(10)), ("17", .unsigned(23)), ("1818", .unsigned(24)), ("190102", .unsigned(0x102)),
            ("1a01020304", .unsigned(0x102_0304)), ("1b0102030405060708", .unsigned(0x102_0304_0506_0708)),
            ("1bffffffffffffffff", .unsigned(.max)),
            ("29", .negative(9)), ("3903e7", .negative(999)), ("3bffffffffffffffff", .negative(.max)),
            ("40", .string(.bytes, 1..<1)), ("43010203", .string(.bytes, 1..<4)), ("5800", .string(.bytes, 2..<2)),
            ("6161", .string(.text, 1..<2)), ("7900026162", .string(.text, 3..<5)),
            ("80", .array(count: 0)), ("83", .array(count: 3)), ("9bffffffffffffffff", .array(count: .max)),
            ("a2", .map(count: 2)), ("ba00010000", .map(count: 65536)),
            ("c1", .tag(1)), ("d9d9f7", .tag(55799)), ("dbffffffffffffffff", .tag(.max)),
            ("e0", .simple(0)), ("f3", .simple(19)), ("f6", .simple(CBORSimpleValue.null)), ("f820", .simple(32)),
            ("f8ff", .simple(255)),
            ("f93e00", .float(1.5)), ("fa3fc00000", .float(1.5)), ("fb3ff8000000000000", .float(1.5)),
            // RFC 8949 §3.2.
            ("5f", .stringInParts(.bytes)), ("7f", .stringInParts(.text)), ("9f", .array(count: nil)),
            ("bf", .map(count: nil)), ("ff", .end),
        ] as [(String, CBORItem)])
    func item(message: String, item: CBORItem) throws {
        let message = bytes(message)
        try expectEqual(items(message), [item])
        for count in message.indices {
            var reader = CBORItemReader()
            #expect(throws: CodecProblem.truncated) { try reader.next(in: message.span.bytes.extracting(first: count)) }
        }
    }

    @Test("RFC 8949 Appendix B: of all first bytes, only the reserved ones are not well-formed")
    func firstBytes() throws {
        let reserved: Set<UInt8> = [
            0x1C, 0x1D, 0x1E, 0x1F, 0x3C, 0x3D, 0x3E, 0x3F, 0x5C, 0x5D, 0x5E, 0x7C, 0x7D, 0x7E, 0x9C, 0x9D, 0x9E,
            0xBC, 0xBD, 0xBE, 0xDC, 0xDD, 0xDE, 0xDF, 0xFC, 0xFD, 0xFE,
        ]
        let argumentBytes: [UInt8: Int] = [24: 1, 25: 2, 26: 4, 27: 8]
        for first in UInt8.min...UInt8.max {
            let information = first & 0x1F
            // The argument is 32, or in the first byte. 32 bytes follow, which only strings contain.
            let size = argumentBytes[information] ?? 0
            let argument = size > 0 ? [UInt8](repeating: 0, count: size - 1) + [32] : []
            let message = [0, first] + argument + [UInt8](repeating: 0xAA, count: 32)
            var reader = CBORItemReader()
            try expectEqual(reader.next(in: message.span.bytes), .unsigned(0))
            guard !reserved.contains(first) else {
                #expect(throws: CodecProblem.malformed(offset: 1)) { try reader.next(in: message.span.bytes) }
                continue
            }
            _ = try reader.next(in: message.span.bytes)
            let isString = 0x40..<0x80 ~= first && information != 31
            let stringBytes = !isString ? 0 : size > 0 ? 32 : Int(information)
            expectEqual(reader.offset, 2 + size + stringBytes, "\(first)")
        }
    }

    @Test("RFC 8949 §3.3: a simple value below 32 in two bytes is not well-formed", arguments: UInt8(0)..<32)
    func shortSimpleValue(value: UInt8) {
        #expect(throws: CodecProblem.malformed(offset: 0)) { try items([0xF8, value]) }
    }

    @Test(
        "A string longer than the data is incomplete, whatever its length is",
        arguments: [
            "42ff", "58ff00", "7affffffff00", "5b7fffffffffffffff00", "5b8000000000000000", "7bffffffffffffffff",
        ])
    func longString(message: String) {
        #expect(throws: CodecProblem.truncated) { try items(bytes(message)) }
    }

    @Test("Items follow each other without a gap")
    func sequence() throws {
        let message = bytes("8201 9f 6161 ff 4100 f97e00")
        let items = try items(message)
        expectEqual(
            items.dropLast(),
            [
                .array(count: 2), .unsigned(1), .array(count: nil), .string(.text, 4..<5), .end, .string(.bytes, 7..<8),
            ])
        guard case .float(let number) = items.last else {
            Issue.record("no float")
            return
        }
        expectTrue(number.isNaN)
    }

    @Test("RFC 8949 Appendix D: every half-precision number has its value")
    func halfPrecision() throws {
        for bits in UInt16.min...UInt16.max {
            let message = [0xF9, UInt8(bits >> 8), UInt8(bits & 0xFF)]
            guard case .float(let number) = try items(message).first else {
                Issue.record("no float: \(bits)")
                continue
            }
            let exponent = Int(bits >> 10 & 0x1F)
            let fraction = Double(bits & 0x3FF)
            let magnitude =
                switch exponent {
                case 0: Double(sign: .plus, exponent: -24, significand: fraction)
                case 31: fraction == 0 ? Double.infinity : .nan
                default: Double(sign: .plus, exponent: exponent - 25, significand: fraction + 1024)
                }
            let expected = bits & 0x8000 == 0 ? magnitude : -magnitude
            let isSame = expected.isNaN ? number.isNaN : number.bitPattern == expected.bitPattern
            if !isSame { Issue.record("\(bits): \(number), not \(expected)") }
        }
    }

    @Test(
        "RFC 8949 §4.1: heads have the shortest form",
        arguments: [
            (0, "80"), (23, "97"), (24, "9818"), (255, "98ff"), (256, "990100"), (65535, "99ffff"),
            (65536, "9a00010000"), (4_294_967_295, "9affffffff"), (4_294_967_296, "9b0000000100000000"),
            (.max, "9bffffffffffffffff"),
        ] as [(UInt64, String)])
    func heads(argument: UInt64, head: String) throws {
        let array = written { CBORItemWriter.append(.array, argument, to: &$0) }
        expectEqual(hex(array), head)
        try expectEqual(items(array), [.array(count: argument)])
        let others = written {
            CBORItemWriter.append(.unsigned, argument, to: &$0)
            CBORItemWriter.append(.negative, argument, to: &$0)
            CBORItemWriter.append(.map, argument, to: &$0)
            CBORItemWriter.append(.tag, argument, to: &$0)
        }
        try expectEqual(
            items(others), [.unsigned(argument), .negative(argument), .map(count: argument), .tag(argument)])
    }

    @Test("Simple values and numbers of any kind are read as they were written")
    func otherItems() throws {
        for value in UInt8.min...UInt8.max where !(24..<32).contains(value) {
            try expectEqual(items(written { CBORItemWriter.append(simple: value, to: &$0) }), [.simple(value)])
        }
        let numbers = [0, -0.0, 1.1, -4.1, .infinity, -.infinity, Double.leastNonzeroMagnitude]
        for number in numbers {
            let message = written { CBORItemWriter.append(number, to: &$0) }
            expectEqual(message.count, 9)
            try expectEqual(items(message), [.float(number)])
        }
    }
}
