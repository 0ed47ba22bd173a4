import Conversation
import Formats
import Testing
import WSCore

@testable import Listen
@testable import Peer
@testable import UserInterface

@Suite struct ListenPromptTests {
    @Test(
        "A line goes to each client, or to the one it names",
        arguments: [
            ("hello", "all: text hello"), ("@3 hello", "3: text hello"), ("@@3 hello", "all: text @3 hello"),
            ("//help", "all: text /help"), ("/ping x", "all: ping x"), ("@2 /pong x", "2: pong x"),
            ("/close 1000 bye", "all: close 1000 bye"), ("@1 /close", "1: close 1000 "),
        ])
    func lines(line: String, sent: String) throws {
        try withPrompt { prompt, server, diagnostics in
            prompt.accept(Array(line.utf8))
            #expect(server.sent == [sent])
            #expect(diagnostics.take() == [])
        }
    }

    @Test(
        "A relay sends a line to either side",
        arguments: [
            ("/to 3 server hello", "3 server: text hello"), ("/to @3 server  a b ", "3 server: text  a b "),
            ("/to 3 client hello", "3: text hello"), ("/to 3 server //help", "3 server: text /help"),
            ("/to 3 server /ping x", "3 server: ping x"), ("/to 3 client /close 4000 bye", "3: close 4000 bye"),
            ("@3 hello", "3: text hello"),
        ])
    func relayedLines(line: String, sent: String) throws {
        try withPrompt(isRelay: true) { prompt, server, diagnostics in
            prompt.accept(Array(line.utf8))
            #expect(server.sent == [sent])
            #expect(diagnostics.take() == [])
        }
    }

    @Test(
        "A line that is encoded becomes a binary message, and one that is not JSON a mistake",
        arguments: [
            (#"/to 3 server {"a":1}"#, ["3 server: binary \u{FFFD}\u{FFFD}a\u{1}"], []),
            (#""b""#, ["all: binary \u{FFFD}b"], []), ("/ping x", ["all: ping x"], []),
            ("@3 {bad", [], ["wsx: the line was not sent: msgpack: not JSON: unexpected character at byte 2"]),
        ] as [(String, [String], [String])])
    func encodedLines(line: String, sent: [String], errors: [String]) throws {
        try withPrompt(isRelay: true, encoder: .messagePack) { prompt, server, diagnostics in
            prompt.accept(Array(line.utf8))
            #expect(server.sent == sent)
            #expect(diagnostics.take() == errors)
        }
    }

    @Test("/only shows the messages of one client or one side")
    func onlyOneOrigin() {
        for (origin, shown) in [
            (MessageOrigin(client: 1), ["1 client", "1 server"]),
            (MessageOrigin(side: .server), ["1 server", "2 server"]),
            (MessageOrigin(client: 2, side: .client), ["2 client"]),
        ] {
            var filters = MessageFilters()
            filters.restrict(to: origin)
            let payload = Array("x".utf8)
            let all = [1, 2].flatMap { client in RelaySide.allCases.map { MessageOrigin(client: client, side: $0) } }
            let passing = all.filter { other in
                let part = filters.part(of: payload.span.bytes, from: other, isError: false)
                return if case .whole = part { true } else { false }
            }
            #expect(passing.map { "\($0.client ?? 0) \($0.side?.rawValue ?? "")" } == shown)
        }
    }

    @Test(
        "An incomplete /to is a mistake, and only a relay has it",
        arguments: ["/to", "/to 3", "/to 3 server", "/to x server a", "/to 3 both a", "/to server 3 a"])
    func incompleteRelayedLines(line: String) throws {
        try withPrompt(isRelay: true) { prompt, server, diagnostics in
            prompt.accept(Array(line.utf8))
            #expect(server.sent == [])
            #expect(diagnostics.take().first?.hasPrefix("wsx: /to: write a client, a side, and a line") == true)
        }
        try withPrompt { prompt, server, diagnostics in
            prompt.accept(Array(line.utf8))
            #expect(server.sent == [])
            #expect(diagnostics.take().first?.hasPrefix("wsx: unknown command '/to'") == true)
        }
    }

    @Test("An empty line does nothing, and a mistake is reported")
    func nothing() throws {
        try withPrompt { prompt, server, diagnostics in
            prompt.accept([])
            #expect(diagnostics.take() == [])
            prompt.accept(Array("/pign".utf8))
            #expect(diagnostics.take() == ["wsx: unknown command '/pign'; did you mean '/ping'?"])
            #expect(server.sent == [])
        }
    }

    @Test(
        "A message that cannot be sent is reported, with the cause and the remedy",
        arguments: [
            (
                DeliveryProblem.noClients, "x",
                "the message was not sent: no client is connected; wait for one"
            ),
            (.noClient(3), "@3 x", "the message was not sent: there is no client 3; /clients lists the clients"),
            (.isClosing(3), "@3 x", "the message was not sent: client 3 is being closed; /clients lists the clients"),
            (.allAreClosing, "/ping", "the ping was not sent: every client is being closed; wait for another"),
            (.allAreClosing, "/pong", "the pong was not sent: every client is being closed; wait for another"),
            (
                .noRecipient, "x",
                "the message was not sent: a relay needs a recipient; write '/to 1 server TEXT', or '/to 1 client TEXT'"
            ),
            (.serverIsEnding, "/close", "the close frame was not sent: the server is stopping; start it again"),
        ])
    func problems(problem: DeliveryProblem, line: String, message: String) throws {
        try withPrompt { prompt, server, diagnostics in
            server.problem = problem
            prompt.accept(Array(line.utf8))
            #expect(diagnostics.take() == ["wsx: \(message)"])
        }
    }

    @Test("A line with invalid UTF-8 is sent only as a binary message")
    func bytes() throws {
        try withPrompt { prompt, server, diagnostics in
            prompt.accept([0x61, 0xFF])
            #expect(server.sent == [])
            #expect(
                diagnostics.take() == [
                    "wsx: the line was not sent: it is not UTF-8 text; check the terminal's encoding"
                ])
        }
        try withPrompt(.binary) { prompt, server, _ in
            prompt.accept([0x61, 0xFF])
            #expect(server.sent == ["all: binary a\u{FFFD}"])
        }
    }

    @Test("The clients are listed, or their absence is reported")
    func clients() throws {
        try withPrompt { prompt, server, diagnostics in
            prompt.accept(Array("/clients".utf8))
            #expect(diagnostics.take() == ["No clients."])
            server.clientRows = [
                ClientRow(
                    number: 1, address: "127.0.0.1:4711", path: "/", duration: .milliseconds(12300), received: 1234,
                    sent: 5),
                ClientRow(number: 12, address: "[::1]:80", path: "", duration: nil, received: 0, sent: 0),
            ]
            prompt.accept(Array("/clients".utf8))
            #expect(
                diagnostics.take() == [
                    "client  address            for     in  out  path",
                    "@1      127.0.0.1:4711  12.3 s  1,234    5  /",
                    "@12     [::1]:80             ?      0    0  ",
                ])
        }
    }

