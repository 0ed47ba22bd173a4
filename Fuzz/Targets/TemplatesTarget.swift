import Formats
import WSCore

@testable import Conversation

extension FuzzTarget {
    /// A template on the first line, and the last received message after it.
    ///
    /// - The error for an invalid template is one line that is safe to show, and its offset is in the template.
    /// - The text is valid UTF-8, is the same each time, and has the promised size.
    /// - With `json:`, a value is a JSON value that stands for the value without it.
    static let templates = FuzzTarget(name: "templates") { input in
        guard let (text, message) = lineAndRest(of: input) else { return }
        do throws(TemplateError) {
            check(
                try Template(text, variables: FuzzVariables.names, environment: FuzzVariables.environment), message)
        } catch {
            expectOneSafeLine("\(error)")
            expect(0..<max(1, text.utf8.count) ~= error.byteOffset, "the offset is outside of the template")
        }
        // The first line as the inside of a placeholder. An unpaired surrogate has no text.
        // `json:` applies to the value before filters.
        guard !text.utf8.contains(where: "{}|".utf8.contains),
            !String(decoding: message, as: UTF8.self).lowercased().contains("\\ud")
        else { return }
        guard let plain = written("{{\(text)}}", message), let quoted = written("{{json:\(text)}}", message) else {
            return
        }
        guard let value = JSONValue.parsed(quoted.span.bytes) else { unexpected("json: is not JSON") }
        if case .string(let string) = value {
            expectEqual(Array(string.utf8), plain, "the string of json:")
        } else {
            expectEqual(plain, quoted, "a value that is no string")
        }
    }

    private static func check(_ template: Template, _ message: [UInt8]) {
        // Larger texts only take time.
        if let byteCount = template.maximumByteCount, byteCount > 1 << 20 { return }
        var variables = FuzzVariables.make()
        variables.setLastMessage(message.span.bytes)
        var texts: [[UInt8]] = []
        for _ in 0..<2 {
            var buffer = ByteBuffer()
            do throws(TemplateValueError) {
                try template.write(to: &buffer, stamp: fuzzStamp, variables: variables)
            } catch {
                expectOneSafeLine("\(error)")
                if case .filter = error {
                } else {
                    expect(template.usesVariables || template.usesLastMessage, "a value is missing")
                }
            }
            texts.append(contents(of: buffer))
        }
        expectEqual(texts[0], texts[1], "the same text twice")
        let text = texts[0]
        expect(UTF8Validator.isValid(text.span.bytes), "the text is not UTF-8")
        if let byteCount = template.constantByteCount { expectEqual(texts[0].count, byteCount, "the size") }
        if let byteCount = template.maximumByteCount { expect(texts[0].count <= byteCount, "the text is too long") }
    }

    /// The text of a template with a single placeholder that is short and the same each time, or `nil`.
    private static func written(_ text: String, _ message: [UInt8]) -> [UInt8]? {
        do {
            let template = try Template(
                text, variables: FuzzVariables.names, environment: FuzzVariables.environment)
            let hasRandom = template.parts.contains { if case .random = $0 { true } else { false } }
            guard template.parts.count <= 3, !hasRandom else { return nil }
            var variables = FuzzVariables.make()
            variables.setLastMessage(message.span.bytes)
            var buffer = ByteBuffer()
            try template.write(to: &buffer, stamp: fuzzStamp, variables: variables)
            return contents(of: buffer)
        } catch {
            return nil
        }
    }
}
