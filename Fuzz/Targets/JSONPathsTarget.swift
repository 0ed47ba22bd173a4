import WSCore

@testable import Formats

extension FuzzTarget {
    /// A path or a condition on the first line, and a message after it.
    ///
    /// - The error for an invalid path or condition is one line that is safe to show.
    /// - A path finds the value that a search in the parsed tree finds.
    /// - The text of the value is a JSON text without whitespace between tokens, unless it is a string.
    /// - A comparison and its opposite never both hold.
    static let jsonPaths = FuzzTarget(name: "json-paths") { input in
        let parts = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let query = parts.first.map({ String(decoding: $0, as: UTF8.self) }), parts.count == 2,
            let text = String(validating: parts[1], as: UTF8.self)
        else { return }
        let message = Array(text.utf8)
        do throws(JSONQueryError) {
            check(try JSONPath(query), in: message)
        } catch {
            expectOneSafeLine("\(error)")
        }
        do throws(JSONQueryError) {
            check(try JSONCondition(query), on: message)
        } catch {
            expectOneSafeLine("\(error)")
        }
    }

    private static func check(_ path: JSONPath, in message: [UInt8]) {
        let value = path.value(in: message.span.bytes)
        // The tree merges names that are equal only after normalization, and those with unpaired surrogates.
        if message.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "\\") }) {
            let tree = try? JSONValue(parsing: message.span.bytes)
            let expected = path.steps.reduce(tree) { $0?.part(at: $1) }
            let found = value.flatMap { JSONValue.parsed(message[$0.range]) }
            expectEqual(found, expected, "the value at \(path.source)")
        }
        var buffer = ByteBuffer()
        let isFound = path.appendValue(of: message.span.bytes, to: &buffer)
        expectEqual(isFound, value != nil, "whether there is a value")
        guard let value, value.kind != .string else { return }
        let compact = buffer.withReadableBytes { $0.withUnsafeBytes { Array($0) } }
        expectEqual(JSONValue.parsed(compact[...]), JSONValue.parsed(message[value.range]), "the compact value")
        checkCompact(compact)
    }

    /// Checks that tokens follow each other with at most one comma or colon.
    private static func checkCompact(_ text: [UInt8]) {
        var reader = JSONReader()
        var end = 0
        while let token = try? reader.next(in: text.span.bytes) {
            expect(text[end..<token.range.lowerBound].allSatisfy(",:".utf8.contains), "whitespace between tokens")
            end = token.range.upperBound
        }
        expectEqual(end, text.count, "the end of the compact value")
    }

    private static func check(_ condition: JSONCondition, on message: [UInt8]) {
        let holds = matches(condition, message)
        guard case .compares(let comparison, let operand) = condition.test else { return }
        let opposite: JSONCondition.Comparison =
            switch comparison {
            case .equal, .equalAsInCode: .notEqual
            case .notEqual: .equal
            case .less: .greaterOrEqual
            case .lessOrEqual: .greater
            case .greater: .lessOrEqual
            case .greaterOrEqual: .less
            }
        let other = JSONCondition(
            source: condition.source, path: condition.path, test: .compares(opposite, operand))
        expect(!(holds && matches(other, message)), "\(condition.source) and its opposite hold")
    }

    private static func matches(_ condition: JSONCondition, _ message: [UInt8]) -> Bool {
        guard let filter = try? JSONFilter(condition) else { return false }
        return filter.matches(message.span.bytes)
    }
}

extension JSONValue {
    /// The value of a text, or `nil` if it is not JSON.
    fileprivate static func parsed(_ text: ArraySlice<UInt8>) -> JSONValue? {
        let text = Array(text)
        return try? JSONValue(parsing: text.span.bytes)
    }

    /// The part of the value at a step.
    fileprivate func part(at step: JSONPath.Step) -> JSONValue? {
        switch self {
        case .object(let members):
            return step.name.flatMap { members[ExactString(String(decoding: $0, as: UTF8.self))] }
        case .array(let elements):
            guard let index = step.index.map({ $0 < 0 ? elements.count + $0 : $0 }) else { return nil }
            return elements.indices.contains(index) ? elements[index] : nil
        case .string, .number, .bool, .null: return nil
        }
    }
}
