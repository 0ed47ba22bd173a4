/// Parses the dates of cookies, which servers write in many formats (RFC 6265 §5.1.1).
enum CookieDate {
    /// Parses a date. Returns the seconds since 1970-01-01 00:00 UTC, or `nil` if `text` is not a date.
    static func seconds(parsing text: String) -> Int? {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        // RFC 6265 §5.1.1 step 2: each token is the first of these productions that it matches and that is still
        // missing.
        for token in Array(text.utf8).split(whereSeparator: isDelimiter) {
            if time == nil, let found = Self.time(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = Self.month(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year else { return nil }
        // RFC 6265 §5.1.1 steps 3 and 4: two digits mean 1970 through 2069.
        switch year {
        case 70...99: year += 1900
        case 0...69: year += 2000
        default: break
        }
        // RFC 6265 §5.1.1 step 5.
        guard (1...31).contains(day), year >= 1601, time.hour <= 23, time.minute <= 59, time.second <= 59,
            day <= CalendarDay.count(ofMonth: month, year: year)
        else { return nil }
        return CalendarDay.number(year: year, month: month, day: day) * 86400 + time.hour * 3600 + time.minute * 60
            + time.second
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// `time = hms-time ( non-digit *OCTET )`, with one or two digits per field.
    private static func time(_ token: ArraySlice<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
        let fields = token.split(separator: ASCII.colon, maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0].allSatisfy(ASCII.isDigit), fields[1].allSatisfy(ASCII.isDigit),
            let hour = number(fields[0], digits: 1...2), let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    /// Parses a number. Anything but another digit may follow.
    private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
        let text = token.prefix(while: ASCII.isDigit)
        guard digits.contains(text.count) else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// The month, 1 through 12, for a token that begins with its three letters.
    private static func month(_ token: ArraySlice<UInt8>) -> Int? {
        let name = token.prefix(3).map(ASCII.lowercased)
        return months.firstIndex { $0.utf8.elementsEqual(name) }.map { $0 + 1 }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
}
