import CommandLine

@testable import UserInterface
@testable import wsx

/// Accessors for the program's commands by name.
enum TestProgram {
    static let description = Invocation.program.description

    /// The commands with a manual page.
    static let pages: [Command] = [.connect, .listen, .relay, .bench, .merge, .check, .convert]

    static func command(_ command: Command?) -> CommandDescription? {
        description.commands.first { $0.name == command?.rawValue }
    }

    static func options(of command: Command?) -> [OptionDescription] {
        self.command(command)?.options ?? description.options
    }

    static func words(of command: Command) -> [String] {
        self.command(command)?.words ?? []
    }

    static func shortHelp(of command: Command?) -> String { HelpText.short(of: self.command(command), description) }

    static func longHelp(of command: Command?) -> String { HelpText.long(of: self.command(command), description) }

    static func page(of command: Command?) -> String { ManualPage.page(of: self.command(command), description) }

    /// The source of each manual page, by its path.
    static let manualPages: [(path: String, contents: String)] =
        ([nil] + pages.map(Optional.some)).map {
            ("man/\(description.manualName(of: command($0))).1", page(of: $0))
        } + description.pages.map { ("man/wsx-\($0.name).7", ManualPage.page(about: $0, description)) }
}
