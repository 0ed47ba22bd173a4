/// What the manual says of a command besides its operands and options.
public struct Manual: Sendable {
    /// The paragraphs at the beginning, which `--help` shows as well.
    public let description: [ManualBlock]
    /// The sections between the options and the examples.
    public let sections: [ManualSection]
    /// Command lines worth copying.
    public let examples: [CommandExample]

    /// Joins the parts.
    public init(description: [ManualBlock], sections: [ManualSection] = [], examples: [CommandExample] = []) {
        self.description = description
        self.sections = sections
        self.examples = examples
    }
}

/// A section of the manual.
public struct ManualSection: Sendable {
    /// The heading, in capitals, as manuals have it.
    public let title: String
    /// The contents.
    public let blocks: [ManualBlock]

    /// The title of the section that `--help` shows, too.
    public static let exitStatusTitle = "EXIT STATUS"

    /// Makes a section of blocks.
    public init(_ title: String, _ blocks: ManualBlock...) {
        self.init(title, blocks: blocks)
    }

    /// Makes a section of blocks.
    public init(_ title: String, blocks: [ManualBlock]) {
        self.title = title
        self.blocks = blocks
    }
}

/// A piece of a section of the manual.
public enum ManualBlock: Sendable {
    case paragraph(MarkedText)
    /// Terms, each with what it means.
    case definitions([(term: MarkedText, text: MarkedText)])
    /// Lines set as they stand.
    case listing([String])
    /// Columns under a heading each; a row has a text for each column.
    case table(headings: [String], rows: [[String]])
}

/// A command line worth copying, and what it is for.
public struct CommandExample: Sendable {
    /// A sentence without a full stop.
    public let purpose: String
    /// The command line.
    public let line: String

    /// Makes an example.
    public init(purpose: String, line: String) {
        self.purpose = purpose
        self.line = line
    }
}
