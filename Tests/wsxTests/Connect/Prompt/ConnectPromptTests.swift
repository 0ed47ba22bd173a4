import Conversation
import Formats
import Glibc
import Testing

@testable import Connect
@testable import Peer
@testable import UserInterface
@testable import WSCore

/// The prompt with a fake connection, editor, and terminal.
@Suite struct ConnectPromptTests {
    /// The prompt's calls to the connection.
    private enum Call: Equatable {
        case send(String, MessageKind)
        case control(Opcode, String)
        case close(UInt16?)
        case stopConnecting
        case reconnect(String?)
        case retry
        case drop
        case end
        case drained
    }

    private final class Link: PromptConnection {
        var decoders: [Codec] = []
        func decode(with codecs: [Codec]) -> Bool {
            decoders = codecs
            return true
        }
        var variables: [String] = []
        func set(_ variable: SetVariableValue) -> String? {
            guard variable.name != "bad" else { return "another name" }
            variables.append("\(variable.name)=\(variable.path.source)")
            return nil
        }
        func text(of call: MessageCall) throws(TemplateProblem) -> [UInt8] {
            guard call.name == "hello" else { throw TemplateProblem(words: "unknown") }
            return Array("hello \(call.values["name"] ?? "")".utf8)
        }
        var link = PromptLink.open
        var isFull = false
        var unsentBytes = 0
        var incomingProgress: MessageProgress?
        var heads: [(line: String, direction: Transcript.Direction)] = []
        func curlCommand(showsSecrets: Bool) throws(Failure) -> CurlText {
            var arguments = ConnectArguments()
            arguments.client.url = "ws://h/?token=geheim"
            return try ConnectSettings(arguments).curlCommand(showsSecrets: showsSecrets)
        }
        var facts: [(name: String, value: String)] = [("URL", "ws://h/"), ("TLS", "one\ntwo")]
        var attemptWords: String?
        var statusFacts = StatusLine.Facts(place: ["ws://h/"])
        var takesControls = true
        var calls: [Call] = []

        func sendTyped(_ payload: RawSpan, as kind: MessageKind) { calls.append(.send(text(payload), kind)) }
        func send(control opcode: Opcode, _ payload: RawSpan) -> Bool {
            calls.append(.control(opcode, text(payload)))
            return takesControls
        }
        func close(with frame: CloseFrame) { calls.append(.close(frame.code?.rawValue)) }
        func stopConnecting() { calls.append(.stopConnecting) }
        func reconnect(with settings: ConnectSettings?) {
            calls.append(.reconnect(settings.map { "\($0.url)" }))
        }
        var givenUpCount = 0
        func retryGivenUp() { calls.append(.retry) }
        func dropGivenUp() { calls.append(.drop) }
        func endAsAsked() { calls.append(.end) }
        func outputDidDrain() { calls.append(.drained) }

        private func text(_ payload: RawSpan) -> String {
            payload.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
    }

    private struct Scene {
        let prompt: ConnectPrompt
        let link: Link
        let editor: FakeEditor
        let loop: EventLoop
        fileprivate let log: TemporaryFile
        fileprivate let file: OutputFile

        /// Types a line and returns the output on the terminal.
        func type(_ line: String) -> String {
            let start = shown().utf8.count
            editor.delegate?.editorDidAccept(Array(line.utf8))
            return String(shown().utf8.dropFirst(start)) ?? ""
        }

        func show(_ text: String, _ direction: Transcript.Direction = .received) {
            Array(text.utf8).withUnsafeBytes { _ = prompt.view.show($0.bytes, as: .text, direction) }
        }

        func shown() -> String {
            String(decoding: (try? File.readRegular(log.path, maximumBytes: 1 << 26)) ?? [], as: UTF8.self)
        }
    }