    @Test("The help explains how to address a client, and explains a command")
    func help() throws {
        try withPrompt { prompt, _, diagnostics in
            prompt.accept(Array("/help".utf8))
            let lines = diagnostics.take()
            #expect(lines.contains { $0.contains("/clients") } && !lines.contains { $0.contains("/reconnect") })
            #expect(lines.last?.hasPrefix("Lines, /ping, /pong, and /close go to all clients; '@3 TEXT'") ?? false)
            prompt.accept(Array("/help close".utf8))
            #expect(diagnostics.take().first?.contains("/close") ?? false)
        }
    }

    @Test("/pretty and /time change how messages are shown, and /record starts and stops a recording")
    func looks() throws {
        try withPrompt { prompt, _, diagnostics in
            prompt.accept(Array("/pretty off".utf8))
            #expect(diagnostics.take() == ["JSON: unchanged."])
            prompt.accept(Array("/time off".utf8))
            #expect(diagnostics.take().count == 1)
            prompt.accept(Array("/record".utf8))
            #expect(diagnostics.take() == ["wsx: /record: not recording; /record FILE starts a recording"])
            let file = try TemporaryFile(at: "/tmp/wsx-test-", contents: [])
            defer { file.remove() }
            prompt.accept(Array("/record \(file.path)".utf8))
            #expect(diagnostics.take() == ["wsx: /record: \(file.path): file already exists; use another name"])
            file.remove()
            prompt.accept(Array("/record \(file.path)".utf8))
            #expect(diagnostics.take() == ["Recording to \(file.path); /record stops it."])
            prompt.accept(Array("/record".utf8))
            #expect(diagnostics.take() == ["Recorded to \(file.path)."])
        }
    }

    @Test("/quit and Ctrl-C end the server")
    func end() throws {
        try withPrompt { prompt, server, diagnostics in
            prompt.accept(Array("/quit".utf8))
            #expect(server.endCount == 1)
            prompt.interrupted()
            #expect(server.endCount == 2)
            prompt.close()
            #expect(diagnostics.take() == [])
        }
    }

