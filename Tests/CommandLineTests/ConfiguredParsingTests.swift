import TestSupport
import Testing

@testable import CommandLine

/// A file with one profile.
private let sample = "[prod]\nurl = ws:prod\ntag = a\n"

/// The options of a configuration file together with those of a command line.
@Suite struct ConfiguredParsingTests {
    struct Arguments: Equatable {
        var url = ""
        var words: [String] = []
        var isQuiet = false
        var size = 1
        var tags: [String] = []
        var login: String?
        var path: String?
        var retries: String?

        static let options: [OptionSpecification<Arguments>] = [
            OptionSpecification("quiet", "q", heading: .all, summary: "", manual: "") { arguments, _ in
                arguments.isQuiet = true
            },
            OptionSpecification("size", value: OptionValue("N"), default: "1", heading: .all, summary: "", manual: "") {
                arguments, value throws(ValueProblem) in arguments.size = try CountValue.parse(value)
            },
            OptionSpecification(
                "tag", value: OptionValue("TEXT"), repetition: .adds, heading: .all, summary: "", manual: ""
            ) { arguments, value in arguments.tags.append(value) },
            OptionSpecification(
                "auth", value: OptionValue("USER"), conflicts: ["bearer"], heading: .all, summary: "", manual: "",
                aliases: ["user", OptionAlias("guest", value: "guest")]
            ) { arguments, value in arguments.login = value },
            OptionSpecification(
                "bearer", value: OptionValue("TOKEN"), heading: .all, summary: "", manual: ""
            ) { arguments, value in arguments.login = "bearer " + value },
            OptionSpecification(
                "log", value: OptionValue("FILE", .file), repetition: .mustAgree, requires: ["tag"], heading: .all,
                summary: "",
                manual: ""
            ) { arguments, value in arguments.path = value },
            OptionSpecification(
                "retry", value: OptionValue("N", implied: "forever"), heading: .all, summary: "", manual: ""
            ) { arguments, value in arguments.retries = value },
        ]
    }

    struct ServeArguments: Equatable {
        var address = ""
        var url = ""
        var isQuiet = false
        var threads = 1

        static let options: [OptionSpecification<ServeArguments>] = [
            OptionSpecification("quiet", "q", heading: .all, summary: "", manual: "") { arguments, _ in
                arguments.isQuiet = true
            },
            OptionSpecification("threads", value: OptionValue("N"), heading: .all, summary: "", manual: "") {
                arguments, value throws(ValueProblem) in arguments.threads = try CountValue.parse(value)
            },
        ]
    }

    enum Invocation: Equatable {
        case open(Arguments)
        case serve(ServeArguments)
        case text(InformationalText)
        case version
    }

    static let program = ProgramSpecification<Invocation>(
        commands: [
            CommandSpecification<Invocation>(
                "open", summary: "Open", arguments: Arguments(), options: Arguments.options,
                operands: [
                    OperandSpecification("URL", required: true, profileKey: "url", summary: "") { arguments, values in
                        arguments.url = values.joined()
                    },
                    OperandSpecification("WORD", required: false, repeatable: true, summary: "") { arguments, values in
                        arguments.words = values
                    },
                ],
                manual: Manual(description: []), invocation: { .open($0) }),
            CommandSpecification<Invocation>(
                "serve", summary: "Serve", arguments: ServeArguments(), options: ServeArguments.options,
                operands: [
                    OperandSpecification("ADDRESS", required: false, profileKey: "address", summary: "") {
                        arguments, values in arguments.address = values.joined()
                    },
                    OperandSpecification("URL", required: false, profileKey: "url", summary: "") { arguments, values in
                        arguments.url = values.joined()
                    },
                ],
                manual: Manual(description: []), invocation: { .serve($0) }),
            .help(topics: []),
        ],
        version: { _ in .version }, text: { .text($0) }
    ) { commands in
        ProgramDescription(
            name: "net", version: "1", summary: "Net", headings: [.all], commands: commands,
            implicitCommand: ImplicitCommand("open", note: "") { $0.hasPrefix("ws:") }, firstExample: "net open ws:",
            manual: Manual(description: []))
    }

