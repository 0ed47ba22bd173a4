import Formats
import Foundation
import WSCore

@testable import Peer
@testable import UserInterface

extension FuzzTarget {
    /// Decoding and encoding of hexadecimal digits and Base64.
    ///
    /// - A second Base64 decoder agrees after normalization of the alphabet and the padding.
    /// - Bytes survive encoding and decoding. Text survives decoding and encoding, except for case and blanks.
    static let encodedInput = FuzzTarget(name: "encoded-input") { input in
        var digits = ByteBuffer()
        HexDigits.append(input.span.bytes, to: &digits)
        expectEqual(decoded(contents(of: digits), .hex), input, "hexadecimal digits, written and read")
        var base64 = ByteBuffer()
        Base64.append(input.span.bytes, to: &base64)
        expectEqual(decoded(contents(of: base64), .base64), input, "Base64, written and read")

        if let bytes = decoded(input, .hex) {
            let plain = input.filter { !$0.isBlank }
            var written = ByteBuffer()
            HexDigits.append(bytes.span.bytes, to: &written)
            let lowercase = String(decoding: plain, as: UTF8.self).lowercased()
            expectEqual(contents(of: written), Array(lowercase.utf8), "hexadecimal digits, read and written")
        }
        if let bytes = decoded(input, .base64) {
            var plain = String(decoding: input, as: UTF8.self).trimmingCharacters(
                in: CharacterSet(charactersIn: " \t\r"))
            plain = plain.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            plain += String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
            expectEqual(Data(base64Encoded: plain).map { Array($0) }, bytes, "Base64, read by another")
        }
    }

    private static func decoded(_ text: [UInt8], _ format: InputFormat) -> [UInt8]? {
        var decoder = InputDecoder(format, as: .binary)
        guard (try? decoder.decode(text.span.bytes)) != nil else { return nil }
        return decoder.withPayload(of: text.span.bytes) { bytes(of: $0) }
    }
}
