import Formats
import Testing

@testable import UserInterface

@Suite struct PromptArgumentTests {
    @Test("A path may be omitted, and blanks around it are ignored")
    func paths() throws {
        #expect(try Self.argument("").optionalPath() == nil)
        #expect(try Self.argument("  ").optionalPath() == nil)
        #expect(try Self.argument(" .user.name ").optionalPath() == JSONPath(".user.name"))
        #expect(try Self.argument("/user/name").optionalPath() == JSONPath("/user/name"))
        #expect(throws: PromptMistake(#"expected a name at character 4; quote other names, as in ."a b""#)) {
            try Self.argument(".a..b").optionalPath()
        }
    }

    @Test("A condition may be omitted, and blanks around it are ignored")
    func conditions() throws {
        #expect(try Self.argument("").optionalCondition() == nil)
        #expect(try Self.argument(" .price > 50 ").optionalCondition() == JSONCondition(".price > 50"))
        #expect(throws: PromptMistake(#"expected a value at the end; "" is the empty text"#)) {
            try Self.argument(".price >").optionalCondition()
        }
    }

    private static func argument(_ text: String) -> PromptArgument {
        PromptArgument(bytes: Array(text.utf8))
    }
}