    private func parse(_ line: String, with file: String) throws -> Invocation {
        let configuration = try Configuration(parsing: file, path: "/c", home: "/home/me")
        return try Self.program.parse(
            line.split(separator: " ").map(String.init),
            configuration: ConfigurationSource(load: { () throws(UsageError) in configuration }))
    }

    private func open(_ line: String, with file: String) throws -> Arguments? {
        if case .open(let arguments) = try parse(line, with: file) { arguments } else { nil }
    }

    private func message(_ line: String, with file: String) -> String? {
        #expect(throws: UsageError.self) { _ = try parse(line, with: file) }?.words(of: "net") { $0 }
    }

    @Test("A profile stands for its URL, and the command may be omitted", arguments: ["open @prod", "@prod"])
    func profile(line: String) throws {
        try expectEqual(open(line, with: sample), Arguments(url: "ws:prod", tags: ["a"]))
        try expectEqual(
            open("\(line) x -q --tag b y", with: sample),
            Arguments(url: "ws:prod", words: ["x", "y"], isQuiet: true, tags: ["a", "b"]))
    }

    @Test("Options may precede a profile") func leadingOptions() throws {
        try expectEqual(open("-q @prod", with: sample), Arguments(url: "ws:prod", isQuiet: true, tags: ["a"]))
    }

    @Test("A profile without a URL takes it from the command line")
    func profileWithoutURL() throws {
        try expectEqual(open("@p ws:h x", with: "[p]\nquiet"), Arguments(url: "ws:h", words: ["x"], isQuiet: true))
        expectEqual(
            message("open @p", with: "quiet\n[p]\nquiet"),
            "/c, line 2: the profile 'p' has no url; add one, or write it after @p")
    }

    @Test("Only the first operand, and not behind '--', names a profile")
    func otherOperands() throws {
        try expectEqual(open("ws:h @prod", with: sample), Arguments(url: "ws:h", words: ["@prod"]))
        try expectEqual(open("@prod @prod", with: sample)?.words, ["@prod"])
        try expectEqual(open("open -- @prod", with: sample), Arguments(url: "@prod"))
        try expectEqual(open("@prod -- -q", with: sample)?.words, ["-q"])
    }

    @Test("The command line overrides the profile, and the profile the defaults")
    func precedence() throws {
        let file = "size = 2\ntag = d\nuser = d\n[p]\nurl = ws:p\nsize = 3\ntag = p\n[q]\nurl = ws:q\nbearer = t"
        try expectEqual(open("ws:h", with: file), Arguments(url: "ws:h", size: 2, tags: ["d"], login: "d"))
        try expectEqual(open("@p", with: file), Arguments(url: "ws:p", size: 3, tags: ["d", "p"], login: "d"))
        try expectEqual(
            open("@p --size 4 --tag c", with: file), Arguments(url: "ws:p", size: 4, tags: ["d", "p", "c"], login: "d"))
        // --auth and --bearer exclude each other, in either direction.
        try expectEqual(open("@q", with: file)?.login, "bearer t")
        try expectEqual(open("@q --auth me", with: file)?.login, "me")
        try expectEqual(open("ws:h --bearer x", with: file)?.login, "bearer x")
    }

    @Test("An option that takes one value gives way to another one")
    func singular() throws {
        let file = "log = a\n[p]\nurl = ws:p\nlog = b"
        try expectEqual(open("ws:h --tag x", with: file)?.path, "a")
        try expectEqual(open("@p --tag x", with: file)?.path, "b")
        try expectEqual(open("@p --tag x --log c", with: file)?.path, "c")
    }

