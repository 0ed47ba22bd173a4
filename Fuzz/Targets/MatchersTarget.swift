import Formats
import WSCore

@testable import Conversation

extension FuzzTarget {
    /// A matcher on the first line, and a message after it.
    ///
    /// - The error for an invalid matcher is one line that is safe to show, and its offset is in the matcher.
    /// - A message that does not match has a difference, in one line that is safe to show.
    /// - A JSON text without placeholders matches itself at the root.
    /// - Data equals itself, and JSON data equals itself with other whitespace.
    static let matchers = FuzzTarget(name: "matchers") { input in
        guard let (text, message) = lineAndRest(of: input) else { return }
        let json = Array(text.utf8)
        check(json, message)
        check(Matcher(equalTo: Template(literal: json)), message)
        check(Matcher(equalTo: Template(literal: json), ignoring: ["/a", "/b/0"]), message)
        expect(matches(Matcher(equalTo: Template(literal: message)), message) == true, "data differs from itself")
        guard UTF8Validator.isValid(message.span.bytes), let value = JSONValue.parsed(message.span.bytes) else {
            return
        }
        if case .object = value {
            let spaced = Array(" \t".utf8) + message + Array("\n".utf8)
            expect(matches(Matcher(equalTo: Template(literal: spaced)), message) == true, "JSON with blanks differs")
        }
        // Strings with placeholders stand for other texts, and escapes may stand for braces.
        let hasBraces = zip(message, message.dropFirst()).contains { $0 == UInt8(ascii: "{") && $1 == $0 }
        guard !hasBraces, !message.contains(UInt8(ascii: "\\")) else { return }
        let root = Array(#"{"":"#.utf8) + message + Array("}".utf8)
        do throws(MatcherError) {
            let matcher = try Matcher(
                parsing: root.span.bytes, variables: FuzzVariables.names, environment: FuzzVariables.environment)
            expect(matches(matcher, message) == true, "a value differs from itself")
        } catch {
            expectOneSafeLine("\(error)")
        }
    }

    private static func check(_ json: [UInt8], _ message: [UInt8]) {
        do throws(MatcherError) {
            check(
                try Matcher(
                    parsing: json.span.bytes, variables: FuzzVariables.names, environment: FuzzVariables.environment),
                message)
        } catch {
            expectOneSafeLine("\(error)")
            expect(0..<max(1, json.count) ~= error.byteOffset, "the offset is outside of the matcher")
        }
    }

    private static func check(_ matcher: Matcher, _ message: [UInt8]) {
        guard let isMatch = matches(matcher, message) else { return }
        var variables = FuzzVariables.make()
        variables.setLastMessage(message.span.bytes)
        do throws(TemplateValueError) {
            let difference = try matcher.difference(message.span.bytes, stamp: fuzzStamp, variables: variables)
            expectEqual(difference == nil, isMatch, "whether there is no difference")
            if let difference { expectOneSafeLine("\(difference)") }
        } catch {
            // A value that did not decide whether the message matches is missing.
            expectOneSafeLine("\(error)")
        }
    }

    /// Whether a message matches, or `nil` if an expected value is missing.
    private static func matches(_ matcher: Matcher, _ message: [UInt8]) -> Bool? {
        var variables = FuzzVariables.make()
        variables.setLastMessage(message.span.bytes)
        var scratch = ByteBuffer()
        do throws(TemplateValueError) {
            return try matcher.matches(
                message.span.bytes, stamp: fuzzStamp, variables: variables, scratch: &scratch)
        } catch {
            expectOneSafeLine("\(error)")
            return nil
        }
    }
}
