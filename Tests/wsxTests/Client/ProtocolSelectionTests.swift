import CommandLine
import Conversation
import Testing
import WSCore

@testable import Bench
@testable import Connect
@testable import Peer
@testable import UserInterface

@Suite struct ProtocolSelectionTests {
    private static func secrets() -> Secrets { Secrets { ["PASSWORD": "hush-hush", "EMPTY": ""][$0] } }

    private static func arguments(_ choice: ProtocolChoice, _ parameters: (String, String)...) -> ProtocolArguments {
        var arguments = ProtocolArguments()
        arguments.choice = choice
        arguments.parameters = parameters.map { ProtocolParameterValue(name: $0.0, value: $0.1) }
        return arguments
    }

    private static func message(_ arguments: ProtocolArguments) -> String? {
        do throws(Failure) {
            _ = try ProtocolSelection.make(arguments, secrets: secrets())
            return nil
        } catch {
            return error.message
        }
    }

    private static func settings(_ change: (inout ConnectArguments) -> Void) throws(Failure) -> ConnectSettings {
        var arguments = ConnectArguments()
        arguments.client.url = "ws://h/"
        change(&arguments)
        return try ConnectSettings(arguments, secrets: secrets())
    }

    private static func connector(
        _ url: String, _ name: String, _ change: (inout ConnectArguments) -> Void = { _ in }
    ) throws -> Connector.Settings {
        try Self.settings {
            $0.client.url = url
            $0.protocols.choice = .named(name)
            change(&$0)
        }.connector
    }

    // MARK: Arguments

    @Test("Parameters are read from the environment, the last value of a name counts, and secrets are remembered")
    func parameters() throws {
        let secrets = Self.secrets()
        let selection = try ProtocolSelection.make(
            Self.arguments(.named("mqtt"), ("username", "a"), ("username", "b"), ("password", "env:PASSWORD")),
            secrets: secrets)
        #expect(selection?.descriptor.name == "mqtt")
        #expect(selection?.parameters.values == ["username": "b", "password": "hush-hush"])
        #expect(secrets.record.texts == ["hush-hush"])
    }

    @Test("The strings in a secret JSON value are secrets, too, but not the names of its members")
    func secretStrings() throws {
        let secrets = Self.secrets()
        let auth = #"{"user":["a\u0062c"],"n":1}"#
        _ = try ProtocolSelection.make(Self.arguments(.named("socket.io"), ("auth", auth)), secrets: secrets)
        #expect(secrets.record.texts == [auth, "abc"])
    }

    /// A row with the column "token".
    private static func row(_ token: String) throws -> ChosenRow {
        var reader = DataReader()
        reader.receive(Array("token\n\(token)\n".utf8).span.bytes)
        reader.finish()
        let columns = try #require(try reader.readColumns())
        return ChosenRow(columns: columns, row: try reader.nextRow(), place: "--data x.csv, line 2")
    }