    /// - Parameter isRedirected: Whether standard output is not the terminal.
    private func withScene(
        isRedirected: Bool = false, _ change: (inout ConnectArguments) -> Void = { _ in },
        _ body: (Scene) throws -> Void
    ) throws {
        _ = preparation
        var arguments = ConnectArguments()
        arguments.client.url = "ws://h/"
        arguments.history = .none
        arguments.transcript.timestamps = .off
        change(&arguments)
        var settings = try ConnectSettings(arguments)
        settings.source = .prompt
        let loop = try EventLoop()
        let log = try TemporaryFile(at: "/tmp/wsx-test-", contents: [])
        defer { log.remove() }
        let file = try OutputFile(creating: log.path)
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(terminal) }
        let diagnostics = Diagnostics(
            color: .never, isQuiet: false, secrets: SecretRecord(),
            log: LogWriter(descriptor: file.descriptor) { _ in "" }
        ) { _ in nil }
        let outputs = try ConnectOutputs(
            settings, diagnostics: diagnostics, output: isRedirected ? file.descriptor : terminal, on: loop)
        let (link, editor) = (Link(), FakeEditor())
        let view = try #require(outputs.view)
        let prompt = ConnectPrompt(
            settings, editor: editor, view: view, recording: outputs.recording, connection: link, on: loop)
        outputs.prompt = prompt
        try body(Scene(prompt: prompt, link: link, editor: editor, loop: loop, log: log, file: file))
        loop.settle()
        outputs.prompt = nil
    }

    // MARK: Sending

    @Test("Saved messages are sent like typed lines, or listed")
    func savedMessages() throws {
        try withScene {
            $0.messages.definitions = [MessageDefinition(name: "hello", text: "hello {{name}} {{env:NONE}}")]
            $0.messages.lineEnd = .crlf
        } _: { scene in
            #expect(scene.editor.services.saved.map(\.parameters) == [["name"]])
            #expect(scene.type("/call").hasPrefix("/call hello name=VALUE  hello {{name}}"))
            #expect(scene.type("/call other") == "wsx: /call: unknown\n")
            #expect(scene.type("/call hello name=x").isEmpty)
            #expect(scene.link.calls == [.send("hello x\r\n", .text)])
        }
        try withScene { #expect($0.type("/call") == "wsx: /call: no message is saved; --define NAME=TEXT saves one\n") }
    }

    @Test("/set keeps a value of messages, or explains why it cannot")
    func variables() throws {
        try withScene { scene in
            #expect(scene.type("/set sid=.session.id").isEmpty)
            #expect(scene.type("/set bad=.a") == "wsx: /set: another name\n")
            #expect(scene.type("/set sid").contains("expected NAME=PATH"))
            #expect(scene.link.variables == ["sid=.session.id"])
        }
    }

    @Test("/decode shows and changes the codecs")
    func codecs() throws {
        try withScene { scene in
            #expect(scene.type("/decode") == "Binary messages are not decoded.\n")
            #expect(scene.type("/decode gzip cbor") == "Decoding with gzip, cbor.\n")
            #expect(scene.link.decoders == [.gzip, .cbor])
            #expect(scene.type("/decode off") == "Binary messages are not decoded.\n")
        }
    }

    @Test("Lines and commands that send reach the connection")
    func sending() throws {
        try withScene { scene in
            for line in [
                "hello", "//slash", "/send /x", "/binary hex 01 ff", "/send-json {\"a\":1}", "/ping p", "/pong q", "",
            ] {
                #expect(scene.type(line).isEmpty, "\(line)")
            }
            #expect(
                scene.link.calls == [
                    .send("hello", .text), .send("/slash", .text), .send("/x", .text),
                    .send(String(decoding: [1, 255] as [UInt8], as: UTF8.self), .binary), .send("{\"a\":1}", .text),
                    .control(.ping, "p"), .control(.pong, "q"),
                ])
        }
    }

    @Test("A line with invalid UTF-8 is rejected, and an unknown command is explained")
    func refused() throws {
        try withScene { scene in
            scene.editor.delegate?.editorDidAccept([0xFF])
            #expect(scene.shown().contains("the line was not sent: it is not UTF-8 text"))
            #expect(scene.type("/pnig").contains("did you mean '/ping'?"))
            #expect(scene.link.calls.isEmpty)
        }
    }

