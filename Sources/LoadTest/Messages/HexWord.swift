import WSCore

/// 32-bit numbers as eight hexadecimal digits, which are also valid in text messages.
enum HexWord {
    /// Eight hexadecimal digits, the highest first, in their memory representation. Each half byte becomes a byte; the
    /// letters for 10 through 15 need an additional offset of 39.
    @inline(__always)
    static func digits(of number: UInt32) -> UInt64 {
        var word = UInt64(number.byteSwapped)
        word = (word | word &<< 16) & 0x0000_FFFF_0000_FFFF
        word = (word | word &<< 8) & 0x00FF_00FF_00FF_00FF
        word = (word &>> 4 | word &<< 8) & 0x0F0F_0F0F_0F0F_0F0F
        let isLetter = ((word &+ 0x0606_0606_0606_0606) &>> 4) & 0x0101_0101_0101_0101
        // Multiplication would be slower: processors multiply 64-bit lanes slowly when the compiler vectorizes them.
        let letterMask = (isLetter &<< 8) &- isLetter
        return (word &+ 0x3030_3030_3030_3030 &+ (letterMask & 0x2727_2727_2727_2727)).littleEndian
    }

    /// The value of up to eight digits, or `nil` if there are other characters.
    static func value(of digits: RawSpan) -> UInt32? {
        var value: UInt32 = 0
        for index in 0..<digits.byteCount {
            switch digits.unsafeLoad(fromByteOffset: index, as: UInt8.self) {
            case let digit where UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit:
                value = value << 4 | UInt32(digit - UInt8(ascii: "0"))
            case let digit where UInt8(ascii: "a")...UInt8(ascii: "f") ~= digit:
                value = value << 4 | UInt32(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }
}
