/// A reference to an option, or to one of its values: `output` or `output=raw`.
public struct OptionReference: ExpressibleByStringLiteral, Equatable, Sendable {
    /// The name without its two hyphens.
    public let long: String
    /// The value, or nil for any value.
    public let value: String?

    /// Creates a reference.
    public init(_ long: String, value: String? = nil) {
        self.long = long
        self.value = value
    }

    /// Reads `NAME` or `NAME=VALUE`.
    public init(stringLiteral text: String) {
        let parts = text.split(separator: "=", maxSplits: 1)
        self.init(String(parts[0]), value: parts.count == 2 ? String(parts[1]) : nil)
    }

    /// As it is typed: `--output=raw`.
    public var words: String { "--" + long + (value.map { "=\($0)" } ?? "") }
}

extension [OptionReference] {
    /// References to some values of an option with a choice.
    public static func values<Value: OptionChoice>(of long: String, where isIncluded: (Value) -> Bool) -> Self {
        Value.allCases.filter(isIncluded).map { OptionReference(long, value: $0.rawValue) }
    }
}