    @Test("Without a connection nothing is sent, unless messages are kept for the next one")
    func disconnected() throws {
        try withScene { scene in
            scene.link.link = .none
            #expect(scene.type("x").contains("the message was not sent: not connected; /reconnect connects again"))
            #expect(scene.type("/ping").contains("the ping was not sent: not connected; /reconnect connects again"))
            #expect(scene.type("/close").contains("the close frame was not sent"))
            scene.link.link = .pending(keepsMessages: false)
            #expect(scene.type("x").contains("the message was not sent: not connected; wait for the connection"))
            #expect(scene.link.calls.isEmpty)
            scene.link.link = .pending(keepsMessages: true)
            #expect(scene.type("kept").isEmpty)
            #expect(scene.type("/close").isEmpty)
            #expect(scene.link.calls == [.send("kept", .text), .stopConnecting])
        }
    }

    @Test("A control frame rejected by a closing connection is reported")
    func closing() throws {
        try withScene { scene in
            scene.link.takesControls = false
            #expect(scene.type("/ping").contains("the ping was not sent: the connection is closing"))
            #expect(scene.type("/close 4000 bye").isEmpty)
            #expect(scene.link.calls.last == .close(4000))
        }
    }

    @Test("/file sends a file as text or binary, and explains errors")
    func files() throws {
        try withFile(Array("text".utf8)) { path in
            try withFile([0xFF, 0]) { binaryPath in
                try withScene { scene in
                    #expect(scene.type("/file \(path)").isEmpty)
                    #expect(scene.type("/file \(binaryPath)").isEmpty)
                    #expect(scene.type("/file text \(binaryPath)").contains("it is not UTF-8 text"))
                    #expect(scene.type("/file /no/such").contains("/file: /no/such: "))
                    #expect(scene.link.calls.count == 2)
                    #expect(scene.link.calls.first == .send("text", .text))
                }
            }
        }
    }

    @Test("/repeat sends the last message repeatedly, and Ctrl-C stops it")
    func repetition() throws {
        try withScene { scene in
            #expect(scene.type("/repeat 2").contains("no message has been sent yet"))
            _ = scene.type("x")
            _ = scene.type("/repeat 3 0")
            scene.loop.turn { scene.link.calls.count == 4 }
            #expect(scene.link.calls.allSatisfy { $0 == .send("x", .text) })
            _ = scene.type("/repeat 5 1h")
            scene.prompt.interrupted()
            #expect(scene.shown().contains("Repeated 0 times."))
            scene.prompt.interrupted()
            #expect(scene.link.calls.last == .end)
        }
    }

    // MARK: Keys

    @Test("Ctrl-C discards a line or ends the run; Ctrl-D and /quit end the run")
    func keys() throws {
        try withScene { scene in
            scene.editor.isEmpty = false
            scene.prompt.interrupted()
            #expect(scene.editor.discardCount == 1 && scene.link.calls.isEmpty)
            scene.editor.isEmpty = true
            scene.prompt.interrupted()
            scene.editor.delegate?.editorDidReachEnd()
            _ = scene.type("/quit")
            #expect(scene.link.calls == [.end, .end, .end])
            scene.editor.delegate?.editorDidReturn(with: "no such editor")
            #expect(scene.shown().contains("/edit: no such editor"))
            #expect(scene.link.calls.last == .drained)
            scene.prompt.close()
            #expect(scene.editor.isClosed)
        }
    }

    @Test("/edit opens the user's editor, and /history lists only matching lines")
    func editing() throws {
        try withScene { scene in
            #expect(scene.type("/edit draft").isEmpty)
            #expect(scene.editor.edited == Array("draft".utf8))
            #expect(scene.type("/edit 7").contains("no line with this number"))
            #expect(scene.type("/history zzz").contains("No line in the history matches."))
        }
    }

    // MARK: Reading

