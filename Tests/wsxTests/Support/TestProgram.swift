import CommandLine

@testable import wsx

/// Accessors for the program's commands by name.
enum TestProgram {
    static let description = Invocation.program.description

    /// The commands with a manual page.
    static let pages: [Command] = [.connect, .listen, .bench, .merge]

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
}
