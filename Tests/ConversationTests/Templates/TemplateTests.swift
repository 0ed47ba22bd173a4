import CAllocationCounter
import Synchronization
import TestSupport
import Testing
import WSCore

@testable import Conversation

@Suite struct TemplateTests {
    static let formsCases: [(String, String)] = [
        ("", ""), ("hello", "hello"), ("{{seq}}", "42"), ("{{ seq }}", "42"), ("{{connection}}", "8"),
        (#"{"id":{{seq}},"of":{"c":{{connection}}}}"#, #"{"id":42,"of":{"c":8}}"#), ("{{time}}", "1700000000123"),
        ("{{iso}}", "2023-11-14T22:13:20.123Z"), ("{{json:iso}}", #""2023-11-14T22:13:20.123Z""#),
        ("{{time:s}} {{json:time:s}}", #"1700000000 "1700000000""#), ("{{random:-7..-7}}{{random:3..3}}", "-73"),
        ("a{{{{b", "a{{b"), ("{{{{seq}}", "{{seq}}"), ("{{{{{{seq}}", "{{42"), ("}}{", "}}{"), ("{", "{"),
        ("é{{seq}}é", "é42é"), ("$1 $$", "$1 $$"),
        ("{{json:seq}}", #""42""#), ("{{ json: seq }}", #""42""#), ("[{{json:connection}}]", #"["8"]"#),
    ]

    @Test("Placeholders are replaced by the properties of a message", arguments: Self.formsCases)
    func forms(text: String, message: String) throws {
        try expectEqual(Template(text).text(sequence: 42, connection: 8, time: 1_700_000_000_123), message)
    }

    @Test("Numbers have as many digits as they need", arguments: [0, 9, 10, 99, 999_999, 1 << 40, .max] as [UInt64])
    func numbers(number: UInt64) throws {
        try expectEqual(
            Template("{{seq}}/{{connection}}").text(sequence: number, connection: number / 2), "\(number)/\(number / 2)"
        )
    }

    @Test("Random characters differ by seed and by their place, and are reproducible")
    func random() throws {
        let template = try Template(String(repeating: "{{random 12}}.", count: 300))
        var parts: [Substring] = []
        for seed in [0, 1, 1 << 40, 1 << 40 ^ 1] as [UInt64] {
            let message = try template.text(seed: seed)
            try expectEqual(message, template.text(seed: seed))
            expectEqual(message.utf8.count, 13 * 300)
            parts += message.split(separator: ".")
        }
        expectEqual(Set(parts).count, 4 * 300)
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        #expect(parts.allSatisfy { $0.allSatisfy(allowed.contains) })
    }

    @Test("Random characters are those of earlier versions of wsx bench")
    func randomCompatibility() throws {
        // The message number 1 of connection 0, both counted from 0.
        try expectEqual(Template("{{random 12}}.{{random 12}}").text(seed: 1), "eu4pRUL7rDgZ.kzmt5TEGZk6r")
    }

    @Test("Random integers are in their range, differ by place, and are reproducible")
    func integers() throws {
        let template = try Template("{{random:-2..1}} {{random:0..1000000000000}} {{random:0..1000000000000}}")
        var found: Set<Int> = []
        for seed in 0..<100 as Range<UInt64> {
            let text = try template.text(seed: seed)
            try expectEqual(text, template.text(seed: seed))
            let numbers = text.split(separator: " ").compactMap { Int($0) }
            found.insert(numbers[0])
            #expect(numbers[1] != numbers[2])
        }
        expectEqual(found, [-2, -1, 0, 1])
    }

    static let requestCases: [(String, String)] = [
        ("{{path}}", "/a%20b%2Fc"), ("{{query:x}}", "1+ü 2"), ("{{query:ÿ}}", "%zz"), ("{{query:y}}{{query:none}}", ""),
        ("{{header:x-a}}", "1, 2"), ("{{json:header:none}}", #""""#), ("{{query:x | length}}", "6"),
    ]

    @Test("Values of a client's request are inserted where there is one", arguments: Self.requestCases)
    func requests(text: String, message: String) throws {
        var names = VariableNames()
        names.includesRequest = true
        var variables = TemplateVariables(names)
        variables.request = RequestHead(
            method: "GET", target: "/%61%20b%2fc?x=1%2B%C3%BC+2&x=3&y&%C3%BF=%zz",
            fields: HTTPFields(["X-A", "x-a"].enumerated().map { HeaderField(wellFormedName: $1, value: "\($0 + 1)") }))
        var buffer = ByteBuffer()
        let stamp = Template.Stamp(sequence: 0, connection: 0, time: 0, seed: 0)
        try Template(text, variables: names, environment: { _ in nil }).write(
            to: &buffer, stamp: stamp, variables: variables)
        expectEqual(String(decoding: buffer.bytes, as: UTF8.self), message)
    }

    @Test("The latest output of a program is inserted where programs may run")
    func programs() throws {
        var names = try VariableNames(["exec:own"])
        let outputs = ProgramOutputs()
        names.programs = outputs
        let template = try Template(
            #"{{exec: sign "x" }} {{"a" | append:exec:"a | b}}"}} {{exec:own | default:-}}"#, variables: names)
        expectEqual(template.commands, [#" sign "x""#, "a | b}}"])
        #expect(template.insertsSecret && !template.isConstant && !template.variesByMessage)
        let variables = TemplateVariables(names)
        #expect(throws: TemplateValueError.noOutput(#" sign "x""#)) { try template.text(.first, variables) }
        (outputs[#" sign "x""#], outputs["a | b}}"]) = ("é", "2")
        try expectEqual(template.text(.first, variables), "é a2 -")
        outputs["a | b}}"] = "3"
        try expectEqual(template.text(.first, variables), "é a3 -")
        expectEqual(
            #expect(throws: TemplateError.self) { try Template("{{exec: }}", variables: names) }?.reason, .noCommand)
    }

    @Test("What is computed from a secret is reported, without the escapes that follow")
    func sink() throws {
        final class Values: Sendable { let all = Mutex<[String]>([]) }
        let values = Values()
        var names = VariableNames()
        let slot = try names.add("password", isSecret: true)
        names.sink = SecretSink { value in values.all.withLock { $0.append(String(decoding: value, as: UTF8.self)) } }
        var variables = TemplateVariables(names)
        variables.set(slot, to: "a/b")
        for text in [
            "{{password | append:seq}}", #"{{"k" | hmac-sha256:env:K | base64 | json | url}}"#, #"{{"x" | hex}}"#,
            "{{password}}", "{{seq | append:password | length}}",
        ] {
            _ = try Template(text, variables: names) { _ in "key" }.text(.first, variables)
        }
        expectEqual(values.all.withLock(\.self), ["a/b1", "ltBVlL7Kr4LiPez+1vRBAFPjrg8p21pnWKQp+Z+QKPI=", "4"])
    }

    @Test("UUIDs are of version 4, and differ by seed and by their place")
    func uuids() throws {
        let template = try Template("{{uuid}} {{uuid}}")
        var uuids: Set<Substring> = []
        for seed in 0..<100 as Range<UInt64> {
            for uuid in try template.text(seed: seed).split(separator: " ") {
                expectEqual(uuid.utf8.count, 36)
                let groups = uuid.split(separator: "-")
                expectEqual(groups.map(\.count), [8, 4, 4, 4, 12])
                #expect(groups.allSatisfy { $0.allSatisfy { "0123456789abcdef".contains($0) } })
                #expect(groups[2].first == "4" && "89ab".contains(groups[3].first ?? "x"))
                uuids.insert(uuid)
            }
        }
        expectEqual(uuids.count, 200)
        #expect(template.variesByMessage && template.constantByteCount == 73)
    }

    @Test("A variable replaces a placeholder of the same name", arguments: ["uuid", "iso"])
    func replaced(name: String) throws {
        let names = try VariableNames([name])
        var variables = TemplateVariables(names)
        variables.set(0, to: Array("mine".utf8).span.bytes)
        var buffer = ByteBuffer()
        let stamp = Template.Stamp(sequence: 1, connection: 1, time: 1, seed: 1)
        try Template("{{\(name)}}", variables: names, environment: { _ in nil })
            .write(to: &buffer, stamp: stamp, variables: variables)
        expectEqual(
            buffer.withReadableBytes { String(decoding: $0.withUnsafeBytes { Array($0) }, as: UTF8.self) }, "mine")
    }

    @Test("Environment variables are inserted when the template is parsed")
    func environment() throws {
        let values = ["TOKEN": #"a"b"#, "EMPTY": ""]
        let template = try Template("{{env:TOKEN}}{{env:EMPTY}} {{json:env:TOKEN}}") { values[$0] }
        try expectEqual(template.text(), #"a"b "a\"b""#)
        expectTrue(template.insertsSecret)
        expectTrue(template.isConstant)
        var columns = VariableNames()
        for name in ["user", "access_token"] { try columns.add(column: name) }
        try columns.add("session")
        for (text, insertsSecret) in [("{{user}}", false), ("{{json:access_token}}", true), ("{{session}}", false)] {
            try expectEqual(Template(text, variables: columns, environment: { _ in nil }).insertsSecret, insertsSecret)
        }
        try expectFalse(Template("{{seq}}").insertsSecret)
    }

    @Test("Braces in the value of an environment variable have no meaning")
    func environmentBraces() throws {
        try expectEqual(Template("{{env:A}}") { _ in "{{seq}}" }.text(), "{{seq}}")
    }

    @Test("Variables are inserted as text, or as JSON strings")
    func variables() throws {
        let names = try VariableNames(["name", "user id", "größe"])
        var variables = TemplateVariables(names)
        variables.set(0, to: "Ada \"L\"\n")
        variables.set(1, to: "7")
        variables.set(2, to: "é")
        let template = try Template("{{name}}|{{json:name}}|{{user id}}|{{json:user id}}|{{größe}}", variables: names)
        try expectEqual(template.text(.first, variables), "Ada \"L\"\n|\"Ada \\\"L\\\"\\n\"|7|\"7\"|é")
        expectTrue(template.usesVariables)
        expectFalse(template.usesLastMessage)
    }

    @Test("A variable without a value is an error that names it")
    func unset() throws {
        let names = try VariableNames(["a", "sid"])
        let template = try Template("{{sid}}", variables: names)
        #expect(throws: TemplateValueError.unset("sid")) { try template.text(.first, TemplateVariables(names)) }
        expectEqual("\(TemplateValueError.unset("sid"))", #"the variable "sid" has no value yet"#)
    }

    static let lastMessageCases: [(String, String)] = [
        ("{{last:/token}}", #"a"b"#), ("{{json:last:/token}}", #""a\"b""#), ("{{last:/id}}", "7.50"),
        ("{{json:last:/id}}", "7.50"), ("{{last:/list}}", "[1,2]"), ("{{json:last:/list}}", "[1,2]"),
        ("{{last:.list[-1]}}", "2"), ("{{last:/none}}", "null"),
        ("{{last:}}", #"{"token":"a\"b","id":7.50,"list":[1,2],"none":null}"#),
    ]

    @Test("Values of the last message are inserted as text, or as JSON", arguments: Self.lastMessageCases)
    func lastMessage(text: String, message: String) throws {
        var variables = TemplateVariables()
        variables.setLastMessage("replaced")
        variables.setLastMessage(#"{"token":"a\"b","id":7.50,"list":[1, 2],"none":null}"#)
        let template = try Template(text)
        expectTrue(template.usesLastMessage)
        try expectEqual(template.text(.first, variables), message)
    }

    @Test(
        "A missing value of the last message is an error that names the reason",
        arguments: [
            (nil, .noLastMessage), ("", .notJSON), ("x", .notJSON), (#"{"a":1"#, .notJSON),
            ("{}", .missing(path: "/a")),
        ] as [(String?, TemplateValueError)])
    func missing(message: String?, error: TemplateValueError) throws {
        var variables = TemplateVariables()
        if let message { variables.setLastMessage(message) }
        let template = try Template("{{last:/a}}")
        #expect(throws: error) { try template.text(.first, variables) }
    }

    @Test("A binary message that is not UTF-8 has no values")
    func binaryMessage() throws {
        var variables = TemplateVariables()
        Array(#"{"a":"?"}"#.utf8).map { $0 == UInt8(ascii: "?") ? 0xFF : $0 }.withUnsafeBytes {
            variables.setLastMessage($0.bytes)
        }
        let template = try Template("{{last:/a}}")
        #expect(throws: TemplateValueError.notJSON) { try template.text(.first, variables) }
    }

    @Test("The size is known unless variables or messages determine it")
    func sizes() throws {
        let names = try VariableNames(["a"])
        for (text, constant, maximum) in [
            ("hello", 5, 5), ("a{{random 10}}", 11, 11), ("a{{seq}}", nil, 21), ("{{json:time}}", nil, 22),
            ("{{a}}", nil, nil), ("b{{last:/a}}", nil, nil), ("", 0, 0),
        ] as [(String, Int?, Int?)] {
            let template = try Template(text, variables: names)
            expectEqual(template.constantByteCount, constant)
            expectEqual(template.maximumByteCount, maximum)
        }
        try expectTrue(Template("{{{{").isConstant)
        try expectFalse(Template("{{random 3}}").isConstant)
        try expectTrue(Template("x{{seq}}").usesSequence)
        try expectFalse(Template("x{{connection}}").usesSequence)
    }

    @Test("Text without placeholders is any bytes")
    func literal() throws {
        let template = Template(literal: Array("{{seq}}".utf8))
        expectTrue(template.isConstant)
        try expectEqual(template.text(), "{{seq}}")
        expectEqual(Template(literal: []).maximumByteCount, 0)
    }

    @Test(
        "In a URL, values are percent-encoded, and the rest of the text is not",
        arguments: [
            ("/{{name}}?a=b&c={{env:E}}", "/a%2F%22%C3%A9~?a=b&c=%26%20"), ("{{json:name}}", "%22a%2F%5C%22%C3%A9~%22"),
            ("{{json:env:E}}", "%22%26%20%22"), ("{{seq}}{{{{ é", "1{{ é"),
        ])
    func percentEncoding(text: String, expected: String) throws {
        let names = try VariableNames(["name"])
        var variables = TemplateVariables(names)
        variables.set(0, to: "a/\"é~")
        let template = try Template(text, variables: names, percentEncodesValues: true) { _ in "& " }
        let result = try template.text(.first, variables)
        expectEqual(result, expected)
    }

    @Test(
        "Only numbers, times, random characters, and received messages distinguish the messages of a connection",
        arguments: [
            ("a", false), ("{{connection}}{{name}}", false), ("{{seq}}", true), ("{{time}}", true),
            ("{{random 1}}", true),
            ("{{last:/a}}", true),
        ])
    func variation(text: String, varies: Bool) throws {
        let template = try Template(text, variables: try VariableNames(["name"]))
        expectEqual(template.variesByMessage, varies)
    }

    @Test(
        "Writing a message does not allocate",
        .enabled(if: allocation_counter_is_available(), "allocations can be counted only with glibc"),
        arguments: [
            #"{"id":{{seq}},"c":{{connection}},"t":{{time}}}"#, "{{random 16}}", "{{name}}", "{{json:name}}", "{{seq}}",
            "{{json:time}} {{name}}",
        ])
    func allocations(text: String) throws {
        let names = try VariableNames(["name"])
        var variables = TemplateVariables(names)
        variables.set(0, to: "Ada")
        let template = try Template(text, variables: names)
        var buffer = ByteBuffer()
        var failure: TemplateValueError?
        do throws(TemplateValueError) {
            for number in 0..<10_000 {
                // The first messages grow the buffer.
                if number == 10 { allocation_counter_start() }
                buffer.removeAll()
                let number = UInt64(number)
                let stamp = Template.Stamp(sequence: number, connection: 1, time: number, seed: number)
                try template.write(to: &buffer, stamp: stamp, variables: variables)
            }
        } catch {
            failure = error
        }
        let count = allocation_counter_stop()
        expectNil(failure)
        expectEqual(count, 0)
    }
}
