/// HTTP dates (RFC 9110 §5.6.7), in seconds since 1970-01-01 00:00 UTC.
enum HTTPDate {
    /// Parses a date in any of the three formats. Returns `nil` if `text` is not a date.
    /// - Parameter now: The current time, which determines the century of a two-digit year.
    static func seconds(parsing text: String, now: Int) -> Int? {
        let bytes = Array(text.utf8)
        for (weekdays, form) in forms {
            for weekday in weekdays where bytes.starts(with: weekday.utf8) {
                guard let fields = DateFields(bytes[weekday.utf8.count...], form: form) else { continue }
                return fields.seconds(now: now)
            }
        }
        return nil
    }

    /// Formats a date, as in `Sun, 06 Nov 1994 08:49:37 GMT`. Clamps it to the years 1 through 9999.
    static func text(ofSeconds seconds: Int) -> String {
        let fromFirst = min(max(seconds, firstSecond), lastSecond) - firstSecond
        let time = fromFirst % secondsOfDay
        let (year, month, day) = CalendarDay.date(ofDay: CalendarDay.first + fromFirst / secondsOfDay)
        // 0001-01-01 was a Monday.
        let weekday = shortWeekdays[(fromFirst / secondsOfDay + 1) % 7]
        var text = form
        text.replaceSubrange(0..<3, with: weekday.utf8)
        write(day, at: 5, of: &text)
        text.replaceSubrange(8..<11, with: months[month - 1].utf8)
        write(year / 100, at: 12, of: &text)
        write(year % 100, at: 14, of: &text)
        write(time / 3600, at: 17, of: &text)
        write(time / 60 % 60, at: 20, of: &text)
        write(time % 60, at: 23, of: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// The form of dates to generate.
    private static let form = Array("DDD, DD MMM YYYY hh:mm:ss GMT".utf8)

    /// Writes two digits.
    private static func write(_ number: Int, at index: Int, of text: inout [UInt8]) {
        text[index] = UInt8(ascii: "0") + UInt8(number / 10)
        text[index + 1] = UInt8(ascii: "0") + UInt8(number % 10)
    }

    /// RFC 9110 §5.6.7: IMF-fixdate, the only format to generate, and the obsolete formats of RFC 850 and asctime.
    private static let forms: [(weekdays: [String], form: String)] = [
        (shortWeekdays, ", DD BBB YYYY hh:mm:ss GMT"),
        (weekdays, ", DD-BBB-yy hh:mm:ss GMT"),
        (shortWeekdays, " BBB _D hh:mm:ss YYYY"),
    ]

    fileprivate static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let shortWeekdays = weekdays.map { String($0.prefix(3)) }
    fileprivate static let secondsOfDay = 86400
    private static let firstSecond = CalendarDay.first * secondsOfDay
    private static let lastSecond = CalendarDay.number(year: 10000, month: 1, day: 1) * secondsOfDay - 1
}

/// The fields of a parsed date.
private struct DateFields {
    private var year = 0
    private var hasShortYear = false
    private var month = 0
    private var day = 0
    private var hour = 0
    private var minute = 0
    private var second = 0

    /// Parses text according to a format: `D` is a digit of the day, `_` a digit or space, `B` a letter of the month,
    /// `Y` and `y` a digit of the year, and `h`, `m`, and `s` digits of the time. All other characters match
    /// themselves.
    init?(_ text: ArraySlice<UInt8>, form: String) {
        guard text.count == form.utf8.count else { return nil }
        var monthName: [UInt8] = []
        for (byte, place) in zip(text, form.utf8) {
            switch (place, ASCII.isDigit(byte) ? Int(byte - UInt8(ascii: "0")) : nil) {
            case (UInt8(ascii: "B"), _): monthName.append(byte)
            case (UInt8(ascii: "D"), let digit?), (UInt8(ascii: "_"), let digit?): day = day * 10 + digit
            case (UInt8(ascii: "_"), nil) where byte == ASCII.space: break
            case (UInt8(ascii: "Y"), let digit?): year = year * 10 + digit
            case (UInt8(ascii: "y"), let digit?):
                year = year * 10 + digit
                hasShortYear = true
            case (UInt8(ascii: "h"), let digit?): hour = hour * 10 + digit
            case (UInt8(ascii: "m"), let digit?): minute = minute * 10 + digit
            case (UInt8(ascii: "s"), let digit?): second = second * 10 + digit
            default: if byte != place || "D_YyhmsB".utf8.contains(place) { return nil }
            }
        }
        guard let index = HTTPDate.months.firstIndex(where: { $0.utf8.elementsEqual(monthName) }) else { return nil }
        month = index + 1
    }

    /// The time, or `nil` if it does not exist.
    func seconds(now: Int) -> Int? {
        guard let seconds = seconds(inYear: hasShortYear ? year + 2000 : year) else { return nil }
        // RFC 9110 §5.6.7: a date more than 50 years in the future means the most recent past year with the same two
        // digits.
        guard hasShortYear, seconds > now + Self.secondsOf50Years else { return seconds }
        return self.seconds(inYear: year + 1900)
    }

    private func seconds(inYear year: Int) -> Int? {
        // RFC 9110 §5.6.7: 60 is a leap second.
        guard year > 0, hour < 24, minute < 60, second <= 60, day > 0,
            day <= CalendarDay.count(ofMonth: month, year: year)
        else { return nil }
        let time = hour * 3600 + minute * 60 + second
        return CalendarDay.number(year: year, month: month, day: day) * HTTPDate.secondsOfDay + time
    }

    private static let secondsOf50Years = 50 * 365 * HTTPDate.secondsOfDay + 12 * HTTPDate.secondsOfDay
}
