import Formats
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct TemplateFilterTests {
    static let names: [String] = ["user", "a | hex", "unset"]

    /// Values of `last:` are those of `{"n":12.50,"s":"a\"b","o":{"k":[1, 2]},"b":"AP8"}`.
    static let textCases: [(String, String)] = [
        (#"{{"ab\u0063" | hex}}"#, "616263"), (#"{{ "a | b }} \" c" }}"#, #"a | b }} " c"#),
        (#"{{json:"a"}}"#, #""a""#), ("{{user | append:user}}", "AdaAda"), (#"{{user|hex}}"#, "?"),
        (#"{{user | append:"-x" | prepend:"<"}}"#, "<Ada-x"), ("{{a | hex}}", "whole"),
        ("{{json:a | hex}}", #""whole""#), ("{{ a | hex | hex }}", "?"),
        // RFC 4648 §10.
        (#"{{"foob" | base64}}"#, "Zm9vYg=="), (#"{{"Zm9vYg==" | unbase64}} {{"Zm9vYg" | unbase64}}"#, "foob foob"),
        (#"{{"fbf0" | unhex | base64}} {{"fbf0" | unhex | base64url}}"#, "+/A= -_A"),
        (#"{{"-_A" | unbase64 | hex}}"#, "fbf0"), (#"{{"é" | hex}} {{"é" | length}}"#, "c3a9 2"),
        // RFC 1321 §A.5, RFC 3174 §7.3, FIPS 180-4.
        (#"{{"abc" | md5}}"#, "900150983cd24fb0d6963f7d28e17f72"),
        (#"{{"abc" | sha1}}"#, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (#"{{"abc" | sha256}}"#, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (#"{{"abc" | sha512 | base64 | length}} {{"abc" | sha512 | length}}"#, "88 64"),
        // RFC 2202 §3, RFC 4231 §4.3.
        (
            #"{{"what do ya want for nothing?" | hmac-sha1:"Jefe"}}"#, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
        ),
        (
            #"{{"what do ya want for nothing?" | hmac-sha256:"Jefe"}}"#,
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (#"{{"x" | hmac-sha512:env:KEY | length}}"#, "64"),
        // Arguments with filters are bytes. The last one is the example of a derived key in the documentation of AWS.
        (#"{{"a" | append:("YmM" | unbase64)}}"#, "abc"),
        (#"{{"a" | append:(user | hex) | append:")"}}"#, "a416461)"),
        (
            #"{{"what do ya want for nothing?" | hmac-sha1:("SmVmZQ" | unbase64)}}"#,
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"
        ),
        (
            #"{{"aws4_request" | hmac-sha256:("iam" | hmac-sha256:("us-east-1" | hmac-sha256:("20150830" | hmac-sha256:"AWS4wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")))}}"#,
            "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9"
        ),
        (#"{{"x" | sha256 | json}}"#, #""2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881""#),
        (#"{{"a\"b" | json}}"#, #""a\"b""#), ("{{last:.o | json}}", #""{\"k\":[1,2]}""#), ("{{seq | json}}", #""1""#),
        ("{{last:.s | get:.x | default:none}}", "none"), (#"{{last:. | get:."o".k[1]}}"#, "2"),
        (#"{{last:. | get:"/o/k"}}"#, "[1,2]"), ("{{json:last:.s | length}}", "6"),
        ("{{last:.n | append:seq}}", "12.501"),
        (#"{{"a b/é~" | url}}"#, "a%20b%2F%C3%A9~"), ("{{last:.none | default: a }}", "a"),
        ("{{unset | default:}}", ""), (#"{{unset | hex | default:"}}" | append:"!"}}"#, "}}!"),
        ("{{user | default:x}}", "Ada"), ("{{env:NONE | base64 | default:d | hex}}", "64"),
        ("{{last:.b | unbase64 | hex}}", "00ff"), (#"{"a":{"b":"{{"c"}}"}}"#, #"{"a":{"b":"c"}}"#),
        ("{{unset | append:user | default:x}} {{user | append:unset | default:y}}", "x y"),
        // obs-websocket 5: the example of its documentation.
        (
            #"{{"supersecretpassword" | append:"lM1GncleQOaCu9lT1yeUZhFYnqhsLLP1G5lAGo3ixaI=" | sha256 | base64"#
                + #" | append:"+IxH4CnCiqpX1rM9scsNynZzbOe4KhDeYcTNS3PDaeY=" | sha256 | base64}}"#,
            "1Ct943GAT+6YQUUX47Ia/ncufilbe6+oD6lY+5kaCu4="
        ),
    ]

    private static func text(_ text: String) throws -> String {
        let names = try VariableNames(Self.names)
        let template = try Template(text, variables: names) { $0 == "KEY" ? "k" : nil }
        var variables = TemplateVariables(names)
        variables.set(0, to: "Ada")
        variables.set(1, to: "whole")
        variables.setLastMessage(#"{"n":12.50,"s":"a\"b","o":{"k":[1, 2]},"b":"AP8"}"#)
        return try template.text(.first, variables)
    }

    @Test("Filters change the values of placeholders", arguments: Self.textCases)
    func texts(text: String, expected: String) throws {
        do {
            try expectEqual(Self.text(text), expected)
        } catch {
            expectEqual("?", expected)
        }
    }

    @Test(
        "A filter that cannot be parsed is reported with its name",
        arguments: [
            ("{{seq | sha265}}", "unknown filter 'sha265'; expected append, prepend, get, "),
            ("{{seq | }}", "unknown filter ''"),
            ("{{seq | append}}", "the filter 'append' is invalid: it needs an argument"),
            ("{{seq | append:}}", "the filter 'append' is invalid: it needs"),
            ("{{seq | hex:1}}", "the filter 'hex' is invalid: it has no argument"),
            ("{{seq | append:x}}", "unknown placeholder '{{x}}'"), ("{{x | hex}}", "unknown placeholder '{{x}}'"),
            ("{{x | default:1}}", "unknown placeholder '{{x}}'"), ("{{seq | get:a}}", "the filter 'get' is invalid: "),
            ("{{env:NONE | hex}}", "the environment variable 'NONE' is not set"),
            (#"{{"a}}"#, "unknown placeholder"), (#"{{"a\x"}}"#, "unknown placeholder"),
            (#"{{seq | append:"a}}"#, "unknown placeholder '{{\"a}}'"),
        ] as [(String, String)])
    func parseErrors(text: String, words: String) {
        do throws(TemplateError) {
            _ = try Template(text)
            Issue.record("accepted")
        } catch {
            #expect("\(error)".hasPrefix(words), "\(error)")
        }
    }

    @Test(
        "What a filter cannot change is missing",
        arguments: [
            (#"{{"a" | unhex}}"#, .filter("unhex", .notEncoded("hexadecimal"))),
            (#"{{"%" | unbase64}}"#, .filter("unbase64", .notEncoded("Base64"))),
            (#"{{"ff" | unhex}}"#, .filter("unhex", .notText)),
            (#"{{"ff" | unhex | json}}"#, .filter("json", .notText)),
            (#"{{"a" | sha256 | append:"x"}}"#, .filter("append", .notText)),
            (#"{{"{" | get:.a}}"#, .filter("get", .notJSON)), (#"{{"{}" | get:.a}}"#, .filter("get", .missing(".a"))),
            ("{{unset | hex}}", .unset("unset")), ("{{seq | append:unset}}", .unset("unset")),
        ] as [(String, TemplateValueError)])
    func failures(text: String, error: TemplateValueError) {
        #expect(throws: error) { try Self.text(text) }
    }

    @Test("A result has at most 64 MiB")
    func sizes() throws {
        let value = [UInt8](repeating: 0, count: TemplateFilter.maximumBytes)
        #expect(throws: TemplateValueError.filter("append", .tooLarge)) {
            try [TemplateFilter](parsing: [#"append:"a""#]).apply(to: .success(value))
        }
    }

    @Test("Random operands differ, and are the same for the same message")
    func random() throws {
        let template = try Template("{{random 8 | append:random 8}} {{random 8 | hex | unhex}} {{uuid | hex | unhex}}")
        let text = try template.text(seed: 7)
        try expectEqual(text, template.text(seed: 7))
        let parts = text.split(separator: " ")
        expectEqual(Set([parts[0].prefix(8), parts[0].suffix(8), parts[1]]).count, 3)
    }

    @Test("What is always the same is computed once, and the operands of filters count as parts")
    func properties() throws {
        let names = try VariableNames(Self.names)
        func template(_ text: String) throws -> Template { try Template(text, variables: names) { _ in "key" } }
        try expectEqual(template(#"{{env:A | hmac-sha256:"k" | base64 | length}}"#).constantText, Array("44".utf8))
        #expect(try template("{{env:A | hex}}").insertsSecret)
        #expect(try template("{{seq | hmac-sha256:env:A}}").insertsSecret)
        let varying = try template("{{user | append:seq | append:last:.a}}")
        #expect(varying.usesVariables && varying.usesSequence && varying.usesLastMessage && varying.variesByMessage)
        #expect(try !template("{{connection | hex}}").variesByMessage)
        #expect(try template("{{seq | unhex}}").mayFailByMessage && !template("{{user | unhex}}").mayFailByMessage)
        #expect(try template("{{user | unhex}}").mayFail && !template("{{user | get:.x | default:x}}").mayFail)
        for text in [
            #"{{seq | sha256 | append:"x"}}"#, "{{user | append:(user | unhex) | hex}}", "{{seq | unhex | default:x}}",
        ] {
            #expect(try template(text).mayFail)
        }
        #expect(try !template(#"{{seq | append:"x" | hmac-sha256:"k" | base64}}"#).mayFail)
    }

    @Test("In a URL, results are percent-encoded once")
    func urls() throws {
        let text = try Template(
            #"/{{"a b" | append:"/"}}?x={{connection | prepend:"+"}}&y={{connection | prepend:"+" | url}}"#,
            percentEncodesValues: true
        ) { _ in nil }.text()
        expectEqual(text, "/a%20b%2F?x=%2B1&y=%2B1")
    }
}
