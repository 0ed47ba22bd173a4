import Formats
import WSCore

@testable import Conversation

extension FuzzTarget {
    /// A condition on the first line, a path on the second, and a message after it.
    ///
    /// - The error for an invalid condition is one line that is safe to show.
    /// - Without prefixes, a condition is itself. What follows the prefixes of another is a condition.
    /// - A pattern matches the paths that a slower comparison matches.
    static let conditions = FuzzTarget(name: "conditions") { input in
        guard let (text, rest) = lineAndRest(of: input), let (path, message) = lineAndRest(of: rest) else { return }
        do throws(ScopedConditionError) {
            let condition = try ScopedCondition(text, allowing: [.path, .side])
            let (whole, source) = (Array(text.utf8), Array(condition.source.utf8))
            expectEqual(Array(whole.suffix(source.count)), source, "the end of the text")
            expectEqual(condition.scope == .init(), whole == source, "whether there are prefixes")
            _ = MessageCondition(valid: condition.source).matches(message.span.bytes)
            guard let pattern = condition.scope.path else { return }
            for side in RelaySide.allCases {
                expectEqual(
                    condition.scope.includes(side, at: path),
                    condition.scope.side ?? side == side && pattern.matches(path), "what the condition is about")
            }
        } catch {
            expectOneSafeLine("\(error)")
        }
        if let pattern = PathPattern(text),
            (text + path).utf8.allSatisfy({ ASCII.isLetter($0) || "/*".utf8.contains($0) }),
            text.utf8.count < 20, path.utf8.count < 30
        {
            let isMatch = matches(Array(path.utf8)[...], Array(text.utf8)[...])
            expectEqual(pattern.matches(path), isMatch, "whether \(text) matches \(path)")
        }
    }

    /// Compares by trying everything.
    private static func matches(_ path: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        let (slash, star) = (UInt8(ascii: "/"), UInt8(ascii: "*"))
        guard let first = pattern.first else { return path.isEmpty }
        guard first == star else { return path.first == first && matches(path.dropFirst(), pattern.dropFirst()) }
        let rest = pattern.drop { $0 == star }
        let isAcross = rest.startIndex - pattern.startIndex > 1
        for end in path.startIndex...path.endIndex {
            if matches(path[end...], rest) { return true }
            guard end < path.endIndex, isAcross || path[end] != slash else { return false }
        }
        return false
    }
}
