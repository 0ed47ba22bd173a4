import CommandLine
import Conversation

@testable import wsx

/// The page about the built-in protocols in `docs/`, with the texts of `wsx help protocol NAME`.
enum ProtocolPage {
    static var text: String {
        """
        # Built-in protocols

        `wsx --protocol NAME` speaks these application protocols. `wsx help protocol NAME` shows the same texts, from which
        this page is generated. [User-defined protocols](README.md) are files.


        """ + protocols.map(section).joined(separator: "\n")
    }

    private static var protocols: [ManualSubtopic] {
        ProtocolManual.section.subtopics.filter { ApplicationProtocol(named: $0.name) != nil }
    }

    private static func section(_ subtopic: ManualSubtopic) -> String {
        (["## \(subtopic.name)", subtopic.summary + "."] + subtopic.blocks.map(block)).joined(separator: "\n\n") + "\n"
    }

    private static func block(_ block: ManualBlock) -> String {
        switch block {
        case .heading(let text): "### \(text)"
        case .paragraph(let text): escaped(text.plain)
        case .definitions(let definitions):
            definitions.map { "- **\($0.term.plain)**: \(escaped($0.text.plain))" }.joined(separator: "\n")
        case .listing(let lines): "```sh\n" + lines.joined(separator: "\n") + "\n```"
        case .table(let headings, let rows):
            ([headings, headings.map { _ in "---" }] + rows).map { "| " + $0.joined(separator: " | ") + " |" }
                .joined(separator: "\n")
        }
    }

    private static func escaped(_ text: String) -> String {
        String(text.flatMap { "<>*_#".contains($0) ? "\\\($0)" : "\($0)" })
    }
}