    @Test("Placeholders in parameters are replaced for each connection, and the strings are secrets")
    func templates() throws {
        let secrets = Self.secrets()
        let auth = #"{"token":{{json:token}},"n":{{connection}}}"#
        let selection = try #require(
            try ProtocolSelection.make(
                Self.arguments(.named("socket.io"), ("auth", auth)), templates: try Self.row("ada's"), secrets: secrets)
        )
        #expect(selection.parameters.values == ["auth": #"{"token":"ada's","n":1}"#])
        #expect(secrets.record.texts.contains("ada's"))
        #expect(!selection.isConstant)
        let session = selection.makeSession(connection: 7, try Self.row("bob's"), clockOffset: 0)
        var output = ProtocolOutput()
        session.connectionOpened(subprotocol: nil, at: 0, &output)
        session.received(
            Array(#"0{"sid":"s","pingInterval":1000,"pingTimeout":1000}"#.utf8).span.bytes, as: .text, at: 0, &output)
        #expect(output.items.contains(.send(Array(#"40{"token":"bob's","n":7}"#.utf8), .text)))
    }

    @Test("A parameter that is invalid for a row is reported without its value, and so is an unknown placeholder")
    func invalidTemplates() throws {
        let arguments = Self.arguments(.named("socket.io"), ("auth", #"{"token":{{token}}}"#))
        #expect {
            try ProtocolSelection.make(arguments, templates: try Self.row("t0ken"), secrets: Self.secrets())
        } throws: { error in
            let message = (error as? Failure)?.message ?? ""
            return message.hasPrefix("--data x.csv, line 2: --param: the parameter auth is not JSON")
                && !message.contains("t0ken")
        }
        let selection = try #require(
            try ProtocolSelection.make(arguments, templates: try Self.row("17"), secrets: Self.secrets()))
        try selection.check(connection: 2, try Self.row("18"))
        #expect(throws: Failure.self) { try selection.check(connection: 2, try Self.row("t0ken")) }
        #expect {
            try ProtocolSelection.make(
                Self.arguments(.named("socket.io"), ("auth", "{{tokn}}")), templates: try Self.row("x"),
                secrets: Self.secrets())
        } throws: { error in
            (error as? Failure)?.message == "--param auth: unknown placeholder '{{tokn}}'; did you mean '{{token}}'?"
        }
    }

