extension BenchMode {
    /// All modes, in the order in which help and manual list them.
    public static let all: [BenchMode] = [.echo, .send, .receive, .connect, .broadcast, .idle]
}

extension BenchMode: RawRepresentable, CaseIterable, Hashable {
    /// All modes, in the order of ``all``.
    public static var allCases: [BenchMode] { all }

    /// The mode's name, as in `--mode` and in results.
    public var rawValue: String { descriptor.name }

    /// Finds a mode by its name; nil: there is none.
    public init?(rawValue name: String) {
        guard let mode = Self.all.first(where: { $0.rawValue == name }) else { return nil }
        self = mode
    }
}
