import TestSupport
import Testing
import WSCore

@testable import LoadTest

@Suite struct LoadFillingTests {
    private static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        bytes.withUnsafeMutableBytes { LoadFilling.fill($0) }
        return bytes
    }

    private static func areEqual(_ one: [UInt8], _ other: [UInt8], from start: Int = 0) -> Bool {
        var one = one
        return one.withUnsafeMutableBytes { memory in
            LoadFilling.areEqual(
                memory.baseAddress.unsafelyUnwrapped, other.span.bytes, from: start, byteCount: other.count)
        }
    }

    @Test("The filling is the same each time, and consists of letters, digits, -, and _")
    func filling() {
        let bytes = Self.bytes(1000)
        expectEqual(bytes, Self.bytes(1000))
        expectEqual(Set(bytes).count, 64)
        #expect(
            bytes.allSatisfy { byte in
                let scalar = Unicode.Scalar(byte)
                return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || "-_".contains(Character(scalar))
            })
    }

    @Test("A differing byte is found in any position", arguments: 1...40)
    func comparing(count: Int) {
        let bytes = Self.bytes(count)
        expectTrue(Self.areEqual(bytes, bytes))
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 0x80
            expectFalse(Self.areEqual(bytes, other))
            expectTrue(Self.areEqual(bytes, other, from: index + 1), "bytes before the offset are not compared")
        }
    }
}
