/// Converts between Gregorian dates and day numbers. Day 0 is 1970-01-01.
enum CalendarDay {
    /// The number of days in a month (1 through 12).
    static func count(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The day number of a date in year 1 or later.
    static func number(year: Int, month: Int, day: Int) -> Int {
        // In years that begin in March, the leap day comes last, and every five months have 153 days.
        let marchYear = month > 2 ? year : year - 1
        let marchMonth = (month + 9) % 12
        let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
        return marchYear * 365 + leapDays + (153 * marchMonth + 2) / 5 + day - 1 - daysBefore1970
    }

    /// The date of a day number, in year 1 or later.
    static func date(ofDay number: Int) -> (year: Int, month: Int, day: Int) {
        // Each era of 400 years has 146,097 days. Within an era, a leap day comes every 1,461 days, except at most
        // centuries.
        let days = number + daysBefore1970
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = days / 146_097 * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    /// The number of 0001-01-01.
    static let first = number(year: 1, month: 1, day: 1)

    /// Counted from 0000-03-01.
    private static let daysBefore1970 = 719_468
}
