import Conversation
import Testing
import WSCore

@testable import Peer
@testable import UserInterface

@Suite struct RequestTemplateTests {
    private static var secrets: Secrets {
        Secrets { name in ["TOKEN": "a b/c", "HOST": "h:8080", "BRACES": "{{x:p q"][name] }
    }

    /// A row with the columns `user` and `token`.
    private static func row(_ user: String, _ token: String) throws -> ChosenRow {
        var reader = DataReader()
        reader.receive(Array("{\"user\":\"\(user)\",\"token\":\"\(token)\"}".utf8).span.bytes)
        reader.finish()
        let columns = try reader.readColumns() ?? VariableNames()
        return ChosenRow(columns: columns, row: try reader.nextRow())
    }

    private static func composition(
        _ row: ChosenRow?, _ change: (inout ClientArguments) -> Void
    ) throws(Failure) -> ConnectorComposition {
        var arguments = ClientArguments()
        arguments.url = "ws://h/"
        change(&arguments)
        return try ConnectorComposition(arguments, secrets: secrets, templates: row)
    }

    @Test(
        "Values in the path and the query are percent-encoded, and cannot add segments or parameters",
        arguments: [
            ("ws://h/{{user}}", "/A%2FB%3F"), ("ws://h?t={{token}}", "/?t=%26%20%25"), ("h/{{connection}}", "/1"),
            (":80/a?x={{env:TOKEN}}&u=http://y", "/a?x=a%20b%2Fc&u=http://y"), ("ws://h/{{{{user", "/%7B%7Buser"),
            ("ws://h/?j={{json:user}}", "/?j=%22A%2FB%3F%22"), ("ws+unix:/run/s:/{{user}}", "/A%2FB%3F"),
            ("ws://h/%20{{user}}é", "/%20A%2FB%3F%C3%A9"),
        ])
    func targets(url: String, target: String) throws {
        let composition = try Self.composition(try Self.row("A/B?", "& %")) { $0.url = url }
        #expect(composition.url.requestTarget == target)
    }

    @Test(
        "The URL is shown with its placeholders, and without user and password",
        arguments: [
            ("ws://h/{{user}}?t={{token}}", "ws://h/{{user}}?t={{token}}"),
            ("ws://u:p@h?t={{token}}", "ws://h/?t={{token}}"),
            ("{{env:HOST}}/{{env:TOKEN}}", "ws://h:8080/{{env:TOKEN}}"), ("ws://h/a%20b", "ws://h/a%20b"),
            ("ws+unix:/s:/{{user}}", "ws+unix:/s:/{{user}}"),
        ])
    func shown(url: String, shown: String) throws {
        let composition = try Self.composition(try Self.row("a", "b")) { $0.url = url }
        #expect(composition.requests.url.shown == shown)
    }

    @Test("A URL that is typed at the prompt, or comes from elsewhere, starts no program")
    func programs() {
        #expect(throws: Failure.self) {
            _ = try ConnectorComposition.url("exec:./url", secrets: Self.secrets, templates: nil)
        }
    }

    @Test("Without templates, braces in the URL and the request are sent unchanged")
    func literal() throws {
        let composition = try Self.composition(nil) {
            $0.url = "ws://h/{{x"
            $0.request.headers = ["A: {{x}}"]
            $0.request.bearer = "t"
        }
        #expect(composition.url.requestTarget == "/%7B%7Bx")
        #expect(composition.requests.isConstant)
        #expect(composition.connector.request.fields.first(named: "A") == "{{x}}")
    }

    @Test("Header fields, cookies, logins, and subprotocols are evaluated for each connection")
    func request() throws {
        let requests = try Self.composition(try Self.row("Ada", "1")) {
            $0.request.headers = ["X-Token: {{token}}-{{connection}}", "Y: {{env:TOKEN}}"]
            $0.request.cookies = ["id={{token}}", "user={{user}}"]
            $0.request.auth = "{{user}}:{{token}}"
            $0.request.subprotocols = ["v1.{{token}}"]
        }.requests
        #expect(!requests.isConstant)
        var values = RequestValues(connection: 7, try Self.row("Bo", "2"))
        let request = try requests.request(&values)
        #expect(request.fields.first(named: "X-Token") == "2-7")
        #expect(request.fields.first(named: "Y") == "a b/c")
        #expect(request.fields.first(named: "Cookie") == "id=2; user=Bo")
        #expect(request.fields.first(named: "Authorization") == "Basic Qm86Mg==")
        #expect(request.subprotocols == ["v1.2"])
        let bearer = try Self.composition(try Self.row("Ada", "t1")) { $0.request.bearer = "{{token}}" }
        #expect(bearer.connector.request.fields.first(named: "Authorization") == "Bearer t1")
    }

    @Test("A colon in a placeholder does not end the user name")
    func colon() throws {
        let composition = try Self.composition(try Self.row("Ada", "1")) { $0.request.auth = "{{env:TOKEN}}:x" }
        #expect(composition.connector.request.fields.first(named: "Authorization") == "Basic YSBiL2M6eA==")
    }

    @Test("A value from a file or an environment variable is not a template")
    func references() throws {
        let composition = try Self.composition(try Self.row("Ada", "1")) { $0.request.auth = "env:BRACES" }
        #expect(composition.connector.request.fields.first(named: "Authorization") == "Basic e3t4OnAgcQ==")
    }

    @Test(
        "Invalid placeholders fail, with a suggestion",
        arguments: [
            (
                "ws://{{user}}/",
                "placeholders can be in the path and the query; before them, only {{env:NAME}} is possible"
            ),
            ("ws://h/{{usr}}", "unknown placeholder '{{usr}}'; did you mean '{{user}}'?"),
            (
                "ws://{{usr}}/",
                "placeholders can be in the path and the query; before them, only {{env:NAME}} is possible"
            ),
            ("ws://h/{{seq}}", "{{seq}} numbers the messages of a connection; use {{connection}} in a request"),
            ("ws://h/{{last:/x}}", "{{last:…}} needs a received message, but the request is sent before the first one"),
        ])
    func invalid(url: String, why: String) throws {
        let row = try Self.row("Ada", "1")
        expectMessage("URL '\(url)': \(why)") { () throws(Failure) in _ = try Self.composition(row) { $0.url = url } }
    }

    @Test("An unknown placeholder in a URL suggests none that only messages can have")
    func possibleNames() throws {
        let row = try Self.row("Ada", "1")
        for name in ["sek", "lost"] {
            expectMessage(
                "URL 'ws://h/{{\(name)}}': unknown placeholder '{{\(name)}}'; expected {{connection}}, {{time}}, "
                    + "{{iso}}, {{uuid}}, {{random N}}, {{env:NAME}}, \(row.columns.names.map { "{{\($0)}}, " }.joined())or '{{{{' for two literal "
                    + "braces"
            ) { () throws(Failure) in _ = try Self.composition(row) { $0.url = "ws://h/{{\(name)}}" } }
        }
    }

    @Test("A line break in a header value is an error, which does not show the value")
    func lineBreak() throws {
        let row = try Self.row(#"secret\nX: y"#, "1")
        expectMessage("--header: the value of \"A\" contains a control character; remove line breaks and the like") {
            () throws(Failure) in _ = try Self.composition(row) { $0.request.headers = ["A: {{user}}"] }
        }
    }
}
