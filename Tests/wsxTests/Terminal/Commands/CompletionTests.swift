import Conversation
import Testing

@testable import Connect
@testable import UserInterface

@Suite struct CompletionTests {
    @Test(
        "Commands, topics, paths, and words are offered where they are valid",
        arguments: [
            ("/pon", 0, ["/pong"]),
            ("/", 0, ConnectCommands.all.map(\.description).map { "/\($0.name)" }.sorted()),
            ("/help cl", 6, ["close"]),
            ("/help /cl", 7, ["close"]), ("/file my f", 6, ["my f1", "my f2"]), ("/file text  my", 12, ["my1", "my2"]),
            ("/ping wo", 6, ["wo-word"]), ("say wo", 4, ["wo-word"]), ("//wo", 2, ["wo-word"]),
            ("{\"wo", 2, ["wo-word"]),
            ("a\nwö", 2, ["wö-word"]), ("/zzz", 0, []),
            ("/close 101", 7, ["1010", "1011", "1012", "1013", "1014"]), ("/close 4", 7, ["4000"]),
            ("/close 1005", 7, []),
        ] as [(String, Int, [String])])
    func offers(typed: String, start: Int, candidates: [String]) {
        let completion = Self.at(endOf: typed)
        #expect(completion?.range == start..<typed.utf8.count)
        #expect(completion?.candidates == candidates)
    }

    @Test("Without a word there is nothing to complete", arguments: ["", "a ", "{\"", "a\n", "(", "/ping "])
    func nothing(typed: String) {
        #expect(Self.at(endOf: typed) == nil)
    }

    @Test("A command with arguments is completed with a space")
    func suffixes() {
        #expect(Self.at(endOf: "/pon")?.suffix == " ")
        #expect(Self.at(endOf: "/qui")?.suffix == nil)
        #expect(Self.at(endOf: "/p")?.suffix == nil)
    }

    @Test("The common prefix of candidates ends between characters")
    func commonPrefix() {
        #expect(Completion(range: 0..<0, candidates: ["abc", "abd"]).commonPrefix == "ab")
        #expect(Completion(range: 0..<0, candidates: ["aä", "aö"]).commonPrefix == "a")
        #expect(Completion(range: 0..<0, candidates: ["abc"]).commonPrefix == "abc")
        #expect(Completion(range: 0..<0, candidates: []).commonPrefix.isEmpty)
    }

    @Test("A list has columns, counts omitted items, and escapes control characters")
    func list() {
        #expect(CompletionList.text(of: ["a", "b", "c"], columns: 7) == "a  c\nb\n")
        #expect(CompletionList.text(of: ["/x/a", "/x/b/"], arePaths: true, columns: 3) == "a\nb/\n")
        #expect(CompletionList.text(of: ["\u{1B}"], columns: 80) == "\\u{1B}\n")
        let many = CompletionList.text(of: (0..<201).map { "w\($0)" }, columns: 80)
        #expect(many.hasSuffix("… and 1 more\n"))
    }

    @Test(
        "Paths of recent messages are completed by one step",
        arguments: [
            ("/pick ", [".items", ".op", ".user"]), ("/pick .u", [".user"]),
            ("/pick .user", [".user.\"full name\"", ".user.id"]), ("/pick .items", [".items[0]"]),
            ("/where !.o", [".op"]), ("/where .op=", nil), ("/where .op = x", ["x-word"]), ("/pick .none", []),
        ] as [(String, [String]?)])
    func paths(typed: String, candidates: [String]?) {
        let completion = Self.at(endOf: typed)
        #expect(completion?.candidates == candidates)
        #expect(candidates == nil || completion.map { $0.range.upperBound == typed.utf8.count } == true)
    }

    @Test(
        "Saved messages, their parameters without a value, and codecs are completed",
        arguments: [
            ("/call ", 6, ["hello", "sub"]), ("/call s", 6, ["sub"]), ("/call sub ", 10, ["channel=", "depth="]),
            ("/call sub channel=a d", 20, ["depth="]), ("/call sub channel=", 10, []), ("/call none ", 11, []),
            ("/decode zlib-stream m", 20, ["msgpack"]), ("/decode o", 8, ["off"]),
        ] as [(String, Int, [String])])
    func wordsOfArguments(typed: String, start: Int, candidates: [String]) {
        let completion = Self.at(endOf: typed)
        #expect(completion?.range == start..<typed.utf8.count)
        #expect(completion?.candidates == candidates)
    }

    private static let saved = [("sub", "{{channel}} {{depth}} {{seq}}"), ("hello", "hello")].compactMap { name, text in
        try? SavedMessage(name, text: text, columns: VariableNames())
    }

    private static func at(endOf typed: String) -> Completion? {
        Completion.at(
            endOf: Array(typed.utf8),
            from: Completion.Sources(
                commands: ConnectCommands.all.map(\.description), files: { ["\($0)1", "\($0)2"] },
                words: { ["\($0)-word"] },
                paths: {
                    [".op", ".user", ".user.id", ".user.\"full name\"", ".items", ".items[0]", ".items[0].id"]
                }, savedMessages: saved))
    }
}
