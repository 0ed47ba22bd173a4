import TestSupport
import Testing

@testable import CommandLine

/// Conflicts that follow from the subjects of options.
@Suite struct OptionSubjectsTests {
    /// A choice whose values have subjects of their own.
    private enum Format: String, CaseIterable, OptionChoice {
        case plain, hex

        var summary: String { rawValue }
        var subjects: OptionSubjects { self == .hex ? .binary : [] }
    }

    private static let options: [OptionSpecification<String>] = [
        option("play", conflicts: ["log"], excludes: [.input, .binary]),
        option("format", value: OptionValue("FORMAT", .choices(of: Format.self))),
        option("speed", about: .input),
        option("log"),
        option("binary", about: [.binary, .kind]),
        option("kind", about: .kind, excludes: .kind),
    ]

    private static func option(
        _ long: String, value: OptionValue? = nil, about subjects: OptionSubjects = [],
        conflicts: [OptionReference] = [], excludes excluded: OptionSubjects = []
    ) -> OptionSpecification<String> {
        OptionSpecification(
            long, value: value, about: subjects, conflicts: conflicts, excludes: excluded,
            heading: OptionHeading("All"),
            summary: "", manual: ""
        ) { _, _ in }
    }

    @Test("An option conflicts with the options and values about a subject that it excludes, but not with itself")
    func conflicts() {
        let conflicts = Self.options.resolved().map { ($0.description.long, $0.description.conflicts.map(\.words)) }
        expectEqual(
            Dictionary(uniqueKeysWithValues: conflicts),
            [
                "play": ["--log", "--format=hex", "--speed", "--binary"], "kind": ["--binary"], "format": [],
                "speed": [], "log": [], "binary": [],
            ])
    }
}

extension OptionSubjects {
    fileprivate static let input = OptionSubjects(rawValue: 1 << 0)
    fileprivate static let kind = OptionSubjects(rawValue: 1 << 1)
    fileprivate static let binary = OptionSubjects(rawValue: 1 << 2)
}
