import TestSupport
import Testing

@testable import CommandLine

/// The command-line engine with a program for tests.
@Suite struct ProgramSpecificationTests {
    struct Size: Equatable {
        var width = 1
        var isFixed = false

        static let options: [OptionSpecification<Size>] = [
            OptionSpecification(
                "width", "w", value: OptionValue("N"), default: "1", heading: .size, summary: "Width",
                manual: "Make it *N* wide.", example: "--width 20", seeAlso: ["fixed"]
            ) { size, value throws(ValueProblem) in size.width = try CountValue.parse(value) },
            OptionSpecification(
                "fixed", requires: ["width"], heading: .size, summary: "Do not change it", manual: "Keep the width."
            ) { size, _ in size.isFixed = true },
        ]
    }

    struct DrawArguments: Equatable {
        var outer = Size()
        var path = ""
        var words: [String] = []

        @OptionTable<DrawArguments> static var options: [OptionSpecification<DrawArguments>] {
            OptionSpecification(
                "word", value: OptionValue("TEXT"), repetition: .adds, heading: .content, summary: "Write a word",
                manual: "Write *TEXT*."
            ) { arguments, value in arguments.words.append(value) }
            Size.options.lifted(\.outer)
        }
    }

    enum Invocation: Equatable {
        case draw(DrawArguments)
        case text(InformationalText)
        case version
    }

    static let program = ProgramSpecification<Invocation>(
        commands: [
            CommandSpecification<Invocation>(
                "draw", summary: "Draw a picture", arguments: DrawArguments(), options: DrawArguments.options,
                operands: [
                    OperandSpecification("FILE", required: true, completion: .file, summary: "Where it goes") {
                        arguments, values in arguments.path = values.joined()
                    }
                ],
                manual: Manual(description: [.paragraph("Draws to *FILE*.")]), invocation: { .draw($0) }),
            .help(topics: []),
        ],
        version: { _ in .version }, text: { .text($0) }
    ) { commands in
        ProgramDescription(
            name: "paint", version: "1", summary: "Paint", headings: [.content, .size], commands: commands,
            firstExample: "paint draw x",
            manual: Manual(
                description: [],
                sections: [
                    ManualSection(
                        "COLORS", aliases: ["color"], blocks: [.paragraph("Many."), .listing(["green"])],
                        subtopics: [
                            ManualSubtopic(name: "green", summary: "Like grass", blocks: [.paragraph("Not *red*.")])
                        ])
                ]),
            pages: [
                TopicPage(
                    "art", summary: "Art", options: [(.size, ["draw"])],
                    sections: [ManualSection("OIL PAINT", .paragraph("See COLORS, not COLORS-X."))])
            ],
            promptCommands: [ManualSubtopic(name: "/rub", summary: "remove the last line", blocks: [])])
    }

    @Test("An option of a group changes the group within a command's arguments")
    func lifting() throws {
        let invocation = try Self.program.parse(["draw", "-w5", "--fixed", "--word=a", "f", "--word", "b"])
        expectEqual(
            invocation, .draw(DrawArguments(outer: Size(width: 5, isFixed: true), path: "f", words: ["a", "b"])))
    }

    @Test(
        "Errors use the program's name",
        arguments: [
            ([], "missing command; try 'paint draw x' or 'paint --help'"),
            (["darw"], "unknown command 'darw'; did you mean 'paint draw'?"),
            (["draw"], "'paint draw' needs FILE; 'paint draw -h' shows the usage"),
            (["draw", "f", "--fixed"], "'--fixed' requires '--width'; add it, or omit '--fixed'"),
            (["draw", "f", "-w", "0"], "invalid value '0' for '-w': expected a number from 1 to 1000000000000"),
            (["draw", "--version"], "'--version' is an option of 'paint', not of this command"),
        ] as [([String], String)])
    func mistakes(words: [String], message: String) {
        do throws(UsageError) {
            _ = try Self.program.parse(words)
            Issue.record("the mistake was accepted")
        } catch {
            expectEqual(error.words(of: "paint") { $0 }, message)
        }
    }

    @Test("Help shows the options under their headings, in the order of the headings")
    func help() throws {
        try expectEqual(
            Self.program.parse(["draw", "-h"]),
            .text(
                .help(
                    """
                    paint draw: Draw a picture

                    Usage: paint draw [OPTION...] FILE

                    Operands:
                      FILE  Where it goes

                    Content:
                          --word TEXT  Write a word

                    Size:
                      -w, --width N    Width [1]
                          --fixed      Do not change it

                    General:
                      -h, --help       Show help; -h is the short form

                    'paint draw --help' and paint-draw(1) tell more.

                    """)))
    }

    @Test(
        "help explains a single option",
        arguments: [
            ["help", "draw", "--width"], ["help", "draw", "-w"], ["help", "draw", "width"],
            ["help", "draw", "--width=5"],
        ])
    func helpOfAnOption(words: [String]) throws {
        try expectEqual(
            Self.program.parse(words),
            .text(
                .help(
                    """
                      -w, --width N
                              Make it N wide.
                              Default: 1.
                              Example: paint draw --width 20 FILE
                              See also: --fixed.

                    """)))
    }

