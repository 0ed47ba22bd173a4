import Testing

@testable import CommandLine

@Suite struct NameListTests {
    @Test("names are split at commas and lose the spaces around them") func split() throws {
        #expect(try NameList.parse("chat") == ["chat"])
        #expect(try NameList.parse("chat, superchat ,v2") == ["chat", "superchat", "v2"])
    }

    @Test("an empty name is refused", arguments: ["", " ", ",", "a,", ",a", "a, ,b"])
    func empty(text: String) {
        #expect(throws: ValueProblem.empty) { try NameList.parse(text) }
    }
}