    @Test("A switch stands alone or is true, and false withdraws it")
    func switches() throws {
        try expectEqual(open("ws:h", with: "quiet")?.isQuiet, true)
        try expectEqual(open("ws:h", with: "quiet = true")?.isQuiet, true)
        try expectEqual(open("ws:h", with: "quiet = false")?.isQuiet, false)
        try expectEqual(open("@p", with: "quiet\n[p]\nurl = ws:p\nquiet = false")?.isQuiet, false)
        try expectEqual(open("@p -q", with: "[p]\nurl = ws:p\nquiet = false")?.isQuiet, true)
        expectEqual(message("ws:h", with: "quiet = yes"), "/c, line 1: 'quiet' takes no value but true or false")
    }

    @Test("An option with an optional value accepts all forms")
    func optionalValues() throws {
        try expectEqual(open("ws:h", with: "retry")?.retries, "forever")
        try expectEqual(open("ws:h", with: "retry = true")?.retries, "forever")
        try expectEqual(open("ws:h", with: "retry = 5")?.retries, "5")
        try expectNil(open("@p", with: "retry\n[p]\nurl = ws:p\nretry = false")?.retries)
    }

    @Test("Aliases work as on the command line")
    func aliases() throws {
        try expectEqual(open("ws:h", with: "user = me")?.login, "me")
        try expectEqual(open("ws:h", with: "guest")?.login, "guest")
        try expectNil(open("@p", with: "guest\n[p]\nurl = ws:p\nguest = false")?.login)
        try expectEqual(open("@p", with: "auth = me\n[p]\nurl = ws:p\nguest = false")?.login, "me")
    }

    @Test("An option without the one that it requires has no effect")
    func requirements() throws {
        try expectNil(open("ws:h", with: "log = a")?.path)
        try expectEqual(open("ws:h --tag x", with: "log = a")?.path, "a")
        try expectEqual(open("ws:h --log b", with: "tag = a")?.path, "b")
        expectEqual(message("ws:h --log b", with: ""), "'--log' requires '--tag'; add it, or omit '--log'")
    }

    @Test("A tilde at the beginning of a path is the home directory")
    func home() throws {
        try expectEqual(open("ws:h --tag x", with: "log = ~/l")?.path, "/home/me/l")
        try expectEqual(open("ws:h", with: "bearer = @~/t")?.login, "bearer @/home/me/t")
        try expectEqual(open("ws:h", with: "tag = ~/l")?.tags, ["~/l"])
    }

    @Test("Options and operands of other commands are skipped")
    func otherCommands() throws {
        let file = "threads = 2\n[p]\nurl = ws:p\naddress = 80\nquiet\nthreads = 3\nsize = 2"
        try expectEqual(open("ws:h", with: file), Arguments(url: "ws:h"))
        try expectEqual(open("@p", with: file), Arguments(url: "ws:p", isQuiet: true, size: 2))
        try expectEqual(
            parse("serve @p", with: file), .serve(ServeArguments(address: "80", url: "ws:p", isQuiet: true, threads: 3))
        )
        try expectEqual(
            parse("serve @p ws:x", with: file),
            .serve(ServeArguments(address: "80", url: "ws:x", isQuiet: true, threads: 3)))
        try expectEqual(parse("serve @p 81", with: "[p]\nquiet"), .serve(ServeArguments(address: "81", isQuiet: true)))
    }