    @Test("A command that is not for one client is refused with a client's number", arguments: ["/filter x", "/quit"])
    func addressedCommand(line: String) throws {
        try withPrompt { prompt, server, diagnostics in
            prompt.accept(Array("@3 \(line)".utf8))
            #expect(
                diagnostics.take() == ["wsx: only messages, /ping, /pong, and /close can go to one client; omit '@3'"])
            #expect(server.endCount == 0 && prompt.editor.prompt == "> ")
        }
    }

    @Test("A typed message is shown even in a pause")
    func typed() throws {
        try withPrompt { prompt, server, diagnostics in
            prompt.accept(Array("/pause".utf8))
            _ = diagnostics.take()
            server.didSend = { [unowned server] in
                let text = Array("x".utf8)
                server.view?.show(text.span.bytes, as: .text, .sent)
            }
            prompt.accept(Array("x".utf8))
            #expect(diagnostics.take() == ["  #1 → x"])
        }
    }

    @Test("the editor's lines are carried out, Ctrl-D ends the server, and an error of the user's editor is shown")
    func editor() throws {
        let editor = FakeEditor()
        try withPrompt(editor: editor) { prompt, server, diagnostics in
            editor.type("hello")
            editor.type("/history")
            #expect(diagnostics.take() == ["No line in the history matches."])
            editor.type("/edit text")
            #expect(server.sent == ["all: text hello"])
            #expect(editor.edited == Array("text".utf8))
            editor.delegate?.editorDidReturn(with: "it failed")
            #expect(diagnostics.take() == ["wsx: /edit: it failed"])
            #expect(server.returnCount == 1)
            editor.isAway = true
            prompt.interrupted()
            editor.isAway = false
            editor.isEmpty = false
            prompt.interrupted()
            #expect(editor.discardCount == 1 && server.endCount == 0)
            editor.delegate?.editorDidReachEnd()
            #expect(server.endCount == 1)
            prompt.close()
            #expect(editor.isClosed)
        }
    }

    @Test("a terminal that cannot be used is an error of the input")
    func noTerminal() throws {
        let (diagnostics, loop) = (try ReadableDiagnostics(), try EventLoop())
        let (view, recording) = Self.outputs(of: diagnostics, on: loop)
        let failure = #expect(throws: Failure.self) {
            _ = try ListenPrompt.open(
                with: { (_, _, _) throws(IOError) in throw .noTerminal }, of: FakeServer(), sending: .text, view: view,
                recording: recording, on: loop)
        }
        guard case .input(.noTerminal) = failure else {
            Issue.record("\(failure as Any)")
            return
        }
    }

    private static func outputs(of diagnostics: ReadableDiagnostics, on loop: EventLoop) -> (
        MessageView, SessionRecording
    ) {
        let transcript = Transcript(
            palette: Palette(isEnabled: false), timestamps: .off, isAtPrompt: true, style: .fit, on: loop)
        return (
            MessageView(diagnostics: diagnostics.diagnostics, transcript: transcript, on: loop),
            SessionRecording(diagnostics: diagnostics.diagnostics, on: loop)
        )
    }

    /// A prompt whose output goes to the diagnostics, not to the editor.
    private func withPrompt(
        _ kind: MessageKind = .text, isRelay: Bool = false, encoder: Codec? = nil, editor: FakeEditor = FakeEditor(),
        _ body: (ListenPrompt, FakeServer, ReadableDiagnostics) throws -> Void
    ) throws {
        let (diagnostics, server, loop) = (try ReadableDiagnostics(), FakeServer(), try EventLoop())
        let (view, recording) = Self.outputs(of: diagnostics, on: loop)
        server.view = view
        let prompt = ListenPrompt(
            of: server, sending: kind, isRelay: isRelay, encoder: TextEncoder([encoder].compactMap(\.self)),
            serverEncoder: TextEncoder([encoder].compactMap(\.self)), editor: editor, view: view, recording: recording,
            on: loop)
        try body(prompt, server, diagnostics)
        recording.stop()
        loop.settle()
    }
}

/// A server that records calls.
private final class FakeServer: ListenPromptServer {
    var sent: [String] = []
    var problem: DeliveryProblem?
    var clientRows: [ClientRow] = []
    var statusFacts = StatusLine.Facts(place: ["ws://h/", "0 clients"])
    var endCount = 0
    weak var view: MessageView?
    var didSend: () -> Void = {}

    func send(typed item: InputItem, _ payload: RawSpan, to client: Int?, toServer: Bool) -> DeliveryProblem? {
        didSend()
        let recipient = (client.map { "\($0)" } ?? "all") + (toServer ? " server" : "")
        if problem == nil { sent.append("\(recipient): \(words(for: item, payload))") }
        return problem
    }

    func end() { endCount += 1 }
    var returnCount = 0
    func promptDidReturn() { returnCount += 1 }
}
