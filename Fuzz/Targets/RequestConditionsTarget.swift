@testable import WSCore

extension FuzzTarget {
    /// Fields of file requests (ranges, preconditions, dates, and tags), and the input as a single value of each.
    ///
    /// - A satisfiable range lies within the file, and an unsatisfiable one lies outside of it.
    /// - A parsed date survives formatting and parsing.
    /// - Parsed tags survive formatting and parsing.
    /// - A request without preconditions is answered.
    static let requestConditions = FuzzTarget(name: "request-conditions") { input in
        let value = String(decoding: input, as: UTF8.self)
        checkRange([value])
        checkDate(value)
        checkTags([value])
        var parser = HTTPHeadParser(.request, limits: .server)
        let head = Array("GET / HTTP/1.1\r\n".utf8) + input + Array("\r\n\r\n".utf8)
        guard let count = try? parser.receive(head.span.bytes), count > 0, let fields = parser.requestHead?.fields
        else {
            return
        }
        checkRange(fields.all(named: "Range"))
        for field in fields { checkDate(field.value) }
        for name in ["If-Match", "If-None-Match"] { checkTags(fields.all(named: name)) }
        for isWeak in [true, false] {
            let conditions = Preconditions(
                fields, tag: EntityTag(opaque: "tag", isWeak: isWeak), modifiedSeconds: 1_000_000_000, now: now)
            let names = ["If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"]
            if !names.contains(where: fields.contains(named:)) {
                expectEqual(conditions.outcome, .hold, "the outcome without conditions")
            }
            if isWeak, fields.contains(named: "If-Range") {
                expect(!conditions.allowRange, "a weak tag allows a range")
            }
        }
    }

    private static let now = 1_800_000_000

    private static func checkRange(_ values: [String]) {
        for size in [0, 1, 500, Int.max] {
            switch ByteRange(parsing: values, size: size) {
            case .whole: break
            case .part(let range):
                expect(
                    !range.isEmpty && range.lowerBound >= 0 && range.upperBound <= size, "\(range) exceeds \(size)")
                let again = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
                expectEqual(ByteRange(parsing: [again], size: size), .part(range), "the range, written again")
            case .unsatisfiable: expectEqual(values.count, 1, "the number of fields")
            }
        }
    }

    private static func checkDate(_ text: String) {
        guard let seconds = HTTPDate.seconds(parsing: text, now: now) else { return }
        // A leap second is the first second of the next day.
        let written = HTTPDate.text(ofSeconds: seconds)
        let isLast = text.contains("9999") && text.contains(":60")
        expect(isLast || HTTPDate.seconds(parsing: written, now: now) == seconds, "\(text) was written as \(written)")
    }

    private static func checkTags(_ values: [String]) {
        guard case .oneOf(let tags) = EntityTagCondition(parsing: values) else { return }
        // Invalid UTF-8 has been repaired before.
        let written = tags.map(\.text).joined(separator: ", ")
        expectEqual(EntityTagCondition(parsing: [written]), .oneOf(tags), "the tags, written again")
        for tag in tags { expect(tag.isWeaklyEqual(to: tag), "\(tag.text) does not match itself") }
    }
}
