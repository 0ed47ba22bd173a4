/// Dates of the Gregorian calendar, and their number counted from the first of January 1970.
enum CalendarDay {
    /// The number of days of a month (1 through 12).
    static func count(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The number of a date of the year 1 or later.
    static func number(year: Int, month: Int, day: Int) -> Int {
        // Years that begin in March have their leap day at the end, and months of 153 days in five.
        let marchYear = month > 2 ? year : year - 1
        let marchMonth = (month + 9) % 12
        let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
        return marchYear * 365 + leapDays + (153 * marchMonth + 2) / 5 + day - 1 - daysBefore1970
    }

    /// The date of the year 1 or later with this number.
    static func date(ofDay number: Int) -> (year: Int, month: Int, day: Int) {
        // Eras of 400 years have 146,097 days each; within one, leap days come every 1461, but for centuries.
        let days = number + daysBefore1970
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = days / 146_097 * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    /// The number of the first day of the year 1.
    static let first = number(year: 1, month: 1, day: 1)

    /// From the first of March of the year 0.
    private static let daysBefore1970 = 719_468
}
