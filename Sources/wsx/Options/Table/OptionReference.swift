/// An option as another one names it: by its long name, or by that and a value, `output=raw`.
struct OptionReference: ExpressibleByStringLiteral, Equatable, Sendable {
    /// The name without its two hyphens.
    let long: String
    /// The value that is meant; nil: whatever it is.
    let value: String?

    /// Names an option, and a value of it if it is given.
    init(_ long: String, value: String? = nil) {
        self.long = long
        self.value = value
    }

    /// Reads `NAME` or `NAME=VALUE`.
    init(stringLiteral text: String) {
        let parts = text.split(separator: "=", maxSplits: 1)
        self.init(String(parts[0]), value: parts.count == 2 ? String(parts[1]) : nil)
    }

    /// The values of an option with a choice, but for some.
    static func values<Value: OptionChoice & Equatable>(of long: String, but others: Value...) -> [OptionReference] {
        Value.allCases.filter { !others.contains($0) }.map { OptionReference(long, value: $0.rawValue) }
    }

    /// As it is typed: `--output=raw`.
    var words: String { "--" + long + (value.map { "=\($0)" } ?? "") }
}
