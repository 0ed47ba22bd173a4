import TestSupport
import Testing
import WSCore

@testable import Formats

@Suite struct JSONPathListingTests {
    @Test(
        "All values have a path, but of arrays only the first element",
        arguments: [
            (
                #"{"a":{"b c":1,"d":[{"e":2},{"f":3}]},"\u00eb":null}"#,
                [".a", #".a."b c""#, ".a.d", ".a.d[0]", ".a.d[0].e", #"."ë""#]
            ),
            (#"[[1],2]"#, [".[0]", ".[0][0]"]), ("1", []), ("{", []), (#"{"a":1}x"#, []), ("", []),
        ])
    func paths(text: String, paths: [String]) throws {
        expectEqual(JSONPath.paths(in: Array(text.utf8).span.bytes), paths)
        for path in paths { try expectNotNil(JSONPath(path).value(in: Array(text.utf8).span.bytes)) }
    }

    @Test("The number of paths is limited")
    func limit() {
        let text = "{" + (0..<100).map { #""k\#($0)":{"a":1}"# }.joined(separator: ",") + "}"
        expectEqual(JSONPath.paths(in: Array(text.utf8).span.bytes, limit: 10).count, 10)
    }
}
