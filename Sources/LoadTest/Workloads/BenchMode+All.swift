extension BenchMode {
    /// All modes, in the order of the help and the manual.
    package static let all: [BenchMode] = [.echo, .request, .scenario, .send, .receive, .connect, .broadcast, .idle]
}

extension BenchMode: RawRepresentable, CaseIterable, Hashable {
    /// All modes, in the order of ``all``.
    package static var allCases: [BenchMode] { all }

    /// The mode's name in `--mode` and in results.
    package var rawValue: String { name }

    /// Finds a mode by name. Returns `nil` for an unknown name.
    package init?(rawValue name: String) {
        guard let mode = Self.all.first(where: { $0.rawValue == name }) else { return nil }
        self = mode
    }
}