    @Test("Messages are numbered, folded, shown in full, found, and saved")
    func lookingBack() throws {
        try withScene { scene in
            #expect(scene.type("/show").contains("no messages yet"))
            #expect(scene.type("/save /tmp/none").contains("no message has been received yet"))
            scene.show("first")
            scene.show("second", .sent)
            scene.show("third")
            #expect(scene.type("/show 1").isEmpty)
            #expect(scene.editor.shown.contains("#1 ← text, 5 B"))
            #expect(scene.editor.shown.hasSuffix("\nfirst\n"))
            #expect(scene.type("/2").isEmpty)
            #expect(scene.editor.shown.hasSuffix("\nsecond\n"))
            #expect(scene.type("/tail 2") == "  #2 → second\n  #3 ← third\n")
            #expect(scene.type("/show 9").contains("no message 9; messages 1 to 3 are available"))
            #expect(scene.type("/find sec").contains("Found 1 message."))
            #expect(scene.type("/find (").contains("invalid regular expression"))
            try withFile([]) { path in
                #expect(scene.type("/save \(path)").contains("use another name"))
                let other = path + "-new"
                defer { unlink(other) }
                #expect(scene.type("/save \(other) 1").contains("Saved message 1 in \(other) (5 B)."))
            }
        }
    }

    @Test("/filter hides and counts messages that do not match")
    func filter() throws {
        try withScene { scene in
            #expect(scene.type("/filter").contains("No filter is set; /filter REGEX sets one."))
            #expect(scene.type("/filter keep").contains("Showing only messages that match keep"))
            let before = scene.shown()
            scene.show("drop")
            #expect(scene.shown() == before)
            scene.show("keep me")
            #expect(scene.shown().hasSuffix("keep me\n"))
            scene.loop.turn { scene.editor.prompt == "[/keep/ 1 hidden] > " }
            scene.show("mine", .sent)
            #expect(scene.shown().hasSuffix("→ mine\n"))
            #expect(scene.type("/filter").contains("/keep/ hid 1 message"))
            #expect(scene.type("/filter [").contains("invalid regular expression"))
        }
    }

