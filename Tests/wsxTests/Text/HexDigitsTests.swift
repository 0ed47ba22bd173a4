import Testing

@testable import wsx

@Suite struct HexDigitsTests {
    @Test("the 22 digits are read, the 16 small ones are written, and nothing else is a digit")
    func digits() {
        let digits = Array("0123456789abcdef".utf8)
        for value in UInt8(0)...15 {
            #expect(HexDigits.digit(value) == digits[Int(value)])
        }
        for byte in UInt8.min...UInt8.max {
            #expect(HexDigits.value(byte) == UInt8(String(Unicode.Scalar(byte)), radix: 16))
        }
    }
}
