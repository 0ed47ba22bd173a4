import CommandLine

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

/// The text of a close frame.
enum CloseReasonValue {
    // RFC 6455 §5.5: a control frame carries at most 125 bytes, of which the code takes two.
    /// The most bytes of UTF-8 that a reason may have.
    static let longestBytes = 123

    /// Reads a reason of at most ``longestBytes``.
    static func parse(_ text: String) throws(ValueProblem) -> String {
        let byteCount = text.utf8.count
        guard byteCount <= longestBytes else { throw .tooLong(byteCount: byteCount, limit: longestBytes) }
        return text
    }
}

/// When a client is closed: after a number of messages, `5` or `1k`, or after a time with its unit, `500ms` or `5s`.
enum CloseLimitValue {
    /// Reads a time where there is the unit of one, and a count elsewhere: `5m` is minutes, and `5M` are millions.
    static func parse(_ text: String) throws(ValueProblem) -> CloseLimit {
        do throws(ValueProblem) {
            let isTime = text.hasSuffix("s") || text.hasSuffix("m") || text.hasSuffix("h")
            return isTime
                ? .time(try DurationValue.parse(text, zeroAllowed: false)) : .messages(try CountValue.parse(text))
        } catch {
            switch error {
            case .notADuration, .notACount: throw .notACloseLimit
            default: throw error
            }
        }
    }
}
