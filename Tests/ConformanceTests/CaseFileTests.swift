import TestSupport
import Testing

@testable import Conformance

@Suite struct CaseFileTests {
    private func cases(_ lines: String...) throws(CaseError) -> [Case] {
        try CaseFile(Array((["section X Tests"] + lines).joined(separator: "\n").utf8)).cases
    }

    @Test func theProgramsCasesAreValid() {
        let cases = CaseSet().cases
        expectEqual(Set(cases.map(\.id)).count, cases.count)
        expectEqual(cases.count { $0.section.first?.isNumber == true }, 517)
        for item in cases {
            expectFalse(item.title.isEmpty || item.reference.isEmpty || item.consequence.isEmpty, "\(item.id)")
        }
    }

    @Test func theControlsOfCasesExist() {
        let set = CaseSet()
        for name in set.cases.compactMap(\.control) { expectTrue(set.control(name) != nil, "\(name)") }
    }

    @Test func aRowMakesACase() throws {
        let made = try cases(
            "case X.1.* Code $1", "  row 1000 \"a b\"", "  row 1001 \"c$1\"", "  send close $1 $2", "  pass any")
        expectEqual(made.map(\.id), ["X.1.1", "X.1.2"])
        expectEqual(made.map(\.title), ["Code 1000", "Code 1001"])
        expectEqual(made.map { $0.source[0] }, ["send close 1000 \"a b\"", "send close 1001 \"c$1\""])
    }

    @Test(
        "Terms become bytes",
        arguments: [
            ("\"aé\\x00\\n\\\"\\u{20ac}\"", Array("aé\u{0}\n\"€".utf8)),
            ("hex:00ff 3*\"ab\"", [0, 255] + Array("ababab".utf8)),
            ("2*hex:01", [1, 1]), ("0*\"a\"", []), ("\"\"", []),
        ] as [(String, [UInt8])])
    func term(_ text: String, _ bytes: [UInt8]) throws {
        var words = try WordReader(Line(number: 1, text: text))
        expectEqual(try words.payload().bytes(), bytes)
        expectNil(words.peek)
    }

    @Test(arguments: Payload.Generator.allCases)
    func generatedContentsHaveTheirSizeAndDiffer(_ generator: Payload.Generator) {
        var payload = Payload()
        payload.append(generator, count: 1001)
        expectEqual(payload.bytes(1).count, 1001)
        expectEqual(payload.bytes(1), payload.bytes(1))
        expectNotEqual(payload.bytes(1), payload.bytes(2))
        if generator != .noise { expectTrue(String(validating: payload.bytes(3), as: UTF8.self) != nil) }
    }

    @Test(
        "An error names the line",
        arguments: [
            ("case X.1 A\n  sned text", "line 2: unknown line 'sned'"),
            ("case X.1 A\n  send text \"a", "line 2: a quotation mark is missing"),
            ("case X.1 A\n  send text \"a\" rvs1\n  pass any", "line 2: unexpected 'rvs1'"),
            ("case X.1 A\n  send text \"\\q\"", #"line 2: unknown escape; use \n, \r, \t, \", \\, \xHH, or \u{HHHH}"#),
            ("case X.1 A\n  pass eccho", "line 2: unknown event or ending 'eccho'"),
            ("case X.1 A\n  send text", "line 2: case X.1 lacks an outcome, such as 'pass echo'"),
            ("case X.1 A\n  send text 99999999*\"a\"", "line 2: the payload is larger than 64 MiB"),
            ("case X.1 A\n  send text by=0\n  pass any", "line 2: by needs a number of at least 1"),
            ("thing X.1 A", "line 1: unknown item 'thing'; use section, control, or case"),
            ("case X.1 A\n  pass any", "line 1: it lacks a line 'section ID TITLE'"),
        ])
    func error(_ text: String, _ message: String) {
        let error = #expect(throws: CaseError.self) { try CaseFile(Array(text.utf8)) }
        expectEqual(error?.description, message)
    }
}