    @Test("help explains an option without its command, under the name of each command that has it")
    func helpOfAnOptionOfAnyCommand() throws {
        try expectEqual(
            Self.program.parse(["help", "--fixed"]),
            .text(
                .help(
                    """
                    paint draw:
                          --fixed
                              Keep the width.
                              Only with --width.

                    """)))
    }

    @Test("help shows a topic, and its parts by themselves")
    func topics() throws {
        try expectEqual(Self.program.parse(["help", "color"]), .text(.longHelp("COLORS:\n  Many.\n\n    green\n")))
        try expectEqual(
            Self.program.parse(["help", "colors", "green"]), .text(.longHelp("green: Like grass\n\n  Not red.\n")))
    }

    @Test(
        "help shows a section of another page by its name, and refers to others by command lines",
        arguments: [["oil-paint"], ["oil", "paint"], ["OIL PAINT"]])
    func sectionOfAPage(words: [String]) throws {
        try expectEqual(
            Self.program.parse(["help"] + words),
            .text(.longHelp("OIL PAINT:\n  See 'paint help colors', not COLORS-X.\n")))
    }

    @Test("help shows a page by its name, with its options", arguments: ["art", "paint-art"])
    func page(name: String) throws {
        guard case .text(.longHelp(let text)) = try Self.program.parse(["help", name]) else { return }
        #expect(text.hasPrefix("OIL PAINT:\n  See 'paint help colors'"))
        #expect(text.contains("\n\nSize:\n  -w, --width N\n"))
    }

    @Test("help explains a command of the prompt, with or without its slash, and an option without its hyphens")
    func otherTopics() throws {
        for word in ["rub", "/rub"] {
            try expectEqual(Self.program.parse(["help", word]), .text(.longHelp("/rub: remove the last line\n")))
        }
        try expectEqual(Self.program.parse(["help", "width"]), Self.program.parse(["help", "--width"]))
    }

    @Test("A page about a topic has its options, and the page of the command only their names")
    func optionsOfAPage() throws {
        let description = Self.program.description
        let page = ManualPage.page(about: try #require(description.pages.first), description)
        #expect(page.contains("\n.SS Size\n.TP\n\\fB\\-w\\fR, \\fB\\-\\-width\\fR \\fIN\\fR\n"))
        #expect(page.contains("See COLORS in \\fIpaint\\fR(1), not COLORS-X."))
        let draw = ManualPage.page(of: description.commands[0], description)
        #expect(draw.contains("\n.SS Size\nSee \\fIpaint\\-art\\fR(7): \\fB\\-\\-width"))
        expectFalse(draw.contains(".TP\n\\fB\\-w"))
    }

    @Test(
        "help for something unknown fails",
        arguments: [
            (["help", "darw"], "unknown topic 'darw'; did you mean 'paint help draw'?"),
            (["help", "rube"], "unknown topic 'rube'; did you mean 'paint help /rub'?"),
            (["help", "paint"], "unknown topic 'paint'; did you mean 'paint help oil-paint'?"),
            (["help", "xyzzy"], "unknown topic 'xyzzy'; 'paint help' lists the topics"),
            (["help", "draw", "--widht"], "unknown option '--widht'; did you mean '--width'?"),
            (["help", "--widht"], "unknown option '--widht'; did you mean '--width'?"),
            (["help", "draw", "--width", "more"], "unexpected argument 'more'; 'paint help -h' shows the usage"),
            (["help", "--width", "more"], "unexpected argument 'more'; 'paint help -h' shows the usage"),
            (["help", "color", "gren"], "unknown color 'gren'; did you mean 'paint help color green'?"),
            (["help", "colors", "blue"], "unknown color 'blue'; 'paint help color' lists the names"),
        ] as [([String], String)])
    func unknownHelpTopics(words: [String], message: String) {
        let error = #expect(throws: UsageError.self) { try Self.program.parse(words) }
        expectEqual(error?.words(of: "paint") { $0 }, message)
    }

    @Test("the manual page shows an option's example and related options")
    func manualPage() {
        let page = ManualPage.page(about: Self.program.description.pages[0], Self.program.description)
        #expect(page.contains("Example: \\fBpaint draw \\-\\-width 20 FILE\\fR\n"))
        #expect(page.contains("See also: \\fB\\-\\-fixed\\fR.\n"))
    }

    @Test("An error about a secret does not show it")
    func secrets() {
        let problem = ValueProblem.unusable(words: "expected a name", hidesValue: true)
        let error = UsageError.badValue(name: "--key", value: "hunter2", problem: problem)
        expectEqual(error.words(of: "paint") { $0 }, "invalid value for '--key': expected a name")
    }
}

extension OptionHeading {
    fileprivate static let content = OptionHeading("Content")
    fileprivate static let size = OptionHeading("Size")
}