    static let errorsCases: [(String, String, String)] = [
        ("ws:h", "quiett", "/c, line 1: unknown option 'quiett'; did you mean 'quiet'?"),
        ("ws:h", "zzz = 1", "/c, line 1: unknown option 'zzz'; 'net help' and '-h' list the options"),
        ("ws:h", "help", "/c, line 1: unknown option 'help'; 'net help' and '-h' list the options"),
        ("ws:h", "size", "/c, line 1: 'size' needs a value: size = N"),
        (
            "ws:h", "\nsize = x",
            "/c, line 2: invalid value 'x' for 'size': expected a number such as 5, 50k, or 1M"
        ),
        ("ws:h", "url = ws:x", "/c, line 1: 'url' belongs in a profile; begin one with a line such as [local]"),
        (
            "ws:h", "user = a\nbearer = b",
            "/c, line 2: 'bearer' cannot be used with 'user'; omit one of them"
        ),
        (
            "ws:h", "log = a\nlog = b",
            "/c, line 2: 'log' takes one value, but got 'a' and 'b'; omit one of them"
        ),
        ("@p", "[p]\nurl", "/c, line 2: 'url' needs a value: url = URL"),
        ("@prdo", sample, "unknown profile '@prdo'; did you mean '@prod'?"),
        ("@x", sample + "[b]", "unknown profile '@x'; /c has @prod, @b"),
        ("@x", "quiet", "unknown profile '@x'; /c has no profiles"),
        ("@", sample + "[b]", "'@' needs the name of a profile; /c has @prod, @b"),
        ("@p", "[p]\nurl = @q\n[q]", "/c, line 2: 'url' cannot be another profile ('@q'): write url = URL"),
        ("@x", "url = ws:x", "/c, line 1: 'url' belongs in a profile; begin one with a line such as [local]"),
        (
            "@p", "quiet\nurl = ws:x\n[p]\nquiet",
            "/c, line 2: 'url' belongs in a profile; begin one with a line such as [local]"
        ),
        (
            "serve", "url = ws:x",
            "/c, line 1: 'url' belongs in a profile; begin one with a line such as [local]"
        ),
    ]

    @Test("An error in the file names its line", arguments: Self.errorsCases)
    func errors(line: String, file: String, expected: String) {
        expectEqual(message(line, with: file), expected)
    }

    @Test("Other profiles may contain anything, and a command without options ignores the file")
    func unusedParts() throws {
        try expectEqual(open("ws:h", with: "[p]\nunknown = 1"), Arguments(url: "ws:h"))
        var wasLoaded = false
        let source = ConfigurationSource(
            load: { () throws(UsageError) in
                wasLoaded = true
                return Configuration(path: "", absence: "")
            })
        for line in [["help"], ["-h"], ["--version"], ["open", "-h"], ["open", "--siez", "1"]] {
            _ = try? Self.program.parse(line, configuration: source)
        }
        expectFalse(wasLoaded)
    }

    @Test("Without a file, a profile is an error, and everything else works")
    func noFile() throws {
        let source = ConfigurationSource(
            load: { () throws(UsageError) in Configuration(path: "/c", absence: "/c does not exist") })
        try expectEqual(Self.program.parse(["ws:h"], configuration: source), .open(Arguments(url: "ws:h")))
        let error = #expect(throws: UsageError.self) { try Self.program.parse(["@p"], configuration: source) }
        expectEqual(error?.words(of: "net") { $0 }, "unknown profile '@p'; /c does not exist")
        let nameless = #expect(throws: UsageError.self) { try Self.program.parse(["@"], configuration: source) }
        expectEqual(nameless?.words(of: "net") { $0 }, "unknown profile '@'; /c does not exist")
    }

    @Test("The places of the effective options are reported")
    func places() throws {
        var places: [ConfigurationSource.Place] = []
        let configuration = try Configuration(
            parsing: "size = 2\nlog = x\nuser = d\n[p]\nurl = ws:p\nquiet", path: "/c")
        let source = ConfigurationSource(
            load: { () throws(UsageError) in configuration }, didUse: { places = $0 })
        _ = try Self.program.parse(["@p", "--bearer", "t"], configuration: source)
        expectEqual(places.map(\.name), ["--size", "--quiet", "URL"])
        expectEqual(places.map(\.line), [1, 6, 5])
    }
}

extension OptionHeading {
    fileprivate static let all = OptionHeading("All")
}
