import CommandLine

@testable import UserInterface
@testable import wsx

extension FuzzTarget {
    /// A configuration file, and the words of a command line, each after a NUL.
    ///
    /// - The file is accepted, or rejected with a one-line message that is safe to show.
    /// - Entries and profiles have the numbers of their lines, in order, and valid names.
    /// - The command line is accepted, or rejected in the same way.
    static let configuration = FuzzTarget(name: "configuration") { input in
        let parts = input.split(separator: 0, omittingEmptySubsequences: false)
            .map { String(validating: $0, as: UTF8.self) }
        guard !parts.contains(nil), let text = parts.first ?? nil else { return }
        let words = parts.dropFirst().compactMap { $0 }
        do throws(UsageError) {
            let configuration = try parsed(text)
            checkLines(of: configuration, text: text)
            let source = ConfigurationSource(
                load: { () throws(UsageError) in configuration },
                didUse: { places in
                    expect(places.allSatisfy { $0.path == "/c" && $0.line > 0 }, "a place is outside of the file")
                })
            _ = try Invocation.program.parse(words, configuration: source)
        } catch {
            expectOneSafeLine(error.message)
            expect(error.message.hasPrefix("wsx: "), "the message does not begin with the program's name")
        }
    }

    private static func parsed(_ text: String) throws(UsageError) -> Configuration {
        do throws(ConfigurationError) {
            return try Configuration(parsing: text, path: "/c", home: "/h")
        } catch {
            throw .configuration(error)
        }
    }

    private static func checkLines(of configuration: Configuration, text: String) {
        let profiles = configuration.profiles.flatMap { profile in
            expectEqual(Configuration.profileName(in: "@" + profile.name), profile.name, "the name of a profile")
            return [profile.line] + profile.entries.map(\.line)
        }
        let lines = configuration.defaults.map(\.line) + profiles
        let count = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
        expect(zip(lines, lines.dropFirst()).allSatisfy { $0 < $1 }, "lines are not in order")
        expect(lines.allSatisfy { 1...count ~= $0 }, "a line is outside of the file")
    }
}