    @Test(
        "A command that would filter redirected output is refused",
        arguments: ["/filter x", "/where .a", "/pick .a", "/pause", "/pick"])
    func redirected(line: String) throws {
        try withScene(isRedirected: true) { scene in
            let command = line.prefix { $0 != " " }
            #expect(
                scene.type(line)
                    == "wsx: \(command): received messages go to standard output, not to this terminal; /find and /tail "
                    + "show them\n")
            scene.show("found")
            #expect(scene.type("/find f") == "  #1 ← found\nFound 1 message.\n")
        }
    }

    @Test("/pretty and /time change the transcript, and /help explains commands")
    func display() throws {
        try withScene { scene in
            #expect(scene.type("/pretty") == "JSON: one member per line.\n")
            #expect(scene.type("/time relative").contains("Times: "))
            #expect(scene.type("/help").contains("/ping"))
            #expect(scene.type("/help close").contains("/close [CODE [REASON]]"))
            #expect(scene.type("/help clsoe").contains("did you mean '/help close'?"))
        }
    }

    // MARK: The connection

    @Test("/info lists facts with names, and /headers shows the handshake")
    func facts() throws {
        try withScene { scene in
            #expect(scene.type("/info") == "URL  ws://h/\nTLS  one\n     two\n")
            #expect(scene.type("/headers").contains("no handshake yet"))
            scene.link.heads = [("GET / HTTP/1.1", .sent)]
            #expect(scene.type("/headers").contains("GET / HTTP/1.1"))
        }
    }

    @Test("/curl prints the connection, and its secrets only if they are asked for") func curl() throws {
        try withScene { scene in
            let masked = scene.type("/curl")
            #expect(masked.hasPrefix("curl ") && masked.contains("'http://h/?token=•••'"))
            #expect(masked.contains("secrets are hidden"))
            #expect(scene.type("/curl secrets").contains("'http://h/?token=geheim'"))
            #expect(scene.type("/curl now").contains("'now' is not secrets"))
        }
    }

    @Test("/retry and /drop decide about messages that were given up, if there are any")
    func givenUp() throws {
        try withScene { scene in
            #expect(scene.type("/retry").contains("/retry: no message was given up"))
            #expect(scene.type("/drop").contains("/drop: no message was given up"))
            scene.link.givenUpCount = 2
            _ = scene.type("/retry")
            #expect(scene.type("/drop").contains("Dropped 2 messages."))
            #expect(scene.link.calls == [.retry, .drop])
        }
    }

    @Test("Without a connection, /retry says when the messages are sent again")
    func retryWithoutConnection() throws {
        try withScene { scene in
            scene.link.givenUpCount = 1
            #expect(scene.type("/retry") == "")
            scene.link.link = .pending(keepsMessages: true)
            #expect(scene.type("/retry") == "Resending 1 message on the next connection.\n")
            scene.link.link = .none
            #expect(scene.type("/retry") == "Resending 1 message on the next connection; /reconnect opens it.\n")
            #expect(scene.link.calls == [.retry, .retry, .retry])
        }
    }

    @Test("/reconnect and /connect request a connection, with settings for another server")
    func connecting() throws {
        try withScene { scene in
            _ = scene.type("/reconnect")
            _ = scene.type("/connect ws://other/")
            #expect(scene.link.calls == [.reconnect(nil), .reconnect("ws://other/")])
            #expect(scene.type("/connect ftp://x").contains("/connect: "))
            #expect(
                scene.type("/connect @prod")
                    == "wsx: /connect: a profile also sets options; leave the prompt, and run 'wsx @prod'\n")
            #expect(scene.link.calls.count == 2)
        }
    }

    @Test("/record starts and stops a recording, and replaces no file")
    func recording() throws {
        try withFile([]) { path in
            try withScene { scene in
                #expect(scene.type("/record").contains("not recording; /record FILE starts a recording"))
                #expect(scene.type("/record \(path)").contains("use another name"))
                let other = path + "-new"
                defer { unlink(other) }
                #expect(scene.type("/record \(other)").contains("Recording to \(other)"))
                #expect(scene.type("/record").contains("Recorded to \(other)."))
            }
        }
    }

    // MARK: The status before the line

    @Test("The prompt shows the state of the connection")
    func status() throws {
        try withScene { scene in
            scene.prompt.showsConnecting()
            #expect(scene.editor.prompt == "(connecting) > ")
            scene.link.attemptWords = "TLS handshake, 3 s"
            scene.loop.turn { scene.editor.prompt == "(TLS handshake, 3 s) > " }
            scene.link.attemptWords = nil
            scene.prompt.showsDisconnected()
            #expect(scene.editor.prompt == "(disconnected) > ")
            scene.prompt.showsWait(.seconds(100))
            #expect(scene.editor.prompt == "(reconnecting in 100 s) > ")
            scene.prompt.showsConnected()
            #expect(scene.editor.prompt == "> ")
        }
    }

    @Test("The countdown to the next attempt does not differ from its notice by a second")
    func countdown() {
        for (wait, words) in [(7.4, "7"), (6.6, "7"), (1.2, "1"), (0.2, "1"), (-1, "1")] {
            let countdown = PromptStatus.countdown(to: .seconds(10 + wait), at: .seconds(10))
            #expect(countdown == "reconnecting in \(words) s")
        }
    }

    @Test("Large messages show their progress in both directions")
    func progress() throws {
        try withScene { scene in
            scene.prompt.showsConnected()
            scene.link.unsentBytes = 4 << 20
            _ = scene.type(String(repeating: "x", count: (1 << 20) + 1))
            scene.link.unsentBytes = 1 << 20
            scene.loop.turn { scene.editor.prompt == "(sending 4.0 MiB: 75 %) > " }
            scene.link.unsentBytes = 0
            scene.link.incomingProgress = MessageProgress(bytes: 2 << 20, totalBytes: 8 << 20)
            scene.loop.turn { scene.editor.prompt == "(receiving 2.0 MiB of 8.0 MiB) > " }
            scene.link.incomingProgress = nil
            scene.loop.turn { scene.editor.prompt == "> " }
        }
    }
}
