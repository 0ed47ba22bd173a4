import TestSupport
import Testing

@testable import CommandLine

@Suite struct ManualFileTests {
    private static let text = """
        <!--
        # NO SECTION
        -->

        # DESCRIPTION

        Paints *walls*
        and `fences`.

        # COLORS (colours, paint)

        {{primary}}

        Green
        : Blue and
          yellow.

        ## Rare

        ```
        # No heading

        | no table |
        ```

        | Name | Sign |
        | --- | --- |
        | a \\| b | c |

        ### @FILE: From a file

        One.

        # EXAMPLES

        Paint

        ```
        draw --width 20
        ```
        """

    private static let file = ManualFile(text) { name in
        [.definitions([(term: MarkedText(name), text: MarkedText("Red."))])]
    }

    @Test("The description and the examples are parts of the page, and the rest are its sections")
    func page() {
        let manual = Self.file.manual
        expectEqual(manual.description.map(Self.source), ["paragraph Paints *walls* and `fences`."])
        expectEqual(manual.sections.map(\.title), ["COLORS"])
        expectEqual(manual.examples.map(\.purpose), ["Paint"])
        expectEqual(manual.examples.map(\.line), ["draw --width 20"])
    }

    @Test("A section has aliases, its elements in order, and parts")
    func section() throws {
        let section = try #require(Self.file.section("COLORS"))
        expectEqual(section.aliases, ["colours", "paint"])
        expectEqual(
            section.blocks.map(Self.source),
            [
                "definitions primary=Red. Green=Blue and yellow.", "heading Rare",
                "listing # No heading//| no table |", "table Name,Sign/a | b,c",
            ])
        let part = try #require(section.subtopics.first)
        expectEqual(part.name, "@FILE")
        expectEqual(part.prefix, "@")
        expectEqual(part.summary, "From a file")
        expectEqual(part.blocks.map(Self.source), ["paragraph One."])
        expectNil(Self.file.section("NO SECTION"))
    }

    @Test("Titles and aliases are known without the contents, and a title in a listing or comment is none")
    func titles() {
        let file = ManualFile(Self.text) { preconditionFailure("the contents with \($0) were read") }
        expectEqual(file.sections.map(\.title), ["DESCRIPTION", "COLORS", "EXAMPLES"])
        expectEqual(file.manual.sections.map(\.aliases), [["colours", "paint"]])
    }

    private static func source(of block: ManualBlock) -> String {
        switch block {
        case .heading(let text): "heading \(text)"
        case .paragraph(let text): "paragraph \(text.source)"
        case .definitions(let items):
            "definitions " + items.map { "\($0.term.source)=\($0.text.source)" }.joined(separator: " ")
        case .listing(let lines): "listing " + lines.joined(separator: "/")
        case .table(let headings, let rows):
            "table " + ([headings] + rows).map { $0.joined(separator: ",") }.joined(separator: "/")
        }
    }
}
