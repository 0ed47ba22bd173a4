import Formats

/// When a load begins.
enum StartTime: Equatable, Sendable {
    /// As soon as all connections are open.
    case soon
    /// At a moment, since the beginning of 1970, UTC.
    case moment(Duration)
    /// So long after the program was started.
    case after(Duration)

    /// Reads a moment as RFC 3339 writes it, one in seconds since 1970, or a time from now, `+5s`.
    static func parse(_ text: String) throws(ValueProblem) -> StartTime {
        if text.first == "+" {
            let time = try DurationValue.parse(String(text.dropFirst()))
            return time == .zero ? .soon : .after(time)
        }
        if let moment = EventTime.parse(text) { return .moment(moment) }
        // A unit would make it a time from now.
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: ".") }) else {
            throw .notAStartTime
        }
        guard let seconds = Double(text), 0..<0x1p40 ~= seconds else { throw .notAStartTime }
        return .moment(.microseconds(Int64((seconds * 1e6).rounded())))
    }
}
