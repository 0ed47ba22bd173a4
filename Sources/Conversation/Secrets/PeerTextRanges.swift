import WSCore

/// Finds text of a peer in a line of ours.
enum PeerTextRanges {
    /// The texts between double quotes, and the paths and queries of URLs.
    static func ranges(in line: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var index = 0
        while index < line.count {
            if line[index] == UInt8(ascii: "\"") {
                let end = quotationEnd(in: line, from: index + 1)
                ranges.append(index + 1..<end)
                index = end + 1
            } else if line[index...].starts(with: "://".utf8) {
                let url = line[(index + 3)...].prefix { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: "\"") }
                let target = url.drop { !"/?".utf8.contains($0) }
                if !target.isEmpty { ranges.append(target.startIndex..<target.endIndex) }
                index = url.endIndex
            } else {
                index += 1
            }
        }
        return ranges
    }

    /// The text without the escapes of quotes and backslashes, as ``quoted(_:)`` writes them.
    static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var unescaped: [UInt8] = []
        var isEscaped = false
        for byte in text {
            if byte == UInt8(ascii: "\\"), !isEscaped {
                isEscaped = true
                continue
            }
            if isEscaped, !isEscapable(byte) { unescaped.append(UInt8(ascii: "\\")) }
            isEscaped = false
            unescaped.append(byte)
        }
        return isEscaped ? unescaped + [UInt8(ascii: "\\")] : unescaped
    }

    /// The text with these escapes.
    static func escaped(_ text: [UInt8]) -> [UInt8] {
        text.flatMap { isEscapable($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
    }

    private static func isEscapable(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }

    /// The index of the closing quote, or the end. A backslash precedes a quote that is a part of the text.
    private static func quotationEnd(in line: [UInt8], from start: Int) -> Int {
        var index = start
        while index < line.count, line[index] != UInt8(ascii: "\"") {
            index += line[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, line.count)
    }
}
