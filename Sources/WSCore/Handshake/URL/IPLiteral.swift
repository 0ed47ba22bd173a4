/// Parses the textual forms of IP addresses. Host names and shortened IPv4 addresses are rejected.
enum IPLiteral {
    /// The four bytes of `a.b.c.d` in decimal without leading zeros, or `nil`.
    static func ipv4(_ text: some StringProtocol) -> [UInt8]? { ipv4(Array(text.utf8).span) }

    /// Whether the text is an IPv4 address.
    static func isIPv4(_ text: String) -> Bool { ipv4Number(text.utf8.span) != nil }

    /// The sixteen bytes of an IPv6 address without brackets and zone (RFC 4291 §2.2), or `nil`.
    static func ipv6(_ text: some StringProtocol) -> [UInt8]? {
        var parts = Array(text.utf8).split(separator: ASCII.colon, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts.count <= 10 else { return nil }
        // A leading or trailing colon must be half of a "::". The other half leaves an empty part inside.
        if parts[0].isEmpty {
            guard parts[1].isEmpty else { return nil }
            parts.removeFirst()
        }
        if parts[parts.count - 1].isEmpty {
            guard parts[parts.count - 2].isEmpty else { return nil }
            parts.removeLast()
        }
        var bytes: [UInt8] = []
        var gap: Int?
        for (index, part) in parts.enumerated() {
            if part.isEmpty {
                guard gap == nil else { return nil }
                gap = bytes.count
            } else if index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let address = ipv4(part.span) else { return nil }
                bytes += address
            } else {
                guard let group = hexGroup(part) else { return nil }
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            }
        }
        guard let gap else { return bytes.count == 16 ? bytes : nil }
        // RFC 4291 §2.2: "::" replaces at least one group of zeros.
        guard bytes.count <= 14 else { return nil }
        bytes.insert(contentsOf: [UInt8](repeating: 0, count: 16 - bytes.count), at: gap)
        return bytes
    }

    private static func ipv4(_ text: Span<UInt8>) -> [UInt8]? {
        ipv4Number(text).map { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    }

    /// The address as a number in host byte order, or `nil` if the text is not one.
    private static func ipv4Number(_ text: Span<UInt8>) -> UInt32? {
        var address: UInt32 = 0
        var dotCount = 0
        /// The number so far, or nil before its first digit.
        var number: UInt32?
        for index in text.indices {
            let byte = text[index]
            if ASCII.isDigit(byte) {
                guard number != 0 else { return nil }
                number = (number ?? 0) * 10 + UInt32(byte - UInt8(ascii: "0"))
                guard let number, number <= 255 else { return nil }
            } else {
                guard byte == UInt8(ascii: "."), let complete = number, dotCount < 3 else { return nil }
                address = address << 8 | complete
                dotCount += 1
                number = nil
            }
        }
        guard dotCount == 3, let number else { return nil }
        return address << 8 | number
    }

    private static func hexGroup(_ part: ArraySlice<UInt8>) -> UInt16? {
        guard part.count <= 4 else { return nil }
        var group: UInt16 = 0
        for byte in part {
            guard let digit = ASCII.hexValue(byte) else { return nil }
            group = group << 4 | UInt16(digit)
        }
        return group
    }
}
