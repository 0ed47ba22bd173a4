import Formats
import WSCore

/// Formats bytes as hexadecimal digits with their text beside them.
///
///     0000  68 65 6c 6c 6f 2c 20 77  6f 72 6c 64 0a 00 01 02  hello, world....
///     0010  ff                                                .
enum HexDump {
    /// The number of bytes per line.
    static let lineBytes = 16

    /// The width of a line in characters.
    static func width(ofBytes byteCount: Int) -> Int {
        guard byteCount > lineBytes else { return byteCount * 4 + (byteCount > lineBytes / 2 ? 2 : 1) }
        return offsetDigits(byteCount) + 2 + digitsWidth + 2 + lineBytes
    }

    /// Formats bytes until the target is full. Bytes that fit on one line have no offset.
    static func write(_ payload: RawSpan, to target: inout some (LayoutTarget & ~Copyable)) {
        guard payload.byteCount > lineBytes else {
            guard payload.byteCount > 0 else { return }
            append(digits(payload), to: &target, as: nil)
            return append("  " + text(payload), to: &target, as: .string)
        }
        let width = offsetDigits(payload.byteCount)
        for start in stride(from: 0, to: payload.byteCount, by: lineBytes) {
            if start > 0 { target.beginLine(indentedBy: 0) }
            guard !target.isFull else { return }
            let line = payload.extracting(start..<min(start + lineBytes, payload.byteCount))
            let number = String(start, radix: 16)
            append(String(repeating: "0", count: width - number.count) + number, to: &target, as: .quiet)
            let digits = digits(line)
            let padding = String(repeating: " ", count: digitsWidth - digits.count + 2)
            append("  " + digits + padding, to: &target, as: nil)
            append(text(line), to: &target, as: .string)
        }
    }

    /// Two digits per byte, separated by spaces, with an additional space in the middle.
    private static let digitsWidth = lineBytes * 3

    private static func offsetDigits(_ byteCount: Int) -> Int {
        max(4, String(byteCount - 1, radix: 16).count)
    }

    static func digits(_ bytes: RawSpan) -> String {
        var text = ""
        for index in 0..<bytes.byteCount {
            if index > 0 { text += index == lineBytes / 2 ? "  " : " " }
            let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            text.unicodeScalars.append(Unicode.Scalar(HexDigits.digit(byte >> 4)))
            text.unicodeScalars.append(Unicode.Scalar(HexDigits.digit(byte & 0xF)))
        }
        return text
    }

    /// The bytes as ASCII, with a dot for each unprintable byte.
    static func text(_ bytes: RawSpan) -> String {
        bytes.withUnsafeBytes { bytes in
            String(decoding: bytes.map { 0x20...0x7E ~= $0 ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
        }
    }

    private static func append(
        _ text: String, to target: inout some (LayoutTarget & ~Copyable), as style: Palette.Style?
    ) {
        var text = text
        text.withUTF8 { target.append(UnsafeRawBufferPointer($0).bytes, as: style) }
    }
}
