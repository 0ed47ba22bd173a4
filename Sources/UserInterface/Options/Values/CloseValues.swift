import CommandLine

/// The code of a close frame.
package enum CloseCodeValue {
    /// Parses a code that a frame may contain (RFC 6455 §7.4): not 1004 to 1006, nor 1015.
    package static func parse(_ text: String) throws(ValueProblem) -> UInt16 {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), let code = UInt16(text) else {
            throw .notACloseCode
        }
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: return code
        default: throw .notACloseCode
        }
    }
}

/// The reason in a close frame.
package enum CloseReasonValue {
    // RFC 6455 §5.5: a control frame carries at most 125 bytes, and the code takes two of them.
    /// The maximum size of a reason in bytes of UTF-8.
    package static let longestBytes = 123

    /// Accepts a reason of up to ``longestBytes``.
    package static func parse(_ text: String) throws(ValueProblem) -> String {
        let byteCount = text.utf8.count
        guard byteCount <= longestBytes else { throw .tooLong(byteCount: byteCount, limit: longestBytes) }
        return text
    }
}

/// When `wsx listen` closes a client.
package enum CloseLimit: Equatable, Sendable {
    /// After this many messages of the client.
    case messages(Int)
    /// After this time since the client connected.
    case time(Duration)
}

/// The limit at which a client is closed: a number of messages, `5` or `1k`, or a time with a unit, `500ms` or `5s`.
package enum CloseLimitValue {
    /// Parses a text with a unit of time as a time, and any other text as a count: `5m` is minutes, `5M` millions.
    package static func parse(_ text: String) throws(ValueProblem) -> CloseLimit {
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
