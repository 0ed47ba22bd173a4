/// The parts of a manual page other than operands and options.
public struct Manual: Sendable {
    /// The introductory paragraphs, which `--help` also shows.
    public let description: [ManualBlock]
    /// The sections between options and examples.
    public let sections: [ManualSection]
    /// Example command lines.
    public let examples: [CommandExample]

    /// Creates a manual from its parts.
    public init(description: [ManualBlock], sections: [ManualSection] = [], examples: [CommandExample] = []) {
        self.description = description
        self.sections = sections
        self.examples = examples
    }
}

/// A section of the manual.
public struct ManualSection: Sendable {
    /// The heading, in capitals as usual in manual pages.
    public let title: String
    /// The contents.
    public let blocks: [ManualBlock]

    /// The title of the section that `--help` also shows.
    public static let exitStatusTitle = "EXIT STATUS"

    /// Creates a section.
    public init(_ title: String, _ blocks: ManualBlock...) {
        self.init(title, blocks: blocks)
    }

    /// Creates a section.
    public init(_ title: String, blocks: [ManualBlock]) {
        self.title = title
        self.blocks = blocks
    }
}

/// A section of the program's manual that long help and the help command also show.
public struct ManualTopic: Sendable {
    /// The words after the help command; the first one is offered by completions.
    public let names: [String]
    /// One line for completions, without a period.
    public let summary: String
    /// The title of the section.
    public let title: String
    private let makeSubtopics: @Sendable () -> [ManualSubtopic]

    /// Creates a topic.
    /// - Parameters:
    ///   - names: The words after the help command; the first one is offered by completions.
    ///   - summary: One line for completions, without a period.
    ///   - title: The title of the section.
    ///   - subtopics: Parts that the help command shows by themselves.
    public init(
        _ names: String..., summary: String, title: String,
        subtopics: @escaping @Sendable () -> [ManualSubtopic] = { [] }
    ) {
        self.names = names
        self.summary = summary
        self.title = title
        makeSubtopics = subtopics
    }

    /// The parts that the help command shows by themselves.
    public var subtopics: [ManualSubtopic] { makeSubtopics() }

    /// The topic as a choice for completion.
    public var choice: ValueChoice? { names.first.map { ValueChoice(name: $0, summary: summary) } }
}

/// A part of a topic, which the help command shows by itself.
public struct ManualSubtopic: Sendable {
    /// The word after the topic.
    public let name: String
    /// How other words begin that select this part, or `nil` if there are none.
    public let prefix: String?
    /// One line, without a period.
    public let summary: String
    /// The contents.
    public let blocks: [ManualBlock]

    /// Creates a subtopic.
    public init(name: String, prefix: String? = nil, summary: String, blocks: [ManualBlock]) {
        self.name = name
        self.prefix = prefix
        self.summary = summary
        self.blocks = blocks
    }
}

/// A block of a manual section.
public enum ManualBlock: Sendable {
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
