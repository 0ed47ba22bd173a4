import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct CorrelationTests {
    @Test(
        "The fields of requests and replies are separated by an equals sign, and those of replies by commas",
        arguments: [
            ("id", ["id"], ["id"]), ("/a/id", ["/a/id"], ["/a/id"]), (".a.id", [".a.id"], [".a.id"]),
            ("id=reply_to", ["id"], ["reply_to"]), ("/1=/2,/1", ["/1"], ["/2", "/1"]),
            ("a,b", ["a,b"], ["a,b"]),
        ])
    func fields(text: String, request: [String], replies: [String]) throws {
        let correlation = try #require(Correlation(text))
        expectEqual(correlation.source, text)
        expectEqual([correlation.request.source], request)
        expectEqual(correlation.replies.map(\.source), replies)
    }

    static let mistakesCases: [String] = [
        "", "=", "a=", "=a", "a=,", "a=b,", "a=,b", "a=b,,c", "a=b=c", "a=b,c=d", "/~2=a", "a=/~2", "a=..b", ".[=a",
    ]

    @Test("A text with an empty or invalid field is no correlation", arguments: Self.mistakesCases)
    func mistakes(text: String) {
        expectNil(Correlation(text))
    }
}
