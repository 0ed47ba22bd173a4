import Testing
import WSCore

@testable import wsx

@Suite struct ListenPromptTests {
    @Test(
        "A line goes to each client, or to the one it names",
        arguments: [
            ("hello", "all: text hello"), ("@3 hello", "3: text hello"), ("@@3 hello", "all: text @3 hello"),
            ("//help", "all: text /help"), ("/ping x", "all: ping x"), ("@2 /pong x", "2: pong x"),
            ("/close 1000 bye", "all: close 1000 bye"), ("@1 /close", "1: close 1000 "),
        ])
    func lines(line: String, sent: String) throws {
        try withPrompt { prompt, server, console in
            prompt.accept(Array(line.utf8))
            #expect(server.sent == [sent])
            #expect(console.take() == [])
        }
    }

    @Test("An empty line does nothing, and a mistake is reported")
    func nothing() throws {
        try withPrompt { prompt, server, console in
            prompt.accept([])
            #expect(console.take() == [])
            prompt.accept(Array("/pign".utf8))
            #expect(console.take() == ["wsx: unknown command '/pign'; did you mean '/ping'?"])
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
            (.serverIsEnding, "/close", "the close frame was not sent: the server is stopping; start it again"),
        ])
    func problems(problem: DeliveryProblem, line: String, message: String) throws {
        try withPrompt { prompt, server, console in
            server.problem = problem
            prompt.accept(Array(line.utf8))
            #expect(console.take() == ["wsx: \(message)"])
        }
    }

    @Test("A line with invalid UTF-8 is sent only as a binary message")
    func bytes() throws {
        try withPrompt { prompt, server, console in
            prompt.accept([0x61, 0xFF])
            #expect(server.sent == [])
            #expect(
                console.take() == ["wsx: the line was not sent: it is not UTF-8 text; check the terminal's encoding"])
        }
        try withPrompt(.binary) { prompt, server, _ in
            prompt.accept([0x61, 0xFF])
            #expect(server.sent == ["all: binary a\u{FFFD}"])
        }
    }

    @Test("The clients are listed, or their absence is reported")
    func clients() throws {
        try withPrompt { prompt, server, console in
            prompt.accept(Array("/clients".utf8))
            #expect(console.take() == ["No clients."])
            server.clientRows = [
                ClientRow(
                    number: 1, address: "127.0.0.1:4711", path: "\"/\"", duration: .milliseconds(12300), received: 1234,
                    sent: 5),
                ClientRow(number: 12, address: "[::1]:80", path: "", duration: nil, received: 0, sent: 0),
            ]
            prompt.accept(Array("/clients".utf8))
            #expect(
                console.take() == [
                    "client  address            for     in  out  path",
                    "@1      127.0.0.1:4711  12.3 s  1,234    5  \"/\"",
                    "@12     [::1]:80             ?      0    0  ",
                ])
        }
    }

    @Test("The help explains how to address a client, and explains a command")
    func help() throws {
        try withPrompt { prompt, _, console in
            prompt.accept(Array("/help".utf8))
            let lines = console.take()
            #expect(lines.contains { $0.contains("/clients") } && !lines.contains { $0.contains("/reconnect") })
            #expect(lines.last?.hasPrefix("Lines, /ping, /pong, and /close go to all clients; '@3 TEXT'") ?? false)
            prompt.accept(Array("/help close".utf8))
            #expect(console.take().first?.contains("/close") ?? false)
        }
    }

    @Test("/pretty and /time change how messages are shown, and /record starts and stops a recording")
    func looks() throws {
        try withPrompt { prompt, _, console in
            prompt.accept(Array("/pretty off".utf8))
            #expect(console.take() == ["JSON: unchanged."])
            prompt.accept(Array("/time off".utf8))
            #expect(console.take().count == 1)
            prompt.accept(Array("/record".utf8))
            #expect(console.take() == ["wsx: /record: not recording; /record FILE starts a recording"])
            let file = try TemporaryFile(at: "/tmp/wsx-test-", contents: [])
            defer { file.remove() }
            prompt.accept(Array("/record \(file.path)".utf8))
            #expect(console.take() == ["wsx: /record: \(file.path): file already exists; use another name"])
            file.remove()
            prompt.accept(Array("/record \(file.path)".utf8))
            #expect(console.take() == ["Recording to \(file.path); /record stops it."])
            prompt.accept(Array("/record".utf8))
            #expect(console.take() == ["Recorded to \(file.path)."])
        }
    }

    @Test("/quit and Ctrl-C end the server; without a terminal there is no history")
    func end() throws {
        try withPrompt { prompt, server, console in
            prompt.accept(Array("/quit".utf8))
            #expect(server.endCount == 1)
            prompt.interrupted()
            #expect(server.endCount == 2)
            prompt.accept(Array("/history".utf8))
            prompt.accept(Array("/edit".utf8))
            prompt.close()
            #expect(console.take() == [] && prompt.editor == nil)
        }
    }

    @Test("the editor's lines are carried out, Ctrl-D ends the server, and an error of the user's editor is shown")
    func editor() throws {
        try withPrompt { prompt, server, console in
            let editor = FakeEditor()
            try prompt.open(with: { (_, _, _) throws(IOError) in editor }, on: try EventLoop())
            editor.type("hello")
            editor.type("/history")
            editor.type("/edit text")
            #expect(server.sent == ["all: text hello"])
            #expect(editor.edited == Array("text".utf8))
            editor.delegate?.editorDidReturn(with: "it failed")
            #expect(editor.shown.contains("/edit: it failed\n"))
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
            #expect(editor.isClosed && prompt.editor == nil)
        }
    }

    @Test("a terminal that cannot be used is an error of the input")
    func noTerminal() throws {
        try withPrompt { prompt, _, _ in
            let loop = try EventLoop()
            let failure = #expect(throws: Failure.self) {
                try prompt.open(with: { (_, _, _) throws(IOError) in throw .noTerminal }, on: loop)
            }
            guard case .input(.noTerminal) = failure else {
                Issue.record("\(failure as Any)")
                return
            }
        }
    }

    private func withPrompt(
        _ kind: MessageKind = .text, _ body: (ListenPrompt, FakeServer, ReadableConsole) throws -> Void
    ) throws {
        let console = try ReadableConsole()
        let server = FakeServer()
        let loop = try EventLoop()
        let transcript = PromptTranscript(palette: Palette(isEnabled: false), timestamps: .off, on: loop)
        let view = MessageView(console: console.console, transcript: transcript, on: loop)
        let recording = SessionRecording(console: console.console, on: loop)
        try body(ListenPrompt(of: server, sending: kind, view: view, recording: recording), server, console)
        recording.stop()
    }
}

/// A server that records calls.
private final class FakeServer: ListenPromptServer {
    var sent: [String] = []
    var problem: DeliveryProblem?
    var clientRows: [ClientRow] = []
    var statusFacts = StatusLine.Facts(place: ["ws://h/", "0 clients"])
    var endCount = 0

    func send(typed item: InputItem, _ payload: RawSpan, to client: Int?) -> DeliveryProblem? {
        if problem == nil { sent.append("\(client.map { "\($0)" } ?? "all"): \(words(for: item, payload))") }
        return problem
    }

    func end() { endCount += 1 }
    var returnCount = 0
    func promptDidReturn() { returnCount += 1 }
}
