/// The status code of a close frame that an endpoint may send.
enum CloseCodeValue {
    /// Reads a code from RFC 6455 §7.4 that may appear in a frame: not 1004 to 1006, nor 1015.
    static func parse(_ text: String) throws(ValueProblem) -> UInt16 {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let code = UInt16(text) else {
            throw .notACloseCode
        }
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: return code
        default: throw .notACloseCode
        }
    }
}
