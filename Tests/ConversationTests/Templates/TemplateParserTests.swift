import Formats
import TestSupport
import Testing

@testable import Conversation

@Suite struct TemplateParserTests {
    @Test(
        "An invalid placeholder is reported with its offset",
        arguments: [
            ("{{", .notClosed, 0), ("a{{seq", .notClosed, 1), ("é{{seq}", .notClosed, 2), ("{{{", .notClosed, 0),
            ("{{}}", .unknownName("", variables: ["sid"]), 0),
            ("a{{{{b{{sequence}}", .unknownName("sequence", variables: ["sid"]), 6),
            ("{{seq 1}}", .unknownName("seq 1", variables: ["sid"]), 0),
            ("{{json:}}", .unknownName("", variables: ["sid"]), 0),
            ("{{json:json:seq}}", .unknownName("json:seq", variables: ["sid"]), 0),
            ("{{$1}}", .unknownName("$1", variables: ["sid"]), 0),
            ("{{random}}", .badLength, 0), ("{{random 0}}", .badLength, 0), ("{{random x}}", .badLength, 0),
            ("{{random -1}}", .badLength, 0), ("{{random 1 2}}", .badLength, 0),
            ("{{random 99999999999999999999}}", .badLength, 0), ("{{json:random}}", .badLength, 0),
            ("{{random:1..}}", .badRange, 0), ("{{random:2..1}}", .badRange, 0), ("{{random:1.2}}", .badRange, 0),
            ("{{random:0..1000000000000000001}}", .badRange, 0), ("{{exec:date}}", .noPrograms, 0),
            ("{{env:}}", .unknownName("env:", variables: ["sid"]), 0),
            ("{{env:NONE}}", .notInEnvironment("NONE"), 0), ("{{json:env:NONE}}", .notInEnvironment("NONE"), 0),
        ] as [(String, TemplateError.Reason, Int)])
    func problems(text: String, reason: TemplateError.Reason, offset: Int) throws {
        let names = try VariableNames(["sid"])
        #expect(throws: TemplateError(reason, at: offset)) { try Template(text, variables: names) }
    }

    @Test("An invalid path is reported with its reason", arguments: ["{{last:a}}", "{{last:/~2}}"])
    func paths(text: String) {
        do throws(TemplateError) {
            _ = try Template(text)
            Issue.record("accepted")
        } catch {
            guard case .badPath = error.reason else {
                Issue.record("\(error)")
                return
            }
            #expect("\(error)".hasPrefix("{{last:…}} needs a path in the message: "))
        }
    }

    @Test("The error for an unknown name suggests the intended one, or lists what is possible")
    func unknownNames() throws {
        let error = TemplateError(.unknownName("tokn", variables: ["token", "user"]), at: 3)
        expectEqual(
            error.description(intendedName: "token"), "unknown placeholder '{{tokn}}'; did you mean '{{token}}'?")
        expectEqual(
            "\(error)",
            "unknown placeholder '{{tokn}}'; expected {{seq}}, {{connection}}, {{time}}, {{iso}}, {{uuid}}, {{random N}}, "
                + "{{env:NAME}}, {{last:/pointer}}, {{token}}, {{user}}, or '{{{{' for two literal braces")
        expectEqual(error.unknownName?.name, "tokn")
        expectEqual(
            error.unknownName?.known, ["seq", "connection", "time", "random", "iso", "uuid", "time:s", "token", "user"])
        expectNil(TemplateError(.badLength, at: 0).unknownName)
    }

    @Test(
        "The suggestion for a placeholder in another case keeps its argument",
        arguments: [
            ("ENV:HOME", "env:HOME"), ("Last:/A", "last:/A"), ("Random 5", "random 5"), ("json:x", nil), ("x", nil),
        ] as [(String, String?)])
    func otherCase(name: String, suggestion: String?) {
        let known = TemplateError(.unknownName(name, variables: []), at: 0).unknownName?.known ?? []
        expectEqual(Array(known.dropFirst(7)), (suggestion.map { [$0] } ?? []))
        let error = TemplateError(.unknownName("rand", variables: []), at: 0)
        #expect(error.description(intendedName: "random").hasSuffix("did you mean '{{random N}}'?"))
    }

    @Test("Where there is no last message, its placeholder is reported and not suggested")
    func noLastMessage() throws {
        var names = try VariableNames(["sid"])
        names.includesLastMessage = false
        #expect(throws: TemplateError(.noLastMessage, at: 3)) { try Template("é {{json:last:/a}}", variables: names) }
        do throws(TemplateError) {
            _ = try Template("{{x}}", variables: names)
            Issue.record("accepted")
        } catch {
            #expect(!"\(error)".contains("last:") && "\(error)".contains("{{sid}}"))
        }
    }

    @Test("Errors are short and safe to show")
    func safety() {
        let variables = (1...100).map { "column\($0)" }
        let error = TemplateError(
            .unknownName(String(repeating: "\u{1B}[2J", count: 100), variables: variables), at: 0)
        #expect("\(error)".unicodeScalars.allSatisfy { $0.value >= 0x20 })
        #expect("\(error)".count < 600)
    }

    @Test(
        "Each mistake is described with its remedy",
        arguments: [
            (.notClosed, "'{{' begins a placeholder, but '}}' is missing; write '{{{{' for two literal braces"),
            (.badLength, "expected {{random N}} with an N from 1 to 16777216"),
            (.notInEnvironment("A"), "the environment variable 'A' is not set"),
            (
                .noGroup(2, groupCount: 1),
                "there is no group $2: the regular expression has 1 group; write '$$' for a dollar sign"
            ),
        ] as [(TemplateError.Reason, String)])
    func words(reason: TemplateError.Reason, text: String) {
        expectEqual("\(TemplateError(reason, at: 0))", text)
    }
}

@Suite struct VariableNamesTests {
    @Test("Names have slots in order, and a repeated name has the same slot")
    func slots() throws {
        var names = VariableNames()
        let slots = try ["a", "b", "a"].map { try names.add($0) }
        expectEqual(slots, [0, 1, 0])
        expectEqual(names.names, ["a", "b"])
        expectEqual(names.slot(of: "b"), 1)
        expectNil(names.slot(of: "c"))
    }

    @Test(
        "A name that templates cannot use is rejected",
        arguments: [
            ("", .empty), ("seq", .placeholder("seq")), ("random", .placeholder("random")),
            ("random 5", .placeholder("random 5")), ("env:A", .placeholder("env:A")),
            ("last:/a", .placeholder("last:/a")), ("json:a", .placeholder("json:a")), (" a", .unusable(" a")),
            ("a\t", .unusable("a\t")), ("a}}", .unusable("a}}")), ("{a", .unusable("{a")),
        ] as [(String, VariableNameError)])
    func problems(name: String, error: VariableNameError) {
        var names = VariableNames()
        #expect(throws: error) { try names.add(name) }
    }

    @Test(
        "Names that only resemble placeholders are accepted",
        arguments: ["time zone", "sequence", "Seq", "env", "$1x"])
    func similarNames(name: String) throws {
        let names = try VariableNames([name])
        var variables = TemplateVariables(names)
        variables.set(0, to: "x")
        try expectEqual(Template("{{\(name)}}", variables: names).text(.first, variables), "x")
    }
}
