import TestSupport
import Testing

@Suite struct ExpectationsTests {
    @Test("A comparison that fails records one issue with the values, the comment, and the place of the call")
    func failures() {
        let cases: [(String, @Sendable () -> Void)] = [
            ("\"a\" is not equal to \"b\": c", { expectEqual("a", "b", "c") }),
            ("Optional(1) is not equal to nil", { expectEqual(1, Int?.none) }),
            ("[1] is equal to [1]", { expectNotEqual([1], [1]) }),
            ("the condition is false", { expectTrue(false) }),
            ("the condition is true", { expectFalse(true) }),
            ("2 is not nil", { expectNil(2) }),
            ("the value is nil", { expectNotNil(Int?.none) }),
            ("\"x\" is not empty", { expectEmpty("x") }),
        ]
        for (text, compare) in cases {
            withKnownIssue {
                compare()
            } matching: { issue in
                issue.comments.map(\.rawValue) == [text] && issue.sourceLocation?.fileID == #fileID
            }
        }
        withKnownIssue {
            expectEqual(1, 2, sourceLocation: SourceLocation(fileID: "a/b", filePath: "b", line: 7, column: 3))
        } matching: { issue in
            issue.sourceLocation?.line == 7
        }
    }

    @Test("A comparison that holds records nothing")
    func successes() {
        expectEqual("a", "a")
        expectEqual([1], [1])
        expectNotEqual(1, 2)
        expectTrue(true)
        expectFalse(false)
        expectNil(Int?.none)
        expectNotNil(1)
        expectEmpty("")
    }
}
