/// Checks UTF-8 in pieces (RFC 3629 §4).
struct UTF8Checker {
    /// The number of bytes that the current character lacks.
    private var missingCount = 0
    /// The values that the next byte may have.
    private var range: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the bytes so far end with a whole character.
    var isComplete: Bool { missingCount == 0 }

    /// Returns whether the bytes continue valid text.
    mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
        for byte in bytes {
            if missingCount > 0 {
                guard range.contains(byte) else { return false }
                missingCount -= 1
                range = 0x80...0xBF
                continue
            }
            switch byte {
            case 0x00...0x7F: continue
            case 0xC2...0xDF: missingCount = 1
            case 0xE0...0xEF: missingCount = 2
            case 0xF0...0xF4: missingCount = 3
            default: return false
            }
            // Longer forms than needed, surrogates, and values above U+10FFFF.
            switch byte {
            case 0xE0: range = 0xA0...0xBF
            case 0xED: range = 0x80...0x9F
            case 0xF0: range = 0x90...0xBF
            case 0xF4: range = 0x80...0x8F
            default: break
            }
        }
        return true
    }
}
