/// The parts of a manual page other than operands and options.
public struct Manual: Sendable {
    /// All sections in their order.
    private let all: [ManualSection]

    private static let descriptionTitle = "DESCRIPTION"
    private static let examplesTitle = "EXAMPLES"

    /// Creates a manual from its sections, with those called DESCRIPTION and EXAMPLES.
    public init(_ sections: [ManualSection]) {
        all = sections
    }

    /// Creates a manual from the blocks of its description.
    public init(description: [ManualBlock], sections: [ManualSection] = []) {
        self.init([ManualSection(Self.descriptionTitle, blocks: description)] + sections)
    }

    /// The introductory paragraphs, which `--help` also shows.
    public var description: [ManualBlock] { blocks(of: Self.descriptionTitle) }

    /// The sections between options and examples.
    public var sections: [ManualSection] {
        all.filter { $0.title != Self.descriptionTitle && $0.title != Self.examplesTitle }
    }

    /// Example command lines: purposes, each followed by a listing.
    public var examples: [CommandExample] {
        var purpose = ""
        return blocks(of: Self.examplesTitle).compactMap { block in
            switch block {
            case .paragraph(let text): purpose = text.source
            case .listing(let lines): return CommandExample(purpose: purpose, line: lines.joined(separator: "\n"))
            case .heading, .definitions, .table: preconditionFailure("EXAMPLES have purposes and command lines")
            }
            return nil
        }
    }

    private func blocks(of title: String) -> [ManualBlock] { all.first { $0.title == title }?.blocks ?? [] }
}

/// A section of the manual. The help command shows it by its name.
///
/// The contents are made each time they are asked for: most users of a manual need only the titles.
public struct ManualSection: Sendable {
    /// The heading, in capitals as usual in manual pages. In texts, it is a reference to the section.
    public let title: String
    /// Other names for the help command.
    public let aliases: [String]
    private let makeBlocks: @Sendable () -> [ManualBlock]
    private let makeSubtopics: @Sendable () -> [ManualSubtopic]

    /// The title of the section that `--help` also shows.
    public static let exitStatusTitle = "EXIT STATUS"

    /// Creates a section.
    public init(_ title: String, _ blocks: ManualBlock...) {
        self.init(title, blocks: blocks)
    }

    /// Creates a section.
    public init(
        _ title: String, aliases: [String] = [], blocks: @autoclosure @escaping @Sendable () -> [ManualBlock],
        subtopics: @autoclosure @escaping @Sendable () -> [ManualSubtopic] = []
    ) {
        self.title = title
        self.aliases = aliases
        makeBlocks = blocks
        makeSubtopics = subtopics
    }

    /// The contents.
    public var blocks: [ManualBlock] { makeBlocks() }
    /// Parts that the help command shows by themselves, and the manual page after the contents.
    public var subtopics: [ManualSubtopic] { makeSubtopics() }

    /// The name for the help command: `exit-status`.
    public var name: String { Self.name(of: title) }

    static func name(of title: String) -> String { title.lowercased().split(separator: " ").joined(separator: "-") }
}

/// A part of a section, or a command of a prompt, which the help command shows by itself.
public struct ManualSubtopic: Sendable {
    /// The word after the section's name, or after the help command.
    public let name: String
    /// How other words begin that select this part, or `nil` if there are none.
    public let prefix: String?
    /// One line, without a period.
    public let summary: String
    /// The contents.
    public internal(set) var blocks: [ManualBlock]

    /// Creates a subtopic.
    public init(name: String, prefix: String? = nil, summary: String, blocks: [ManualBlock]) {
        self.name = name
        self.prefix = prefix
        self.summary = summary
        self.blocks = blocks
    }
}

/// A manual page about a topic, in section 7 of the manual.
public struct TopicPage: Sendable {
    /// The name without that of the program: `formats`.
    public let name: String
    /// One line, without a period.
    public let summary: String
    /// The headings whose options the page explains, each with the names of the commands that have them.
    public let options: [(heading: OptionHeading, commands: [String])]
    /// The sections after the options.
    public let sections: [ManualSection]

    /// Creates a page.
    public init(
        _ name: String, summary: String, options: [(heading: OptionHeading, commands: [String])] = [],
        sections: [ManualSection]
    ) {
        self.name = name
        self.summary = summary
        self.options = options
        self.sections = sections
    }

    /// Whether the page explains the options of a command under a heading.
    func explains(_ heading: OptionHeading, of command: CommandDescription) -> Bool {
        options.contains { $0.heading == heading && $0.commands.contains(command.name) }
    }
}

/// A block of a manual section.
public enum ManualBlock: Sendable {
    /// A heading within the section.
    case heading(String)
    case paragraph(MarkedText)
    /// Terms with their definitions.
    case definitions([(term: MarkedText, text: MarkedText)])
    /// Lines set verbatim.
    case listing([String])
    /// A table. Each row has one text per heading.
    case table(headings: [String], rows: [[String]])
}

/// An example command line and its purpose.
public struct CommandExample: Sendable {
    /// A sentence without a period.
    public let purpose: String
    /// The command line.
    public let line: String

    /// Creates an example.
    public init(purpose: String, line: String) {
        self.purpose = purpose
        self.line = line
    }
}
