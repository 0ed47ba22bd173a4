/// The part of a file that a request asks for (RFC 9110 §14).
enum ByteRange: Equatable {
    /// The whole file: the request has no range, several ranges, or a malformed range. Browsers do not request several
    /// ranges, and attackers have used `multipart/byteranges` to exhaust servers.
    case whole
    /// A nonempty range.
    case part(Range<Int>)
    /// The range has no bytes in common with the file.
    case unsatisfiable

    /// Parses the values of the Range field for a file of `size` bytes.
    init(parsing values: [String], size: Int) {
        // RFC 9110 §14.2: a server may ignore Range. It must ignore unknown units and malformed ranges.
        self = .whole
        guard values.count == 1, let set = Self.bytesUnit(values[0]) else { return }
        let specifiers = set.split(separator: UInt8(ascii: ",")).map { ASCII.trimmed($0) }.filter { !$0.isEmpty }
        guard specifiers.count == 1, let dash = specifiers[0].firstIndex(of: UInt8(ascii: "-")) else { return }
        let (first, last) = (specifiers[0][..<dash], specifiers[0][(dash + 1)...])
        guard first.allSatisfy(ASCII.isDigit), last.allSatisfy(ASCII.isDigit) else { return }
        switch (Self.number(first), Self.number(last)) {
        case (nil, let suffixBytes?):
            // RFC 9110 §14.1.3: a suffix range. For an empty file it is the whole file, which Content-Range cannot
            // express.
            guard suffixBytes > 0 else {
                self = .unsatisfiable
                return
            }
            if size > 0 { self = .part(max(0, size - suffixBytes)..<size) }
        case (let start?, let end):
            // RFC 9110 §14.1.1: an end before the start makes the range invalid.
            if let end, end < start { return }
            self = start < size ? .part(start..<min(size - 1, end ?? .max) + 1) : .unsatisfiable
        case (nil, nil): break
        }
    }

    /// The part after `bytes=`.
    private static func bytesUnit(_ value: String) -> ArraySlice<UInt8>? {
        let bytes = Array(value.utf8)
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        // RFC 9110 §14.1: range units are case-insensitive.
        guard bytes[..<equals].map(ASCII.lowercased).elementsEqual("bytes".utf8) else { return nil }
        return bytes[(equals + 1)...]
    }

    /// Parses digits. Returns `nil` if there are none, and saturates on overflow.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty else { return nil }
        return Int(String(decoding: digits, as: UTF8.self)) ?? .max
    }
}
