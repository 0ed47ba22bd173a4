import TestSupport
import Testing

@testable import Conversation

@Suite struct SavedMessageTests {
    @Test(
        "Unknown placeholders are parameters",
        arguments: [
            ("hello", []), ("{{a}} {{json:b}} {{a}}", ["a", "b"]), ("{{seq}}{{uuid}}{{last:/x}}{{env:NONE}}", []),
            ("{{user.name}} {{größe}} {{column}}", ["user.name", "größe"]), ("{{{{a}}", []),
        ] as [(String, [String])])
    func parameters(text: String, expected: [String]) throws {
        var columns = VariableNames()
        try columns.add("column")
        let message = try SavedMessage("m", text: text, columns: columns)
        expectEqual(message.parameters, expected)
        expectEqual(message.usage, (["m"] + expected.map { "\($0)=VALUE" }).joined(separator: " "))
    }

    @Test(
        "Other mistakes in placeholders are errors",
        arguments: ["{{a", "{{a b}}", "{{a=b}}", "{{}}", "{{random}}", "{{env:}}"])
    func mistakes(text: String) {
        #expect(throws: TemplateError.self) { try SavedMessage("m", text: text, columns: VariableNames()) }
    }

    @Test("Escaped text is a template for itself", arguments: ["", "{", "{{a}}", "a{{{b}}}", "{{{{", "{ {"])
    func escaping(text: String) throws {
        let escaped = String(decoding: Template.escaping(Array(text.utf8)), as: UTF8.self)
        try expectEqual(Template(escaped) { _ in nil }.constantText, Array(text.utf8))
    }
}
