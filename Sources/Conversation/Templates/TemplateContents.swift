import Formats
import WSCore

extension Template {
    /// The parsed text. Copying a template counts only one reference.
    final class Contents: Equatable, Sendable {
        let literals: [UInt8]
        let paths: [JSONPath]
        let parts: [Part]
        let filteredParts: [FilteredPart]
        let programs: [(command: String, outputs: ProgramOutputs)]
        let requestValues: [RequestedValue]
        let maximumByteCount: Int?
        let insertsSecret: Bool
        let percentEncodesValues: Bool
        let allowsBytes: Bool

        init(
            literals: [UInt8], paths: [JSONPath] = [], parts: [Part], filteredParts: [FilteredPart] = [],
            programs: [(command: String, outputs: ProgramOutputs)] = [],
            requestValues: [RequestedValue] = [],
            insertsSecret: Bool = false, percentEncodesValues: Bool = false, allowsBytes: Bool = false
        ) {
            self.literals = literals
            self.paths = paths
            self.parts = parts
            self.filteredParts = filteredParts
            self.programs = programs
            self.requestValues = requestValues
            self.insertsSecret = insertsSecret
            self.percentEncodesValues = percentEncodesValues
            self.allowsBytes = allowsBytes
            maximumByteCount = parts.reduce(0) { sum, part in
                sum.flatMap { sum in part.maximumByteCount.map { sum + $0 } }
            }
        }

        static func == (one: Contents, other: Contents) -> Bool {
            one.literals == other.literals && one.paths == other.paths && one.parts == other.parts
                && one.filteredParts == other.filteredParts
                && one.programs.elementsEqual(other.programs, by: ==)
                && one.requestValues.map(\.value) == other.requestValues.map(\.value)
                && one.percentEncodesValues == other.percentEncodesValues && one.allowsBytes == other.allowsBytes
        }
    }
}

extension Template.Contents {
    /// Writes parts that all have a bounded size to memory with room for them.
    /// - Returns: The size of the text in bytes.
    @inline(__always)
    func writeBounded(_ stamp: borrowing Template.Stamp, to target: UnsafeMutableRawPointer) -> Int {
        let parts = parts
        var byteCount = 0
        for index in parts.indices {
            byteCount &+= writeBounded(parts[index], at: index, stamp, to: target + byteCount)
        }
        return byteCount
    }

    /// Writes a part with a bounded size to memory with room for it.
    /// - Returns: The size of the part in bytes.
    @inline(__always)
    func writeBounded(
        _ part: Template.Part, at index: Int, _ stamp: borrowing Template.Stamp, to target: UnsafeMutableRawPointer
    ) -> Int {
        switch part {
        case .literal(let start, let end):
            literals.withUnsafeBytes { bytes in
                if let base = bytes.baseAddress { target.copyMemory(from: base + start, byteCount: end - start) }
            }
            return end - start
        case .sequence: return Self.write(stamp.sequence, to: target)
        case .connection: return Self.write(stamp.connection, to: target)
        case .time: return Self.write(stamp.time, to: target)
        case .seconds: return Self.write(stamp.time / 1000, to: target)
        case .integer(let lower, let upper):
            var random = SeededRandom(seed: stamp.seed ^ UInt64(index).byteSwapped)
            let number = Int.random(in: lower...upper, using: &random)
            guard number < 0 else { return Self.write(UInt64(number), to: target) }
            target.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
            return 1 + Self.write(UInt64(number.magnitude), to: target + 1)
        case .iso:
            Self.writeISO(stamp.time, to: target)
            return Template.isoBytes
        case .uuid:
            Self.writeUUID(seed: stamp.seed ^ UInt64(index).byteSwapped ^ Self.uuidSeed, to: target)
            return Template.uuidBytes
        case .random(let count):
            // Parts of a message differ, because the index of the part changes the highest bits of the seed.
            RandomText.write(count, seed: stamp.seed ^ UInt64(index).byteSwapped, to: target)
            return count
        case .variable, .last, .group, .program, .request, .filtered: return 0
        }
    }

    /// Writes a time in RFC 3339.
    /// - Parameter milliseconds: The time since 1970-01-01 UTC; a year beyond 9999 is cut.
    private static func writeISO(_ milliseconds: UInt64, to target: UnsafeMutableRawPointer) {
        let time = CalendarTime(
            WallTime(seconds: Int(clamping: milliseconds / 1000), microseconds: 0), in: .utc)
        let parts =
            [
                (time.year, 4, "-"), (time.month, 2, "-"), (time.day, 2, "T"), (time.hour, 2, ":"),
                (time.minute, 2, ":"),
                (time.second, 2, "."), (Int(milliseconds % 1000), 3, "Z"),
            ] as [(Int, Int, Unicode.Scalar)]
        var offset = 0
        for (number, digitCount, end) in parts {
            var rest = number
            for index in (offset..<offset + digitCount).reversed() {
                target.storeBytes(of: UInt8(ascii: "0") + UInt8(rest % 10), toByteOffset: index, as: UInt8.self)
                rest /= 10
            }
            offset += digitCount
            target.storeBytes(of: UInt8(ascii: end), toByteOffset: offset, as: UInt8.self)
            offset += 1
        }
    }

    /// Services reject a UUID that they know from an earlier run, so runs differ.
    private static let uuidSeed = UInt64.random(in: .min ... .max)

    /// Writes a UUID of version 4 that depends only on the seed.
    private static func writeUUID(seed: UInt64, to target: UnsafeMutableRawPointer) {
        // Similar seeds would generate similar numbers.
        var seeds = SeededRandom(seed: seed)
        var random = SeededRandom(seed: seeds.next())
        // RFC 9562 §4: the version is in the first digit of the third group, and the variant in that of the fourth.
        let high = random.next() & ~0xF000 | 0x4000
        let low = random.next() & ~(3 << 62) | 2 << 62
        var offset = 0
        for index in 0..<32 {
            let word = index < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - index % 16 * 4) & 0xF)
            if [8, 12, 16, 20].contains(index) {
                target.storeBytes(of: UInt8(ascii: "-"), toByteOffset: offset, as: UInt8.self)
                offset += 1
            }
            let base = digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10
            target.storeBytes(of: base + digit, toByteOffset: offset, as: UInt8.self)
            offset += 1
        }
    }

    /// Writes a number in decimal.
    /// - Returns: The number of digits.
    private static func write(_ number: UInt64, to target: UnsafeMutableRawPointer) -> Int {
        var digitCount = 1
        var bound: UInt64 = 10
        while number >= bound, digitCount < Template.mostDigits {
            digitCount += 1
            bound = digitCount < Template.mostDigits ? bound * 10 : .max
        }
        var rest = number
        var index = digitCount
        while index > 0 {
            index -= 1
            target.storeBytes(of: UInt8(ascii: "0") + UInt8(rest % 10), toByteOffset: index, as: UInt8.self)
            rest /= 10
        }
        return digitCount
    }
}