    @Test("A value from a file or the environment is no template: a password may contain braces")
    func referencedValues() throws {
        let secrets = Secrets { $0 == "PASSWORD" ? "a{{b}}c" : nil }
        let selection = try #require(
            try ProtocolSelection.make(
                Self.arguments(.named("mqtt"), ("password", "env:PASSWORD"), ("username", "{{connection}}")),
                templates: ChosenRow(), secrets: secrets))
        #expect(selection.parameters.values == ["password": "a{{b}}c", "username": "1"])
    }

    @Test("A line that may be valid after a reply is not rejected before connecting, and neither are those after it")
    func dependentLines() throws {
        let selection = try #require(
            try ProtocolSelection.make(Self.arguments(.named("socket.io")), secrets: Self.secrets()))
        // There may be 1024 namespaces, and the server may end some.
        let lines = ((0...1024).map { "/\($0)" } + ["[]"]).map { Array($0.utf8) }
        #expect(selection.firstInvalid(of: lines, wantsReplies: true) == nil)
        #expect(selection.firstInvalid(of: lines.suffix(1), wantsReplies: true)?.index == 0)
    }

    @Test("A message that the protocol rejects is reported before connecting, unless it may depend on a placeholder")
    func rejectedMessages() throws {
        func problem(_ messages: String..., usesTemplates: Bool = false) -> String? {
            do throws(Failure) {
                _ = try Self.settings {
                    $0.protocols.choice = .named("mqtt")
                    $0.messages.texts = messages
                    $0.data.usesTemplates = usesTemplates
                }
                return nil
            } catch {
                return error.message
            }
        }
        #expect(problem("sub a/#", "pub a/b x", "unsub a/#") == nil)
        #expect(problem("sub a/#", "pub a/# x")?.hasPrefix("message 2: ") == true)
        #expect(problem("pub a/# x", usesTemplates: true) == nil)
    }

    @Test("A step of a scenario that the protocol rejects is reported before connecting, up to the first placeholder")
    func rejectedSteps() throws {
        func problem(_ lines: String...) throws -> String? {
            let selection = try ProtocolSelection.make(Self.arguments(.named("mqtt")), secrets: Self.secrets())
            let steps = lines.map { #"{"type":"message","direction":"out","data":"\#($0)"}"# }
            do throws(Failure) {
                _ = try Scenario.make(
                    Array(steps.joined(separator: "\n").utf8), path: "s", ScenarioOptions(ScenarioArguments()),
                    encoders: [],
                    lineCheck: selection?.lineCheck)
                return nil
            } catch {
                return error.message
            }
        }
        #expect(try problem("sub a", "pub a x") == nil)
        #expect(try problem("sub a", "pub a/# x")?.hasPrefix("--scenario s, line 2: ") == true)
        #expect(try problem("sub {{seq}}", "pub a/# x") == nil)
    }

    @Test("Without a protocol, or with one to detect, nothing is selected")
    func none() throws {
        #expect(try ProtocolSelection.make(ProtocolArguments(), secrets: Self.secrets()) == nil)
        #expect(try ProtocolSelection.make(Self.arguments(.automatic), secrets: Self.secrets()) == nil)
    }

    @Test(
        "Errors name the parameter and the remedy",
        arguments: [
            (
                Self.arguments(.named("mqtt"), ("usrname", "a")),
                "--param: unknown parameter 'usrname'; did you mean 'username'?"
            ),
            (
                Self.arguments(.named("mqtt"), ("x", "a")),
                "--param: unknown parameter \"x\"; expected client-id, username, password, clean, keep-alive"
            ),
            (
                Self.arguments(.named("phoenix"), ("x", "a")),
                "--param: unknown parameter \"x\"; the protocol has none"
            ),
            (
                Self.arguments(.named("socket.io"), ("auth", "{token:t}")),
                "--param: the parameter auth is not JSON: unexpected character at byte 2; "
                    + "in a shell, quote it: --param 'auth={...}'"
            ),
            (
                Self.arguments(.named("mqtt"), ("password", "env:NONE")),
                "--param password: the environment variable 'NONE' is not set; export it"
            ),
            (
                Self.arguments(.named("signalr"), ("negotiate", "no")),
                "--param: the parameter negotiate is invalid: expected true or false"
            ),
            (
                Self.arguments(.automatic, ("x", "a")),
                "--param with --protocol auto: parameters belong to a protocol; name the protocol"
            ),
            (
                Self.arguments(.file("/nonexistent")),
                "--protocol /nonexistent: no such file or directory; check the path"
            ),
            (
                Self.arguments(.file("/dev/null")),
                "--protocol /dev/null:1:1: the file is not JSON: the text is incomplete"
            ),
        ])
    func errors(arguments: ProtocolArguments, message: String) {
        #expect(Self.message(arguments) == message)
    }

    @Test("Each session has its own state")
    func sessions() throws {
        let selection = try #require(
            try ProtocolSelection.make(Self.arguments(.named("json-rpc")), secrets: Self.secrets()))
        let sessions = (1...2).map { selection.makeSession(connection: $0, clockOffset: 0) }
        #expect(sessions[0] !== sessions[1])
    }

    @Test("A load test needs the name of its protocol")
    func bench() {
        var arguments = BenchArguments()
        arguments.client.url = "ws://h/"
        arguments.protocols.choice = .automatic
        #expect(throws: Failure.self) { try BenchSettings(arguments, secrets: Self.secrets()) }
    }

    // MARK: The request

    @Test(
        "The protocol completes the URL, and leaves what the user gave",
        arguments: [
            ("http://h:3000", "socket.io", "ws://h:3000/socket.io/?EIO=4&transport=websocket"),
            ("https://h/?EIO=4", "socket.io", "wss://h/socket.io/?EIO=4&transport=websocket"),
            ("h/my.io/?a=b", "socket.io", "ws://h/my.io/?a=b&EIO=4&transport=websocket"),
            (":4000/socket?token=t", "phoenix", "ws://localhost:4000/socket/websocket?token=t&vsn=2.0.0"),
            (":1", "phoenix", "ws://localhost:1/socket/websocket?vsn=2.0.0"),
            ("ws+unix:/s", "actioncable", "ws+unix:/s:/cable"), ("h:1/graphql", "graphql", "ws://h:1/graphql"),
        ] as [(String, String, String)])
    func urls(typed: String, name: String, url: String) throws {
        #expect(try Self.connector(typed.contains(":") ? typed : "ws://" + typed, name).request.url.text == url)
    }

    @Test("The URL of a template is completed after its evaluation, and shown with its placeholders")
    func template() throws {
        var arguments = ClientArguments()
        arguments.url = "ws://h/{{connection}}?x={{connection}}"
        let selection = try ProtocolSelection(ApplicationProtocol.all.first { $0.name == "phoenix" }!)
        let composition = try ConnectorComposition(
            arguments, secrets: Self.secrets(), templates: ChosenRow(), protocolSelection: selection)
        #expect(composition.url.requestTarget == "/1/websocket?x=1&vsn=2.0.0")
        #expect(composition.requests.url.shown == "ws://h/{{connection}}/websocket?x={{connection}}&vsn=2.0.0")
    }

    @Test("The subprotocols of the protocol are offered, unless the user names some")
    func subprotocols() throws {
        #expect(try Self.connector("ws://h", "graphql").request.subprotocols == ["graphql-transport-ws", "graphql-ws"])
        let own = try Self.connector("ws://h", "graphql") { $0.client.request.subprotocols = ["graphql-ws"] }
        #expect(own.request.subprotocols == ["graphql-ws"])
        let field = try Self.connector("ws://h", "graphql") {
            $0.client.request.headers = ["sec-websocket-protocol: a"]
        }
        #expect(field.request.subprotocols == ["a"])
    }

    @Test(
        "Action Cable gets the origin of the server, unless the user names another",
        arguments: [
            ("wss://h/", nil, nil, "https://h"), ("ws://h:3000/", nil, nil, "http://h:3000"),
            ("ws://h/", nil, "app.example", "http://app.example"), ("ws://h/", "http://o", nil, "http://o"),
        ] as [(String, String?, String?, String)])
    func origin(url: String, origin: String?, host: String?, sent: String) throws {
        let request = try Self.connector(url, "actioncable") {
            $0.client.request.origin = origin
            $0.client.request.host = host
        }.request
        #expect(request.fields.all(named: "Origin") == [sent])
        #expect(try Self.connector(url, "mqtt").request.fields.first(named: "Origin") == nil)
        // Only the first message reveals Action Cable, so detection needs the origin, too.
        let detecting = try Self.connector(url, "") {
            $0.protocols.choice = .automatic
            $0.client.request.origin = origin
            $0.client.request.host = host
        }.request
        #expect(detecting.fields.all(named: "Origin") == [sent])
    }

    @Test("An Origin field of the user replaces the server's origin")
    func originField() throws {
        let request = try Self.connector("ws://h/", "actioncable") {
            $0.client.request.headers = ["Origin: http://o"]
        }.request
        #expect(request.fields.all(named: "Origin") == ["http://o"])
    }

    @Test("Another URL at the prompt is completed, too; another server does not learn secret parameters")
    func otherURL() throws {
        let settings = try Self.settings {
            $0.client.url = "ws://h/"
            $0.protocols = Self.arguments(.named("socket.io"), ("auth", "\"t\""), ("namespace", "/n"))
        }
        #expect(try settings.leading(to: "ws://h/my.io/").url.requestTarget == "/my.io/?EIO=4&transport=websocket")
        let elsewhere = try settings.leading(to: "ws://other/")
        #expect(elsewhere.url.requestTarget == "/socket.io/?EIO=4&transport=websocket")
        #expect(elsewhere.protocolSelection?.parameters.values == ["namespace": "/n"])
    }

    // MARK: Negotiation

    private static func negotiation(_ parameters: (String, String)...) throws -> Connector.Negotiation? {
        try Self.connector("ws://h/chat?a=b", "signalr") {
            $0.protocols.parameters = parameters.map { ProtocolParameterValue(name: $0.0, value: $0.1) }
        }.negotiation
    }

    private static func next(_ body: String, bearer: String? = nil) throws -> Connector.Negotiation.Next {
        let connector = try Self.connector("wss://h/chat?a=b", "signalr") { $0.client.request.bearer = bearer }
        let negotiation = try #require(connector.negotiation)
        return try negotiation.next(Array(body.utf8).span.bytes, connector.request, RedirectPolicy())
    }

    @Test("SignalR negotiates unless the parameter negotiate is false; other protocols do not")
    func negotiates() throws {
        let url = try WebSocketURL(parsing: "ws://h/chat?a=b")
        #expect(try Self.negotiation()?.url(url).requestTarget == "/chat/negotiate?a=b&negotiateVersion=1")
        #expect(try Self.negotiation(("negotiate", "false")) == nil)
        #expect(try Self.connector("ws://h", "mqtt").negotiation == nil)
    }

    @Test("A negotiation may lead from a server without TLS to one with it")
    func security() throws {
        var arguments = ClientArguments()
        arguments.url = "ws://h/"
        for (name, hasTLS) in [("signalr", true), ("mqtt", false)] {
            let selection = try ProtocolSelection.make(Self.arguments(.named(name)), secrets: Self.secrets())
            let composition = try ConnectorComposition(
                arguments, secrets: Self.secrets(), protocolSelection: selection)
            #expect((composition.tls != nil) == hasTLS)
        }
    }

    @Test("The connection token becomes a query parameter")
    func token() throws {
        guard case .upgrade(let request) = try Self.next(#"{"connectionToken":"a+/=&é"}"#, bearer: "t") else {
            Issue.record("no upgrade")
            return
        }
        #expect(request.url.requestTarget == "/chat?a=b&id=a%2B%2F%3D%26%C3%A9")
        #expect(request.fields.first(named: "Authorization") == "Bearer t")
    }

    @Test("A redirect leads to another negotiation with the access token; credentials stay with their server")
    func redirect() throws {
        let body = #"{"url":"https://azure.example/client/?hub=chat","accessToken":"x.y"}"#
        guard case .negotiate(let request) = try Self.next(body, bearer: "t") else {
            Issue.record("no negotiation")
            return
        }
        #expect("\(request.url)" == "wss://azure.example/client/?hub=chat")
        #expect(request.fields.all(named: "Authorization") == ["Bearer x.y"])
        guard case .negotiate(let other) = try Self.next(#"{"url":"https://azure.example/"}"#, bearer: "t") else {
            Issue.record("no negotiation")
            return
        }
        #expect(other.fields.first(named: "Authorization") == nil)
    }

    @Test(
        "A response that allows no connection is an error",
        arguments: [
            (#"{"error":"no"}"#, "the server refused to negotiate: \"no\""),
            ("<html>", "the response to the negotiate request has no connection id; try --param negotiate=false"),
            (
                #"{"url":"https://h/","accessToken":"a b"}"#,
                "the access token in the response is invalid: "
                    + "a token must be one or more visible ASCII characters, without spaces"
            ),
        ])
    func refusals(body: String, reason: String) throws {
        do {
            _ = try Self.next(body)
            Issue.record("no error")
        } catch ConnectError.negotiation(reason: let found) {
            #expect(found == reason)
        }
    }

    @Test("A redirect must not drop encryption")
    func downgrade() throws {
        do {
            _ = try Self.next(#"{"url":"http://h/"}"#)
            Issue.record("no error")
        } catch ConnectError.redirect(.wouldDropEncryption) {
        }
    }

    // MARK: Detection

    @Test("The opening or the first message identifies the protocol")
    func detection() throws {
        let url = try WebSocketURL(parsing: "ws://h/")
        #expect(ApplicationProtocol.detected(url: url, subprotocol: "mqtt")?.name == "mqtt")
        #expect(
            ApplicationProtocol.detected(
                url: try WebSocketURL(parsing: "ws://h/?EIO=4&transport=x"), subprotocol: nil)?.name
                == "socket.io")
        #expect(ApplicationProtocol.detected(url: url, subprotocol: "chat") == nil)
        let welcome = Array(#"{"type":"welcome"}"#.utf8)
        let cable = ApplicationProtocol.detected(firstMessage: welcome.span.bytes, as: .text)?.name
        let binary = ApplicationProtocol.detected(firstMessage: welcome.span.bytes, as: .binary)
        #expect(cable == "actioncable")
        #expect(binary == nil)
    }
}
