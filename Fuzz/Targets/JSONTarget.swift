import Formats
import Foundation
import WSCore

@testable import wsx

extension FuzzTarget {
    /// JSON, token by token.
    ///
    /// - The tokens occur in order, separated only by blanks, commas, and colons.
    /// - A second parser accepts the same texts, except for values that it cannot represent.
    /// - A prefix of a text is reported as truncated, or it is JSON by itself.
    static let json = FuzzTarget(name: "json") { input in
        guard let text = String(validating: input, as: UTF8.self) else { return }
        let problem = check(input)
        if problem == nil, let end = input.indices.last {
            let cut = check(Array(input[..<end]))
            if let cut { expectEqual(cut, .truncated, "a text without its last byte") }
        }
        // Foundation interprets zeros as another encoding, and accepts a byte order mark.
        guard !input.contains(0), !text.unicodeScalars.starts(with: ["\u{FEFF}"]) else { return }
        let other = try? JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed)
        if other != nil {
            if case .tooDeep? = problem { return }
            // Foundation accepts a comma before the end of an object or array.
            if case .unexpected(let offset)? = problem, "]}".utf8.contains(input[offset]) { return }
            expectEqual(problem, nil, "a text that another parser accepts")
        }
        // Values Foundation cannot represent: numbers beyond Double, and lone surrogates.
        let hasLimits = text.lowercased().contains("\\ud") || text.lowercased().contains("e") || text.utf8.count > 300
        if problem == nil, !hasLimits { expect(other != nil, "another parser rejects \(text)") }
    }

    /// Reads the text to its end or to the first error, and checks the positions of its tokens.
    private static func check(_ text: [UInt8]) -> JSONError? {
        var reader = JSONReader()
        var end = 0
        do throws(JSONError) {
            while let token = try reader.next(in: text.span.bytes) {
                expect(token.range.lowerBound >= end && token.range.upperBound <= text.count, "the range of a token")
                expect(!token.range.isEmpty, "a token is not empty")
                expect(
                    text[end..<token.range.lowerBound].allSatisfy(" \t\r\n,:".utf8.contains), "the text between tokens")
                end = token.range.upperBound
            }
            expect(text[end...].allSatisfy(" \t\r\n".utf8.contains), "the text after the last token")
            return nil
        } catch {
            return error
        }
    }
}
