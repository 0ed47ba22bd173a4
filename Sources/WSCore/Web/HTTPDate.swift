/// The dates of HTTP (RFC 9110 §5.6.7), in seconds since the beginning of 1970.
enum HTTPDate {
    /// The date as it is to be written: `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// What lies outside the years 1 through 9999 becomes the nearest that does not.
    static func text(ofSeconds seconds: Int) -> String {
        let seconds = min(max(seconds, firstSecond), lastSecond)
        let (dayNumber, time) = seconds.quotientAndModulus(dividingBy: secondsOfDay)
        let (year, month, day) = CalendarDay.date(ofDay: dayNumber)
        // The first of January 1970 was a Thursday.
        let weekday = (dayNumber + 4).quotientAndModulus(dividingBy: 7).modulus
        let date = "\(padded(day, 2)) \(months[month - 1]) \(padded(year, 4))"
        return "\(weekdays[weekday].prefix(3)), \(date) \(clock(time)) GMT"
    }

    private static func clock(_ second: Int) -> String {
        "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    static let secondsOfDay = 86400
    private static let firstSecond = CalendarDay.number(year: 1, month: 1, day: 1) * secondsOfDay
    private static let lastSecond = CalendarDay.number(year: 10000, month: 1, day: 1) * secondsOfDay - 1
}

extension Int {
    /// The quotient rounded down, and what is left: 0 or more.
    fileprivate func quotientAndModulus(dividingBy divisor: Int) -> (quotient: Int, modulus: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
