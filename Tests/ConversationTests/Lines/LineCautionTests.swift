import TestSupport
import Testing

@testable import Conversation

@Suite struct LineCautionTests {
    /// Ends connections with these first unconfirmed lines; "+" is a connection on which something was confirmed.
    private func verdicts(_ ends: [String?], _ caution: inout LineQueue.Caution) -> [Bool] {
        ends.map { end in
            let hasConfirmed = end?.hasSuffix("+") ?? false
            let line = end.map { Array($0.utf8.filter { $0 != UInt8(ascii: "+") }) }
            return caution.connectionEnded(
                firstUnconfirmed: line?.isEmpty ?? true ? nil : line, hasConfirmed: hasConfirmed)
        }
    }

    @Test(
        "Lines go carefully after two connections in a row that ended before anything was confirmed",
        arguments: [
            (["a"], false), (["a", "a"], true), (["a", "b"], true), (["a", "b+"], false), (["a", "+", "a"], false),
            (["a+", "a"], false), (["a+", "a", "a"], true), (["a", nil, "a"], true), ([nil, nil, nil], false),
        ] as [([String?], Bool)])
    func careful(ends: [String?], isCareful: Bool) {
        var caution = LineQueue.Caution()
        #expect(verdicts(ends, &caution).allSatisfy { !$0 })
        expectEqual(caution.isCareful, isCareful)
    }

    @Test(
        "After two more connections with the same first unconfirmed line, it is given up",
        arguments: [
            (["a", "a"], true), (["a", "b"], false), (["a", "b", "b"], true),
            // A peer that confirms lines may end the connection for its own reasons.
            (["a+", "a"], false), (["a+", "a", "a"], true), (["a", "a+"], false), (["a", "a+", "a"], false),
            (["a", "a+", "a", "a"], true), (["a", nil, "a"], true), (["a", "+", "a"], false),
        ] as [([String?], Bool)])
    func givenUp(ends: [String?], isGivenUp: Bool) {
        var caution = LineQueue.Caution()
        _ = verdicts(["a", "a"], &caution)
        let verdicts = verdicts(ends, &caution)
        #expect(verdicts.dropLast().allSatisfy { !$0 })
        expectEqual(verdicts.last, isGivenUp)
        expectTrue(caution.isCareful)
    }
}
