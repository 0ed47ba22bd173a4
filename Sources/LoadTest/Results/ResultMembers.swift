import Formats
import WSCore

/// The members of an object, with its path for error messages.
internal struct ResultMembers {
    private let members: [ExactString: JSONValue]
    private let prefix: String

    /// Larger integers are not exact in most JSON parsers.
    static let largestCount = 1 << 53

    init(_ members: [ExactString: JSONValue], within prefix: String) {
        self.members = members
        self.prefix = prefix
    }

    func path(_ name: String) -> String { prefix + name }

    func has(_ name: String) -> Bool { members[ExactString(name)] != nil }

    func isNull(_ name: String) -> Bool { members[ExactString(name)] == .null }

    func object(_ name: String) throws(BenchResultsError) -> ResultMembers {
        guard case .object(let members)? = members[ExactString(name)] else { throw .badMember(path(name)) }
        return ResultMembers(members, within: "\(path(name)).")
    }

    func array(_ name: String) throws(BenchResultsError) -> [JSONValue] {
        guard case .array(let elements)? = members[ExactString(name)] else { throw .badMember(path(name)) }
        return elements
    }

    func string(_ name: String) throws(BenchResultsError) -> String {
        guard case .string(let text)? = members[ExactString(name)] else { throw .badMember(path(name)) }
        return text
    }

    func strings(_ name: String) throws(BenchResultsError) -> [String] {
        var texts: [String] = []
        for element in try array(name) {
            guard case .string(let text) = element else { throw .badMember(path(name)) }
            texts.append(text)
        }
        return texts
    }

    /// The members of an object of strings, sorted by name; empty if it is missing.
    func pairs(_ name: String) throws(BenchResultsError) -> [(key: String, value: String)] {
        guard has(name) else { return [] }
        let object = try object(name)
        var pairs: [(key: String, value: String)] = []
        for key in object.members.keys.sorted() { pairs.append((key.text, try object.string(key.text))) }
        return pairs
    }

    func bool(_ name: String) throws(BenchResultsError) -> Bool {
        switch members[ExactString(name)] {
        case .bool(let value)?: return value
        default: throw .badMember(path(name))
        }
    }

    /// A nonnegative integer in any notation.
    func count(_ name: String) throws(BenchResultsError) -> Int {
        guard let number = members[ExactString(name)].flatMap({ Self.integer($0, in: 0...Self.largestCount) }) else {
            throw .badMember(path(name))
        }
        return number
    }

    /// An integer in any notation, or `nil` if the value is another or out of range.
    static func integer(_ value: JSONValue, in range: ClosedRange<Int>) -> Int? {
        guard case .number(let text) = value, let number = Double(text),
            Double(range.lowerBound)...Double(range.upperBound) ~= number, number == number.rounded()
        else { return nil }
        return Int(number)
    }

    /// An integer of 32 bits.
    func integer(_ name: String) throws(BenchResultsError) -> Int {
        guard let number = number(name), let integer = Int32(exactly: number) else { throw .badMember(path(name)) }
        return Int(integer)
    }

    /// A time in seconds, rounded to nanoseconds.
    func duration(_ name: String, longestSeconds: Double) throws(BenchResultsError) -> Duration {
        guard let number = number(name), 0...longestSeconds ~= number else { throw .badMember(path(name)) }
        return .nanoseconds(Int64((number * 1e9).rounded()))
    }

    /// A time in microseconds, rounded to nanoseconds. A number with three decimals is exact.
    func nanoseconds(_ name: String) throws(BenchResultsError) -> UInt128 {
        guard case .number(let text)? = members[ExactString(name)], let number = Double(text), 0...0x1p100 ~= number
        else {
            throw .badMember(path(name))
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 2, parts[1].count == 3, let whole = UInt128(parts[0]), let thousandths = UInt128(parts[1]) {
            return whole * 1000 + thousandths
        }
        return UInt128((number * 1000).rounded())
    }

    private func number(_ name: String) -> Double? {
        guard case .number(let text)? = members[ExactString(name)] else { return nil }
        return Double(text)
    }
}
