import Formats
import Testing
import WSCore

@testable import Conversation

@Suite struct ScopedConditionTests {
    @Test(
        "Prefixes in either order limit a condition, which begins after their blank",
        arguments: [
            ("^a", "^a", nil, nil), ("from:client ^a", "^a", .client, nil), ("path:/a/* ^a", "^a", nil, "/a/*"),
            ("from:server path:/a json:.b", "json:.b", .server, "/a"), ("path:/a from:server  b", " b", .server, "/a"),
            ("[f]rom:client x", "[f]rom:client x", nil, nil), (" from:client", " from:client", nil, nil),
            ("json:.a=path:/a", "json:.a=path:/a", nil, nil),
        ] as [(String, String, RelaySide?, String?)])
    func prefixes(text: String, source: String, side: RelaySide?, path: String?) throws {
        let condition = try ScopedCondition(text, allowing: [.path, .side])
        #expect(condition.source == source && condition.text == text)
        #expect(condition.scope == .init(side: side, path: path.flatMap { PathPattern($0) }))
    }

    @Test(
        "A mistake is reported with its remedy",
        arguments: [
            (
                "from:client x", .path,
                "only 'wsx relay' knows 'from:'; omit it, or write '[f]rom:' for a regular expression"
            ),
            (
                "path:/a x", [],
                "only 'wsx listen' and 'wsx relay' know 'path:'; omit it, or write '[p]ath:' for a regular expression"
            ),
            (
                "from:me x", .side,
                "'from:me' is not a side; write from:client or from:server, or '[f]rom:' for a regular expression"
            ),
            (
                "path:a\u{1B} x", .path,
                #"'path:a\u{1B}' is not a path; write one like path:/chat/*, or '[p]ath:' for a regular expression"#
            ),
            ("path:/a", .path, "a condition must follow 'path:/a' and a blank; '^' matches every message"),
            ("from:client ", .side, "a condition must follow 'from:client' and a blank; '^' matches every message"),
            ("path:/a path:/b x", .path, "'path:' is given twice; repeat the option instead"),
            ("path:/a (", .path, "missing closing parenthesis at the end of the regular expression"),
        ] as [(String, ScopedCondition.Prefixes, String)])
    func mistakes(text: String, prefixes: ScopedCondition.Prefixes, description: String) {
        do throws(ScopedConditionError) {
            _ = try ScopedCondition(text, allowing: prefixes)
            Issue.record("accepted")
        } catch {
            #expect("\(error)" == description)
        }
    }

    @Test("The conditions for a connection are those of its path and side, in order")
    func concerning() throws {
        let texts = ["a", "from:client b", "path:/x/* c", "path:/x/* from:server d"]
        let all = ScopedConditions(try texts.map { try ScopedCondition($0, allowing: [.path, .side]) })
        #expect(all.concerning(.client, at: "/x/1").map(\.source) == ["a", "b", "c"])
        #expect(all.concerning(.server, at: "/x/1").map(\.source) == ["a", "c", "d"])
        #expect(all.concerning(.server, at: "/y").map(\.source) == ["a"])
        #expect(all.concerning(.client, at: nil).map(\.source) == ["a", "b"])
        #expect(!all.areUnlimited && ScopedConditions([]).areUnlimited)
        let conditions = all.concerning(.client, at: "/y")
        let (other, hidden) = (Array("c".utf8), Array("xb".utf8))
        let areMatches = [other, hidden].map { conditions.anyMatches($0.span.bytes, payload: $0.span.bytes) }
        #expect(areMatches == [false, true])
    }

    @Test("Rules apply to the side that they name, answers otherwise to clients, and changes to both")
    func rules() throws {
        let texts = ["a => 1", "from:server b => 2", "path:/x from:client c => 3"]
        let rules = try texts.map { try AnswerRule($0, allowing: [.path, .side]) { _ in nil } }
        var plan = AutoReply.Plan()
        plan.answers = rules.map { AutoReply.Plan.Answer($0) }
        let answers = AutoReply.Rules(plan)
        func sources(_ side: RelaySide, _ path: String?) -> [String]? {
            answers.concerning(side, at: path)?.patterns.map(\.source)
        }
        #expect(sources(.client, "/x") == ["a", "c"])
        #expect(sources(.client, nil) == ["a"])
        #expect(sources(.server, "/x") == ["b"])
        let rewriter = Rewriter(rules, limitBytes: 100)
        #expect(rewriter.concerning(.client, at: "/x")?.patterns.map(\.source) == ["a", "c"])
        #expect(rewriter.concerning(.server, at: nil)?.patterns.map(\.source) == ["a", "b"])
        #expect(Rewriter([rules[2]], limitBytes: 100).concerning(.server, at: "/x") == nil)
    }
}
