import WSCore

/// What the prompt of `wsx listen` needs of the server.
protocol ListenPromptServer: AnyObject {
    /// Sends what was typed to a client, or to all (nil), and shows it.
    /// - Returns: Why it was not sent; nil: it was.
    func send(typed item: InputItem, _ payload: RawSpan, to client: Int?) -> DeliveryProblem?
    /// A line about each client, in the order of their numbers.
    var clientLines: [String] { get }
    /// Ends the server.
    func end()
    /// Goes on after the user's editor, which had the terminal.
    func promptDidReturn()
}

/// The prompt of `wsx listen`: sends the lines that are typed, and carries out the commands.
final class ListenPrompt {
    private unowned let server: any ListenPromptServer
    private let kind: MessageKind
    private let console: Console
    private let transcript: Transcript
    /// The terminal; nil before it is opened.
    private(set) var editor: (any PromptEditor)?

    private static let commands = PromptCommandTable.listen.map(\.description)

    /// Makes a prompt that is not shown yet.
    /// - Parameter kind: The kind of the messages that are typed.
    init(of server: any ListenPromptServer, sending kind: MessageKind, console: Console, transcript: Transcript) {
        self.server = server
        self.kind = kind
        self.console = console
        self.transcript = transcript
    }

    /// Shows the prompt on the terminal, or throws ``Failure/input(_:)``.
    func open(with openEditor: PromptEditorOpener = LineEditor.opener, on loop: EventLoop) throws(Failure) {
        console.drain()
        do throws(IOError) {
            let editor = try openEditor(History(), Self.commands, loop)
            editor.delegate = self
            self.editor = editor
            console.editor = editor
        } catch {
            throw .input(error)
        }
    }

    /// Gives the terminal back.
    func close() {
        editor?.close()
        editor = nil
        console.editor = nil
    }

    /// Ctrl-C: throws the line away, or ends the server if there is none.
    func interrupted() {
        // The key is the user's editor's, which is in the same group of processes.
        if editor?.isAway ?? false { return }
        if let editor, !editor.isEmpty { editor.discardLine() } else { server.end() }
    }

    /// Takes a line: a command, or a message for every client or the one that it names.
    func accept(_ line: [UInt8]) {
        let addressed = AddressedLine(line)
        switch PromptLine(addressed.content, commands: PromptCommandTable.listen) {
        case .message(let bytes): send(bytes, to: addressed.client)
        case .empty: break
        case .action(let action): carryOut(action, for: addressed.client)
        case .mistake(let why): console.error(why)
        }
    }

    private func carryOut(_ action: ListenAction, for client: Int?) {
        switch action {
        case .shared(let action): carryOut(action, for: client)
        case .clients: showClients()
        }
    }

    private func carryOut(_ action: PromptAction, for client: Int?) {
        switch action {
        case .send(let bytes): send(bytes, to: client)
        case .ping(let payload): send(.ping, payload, to: client)
        case .pong(let payload): send(.pong, payload, to: client)
        case .close(let frame): send(.close(frame), [], to: client)
        case .history(let query): editor.map { console.showHistory(query, of: $0.history) }
        case .edit(let source): editor.map { console.edit(source, with: $0) }
        case .pretty(let isPretty): console.setPretty(isPretty, of: transcript)
        case .time(let style): console.setTime(style, of: transcript)
        case .help(let topic):
            console.showHelp(topic, of: Self.commands)
            if topic == nil {
                console.show(
                    "A line goes to every client; '@3 text' to client 3 alone, and so do /ping, /pong and /close.\n")
            }
        case .quit: server.end()
        }
    }

    private func showClients() {
        let lines = server.clientLines
        console.show(lines.isEmpty ? "There is no client.\n" : lines.map { $0 + "\n" }.joined())
    }

    private func send(_ line: [UInt8], to client: Int?) {
        guard kind == .binary || UTF8Validator.isValid(line.span.bytes) else {
            return console.error("the line is not UTF-8 text and was not sent")
        }
        send(.message(kind), line, to: client)
    }

    private func send(_ item: InputItem, _ payload: [UInt8], to client: Int?) {
        guard let problem = server.send(typed: item, payload.span.bytes, to: client) else { return }
        switch problem {
        case .noClients, .noClient: console.error("\(problem)")
        case .serverIsEnding, .allAreClosing, .isClosing: console.error("\(problem): the \(item.noun) was not sent")
        }
    }
}

extension ListenPrompt: PromptEditorDelegate {
    /// Takes a line that was typed.
    func editorDidAccept(_ line: [UInt8]) {
        accept(line)
    }

    /// Ctrl-D ends the server.
    func editorDidReachEnd() {
        server.end()
    }

    /// Goes on after the user's editor.
    func editorDidReturn(with problem: String?) {
        if let problem { console.error("/edit: \(problem)") }
        server.promptDidReturn()
    }
}

extension InputItem {
    /// The word for it in errors.
    fileprivate var noun: String {
        switch self {
        case .message: "message"
        case .ping: "ping"
        case .pong: "pong"
        case .close, .end: "close frame"
        }
    }
}

/// A line typed at the prompt of `wsx listen`, which may begin with the client that it is for: `@3 text`.
struct AddressedLine: Equatable {
    /// The client's number; nil: it is for all.
    let client: Int?
    /// What it is to be sent, or the command.
    let content: [UInt8]

    /// Reads a line. One that begins `@@3 ` is for all and begins `@3 `; any other `@` is what it is.
    init(_ line: [UInt8]) {
        let marks = line.prefix { $0 == UInt8(ascii: "@") }
        let digits = line[marks.endIndex...].prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        let rest = line[digits.endIndex...]
        guard 1...2 ~= marks.count, !digits.isEmpty, rest.isEmpty || rest.first == UInt8(ascii: " ") else {
            (client, content) = (nil, line)
            return
        }
        guard marks.count == 1 else {
            (client, content) = (nil, Array(line.dropFirst()))
            return
        }
        // A number that is too large is that of no client.
        client = Int(String(decoding: digits, as: UTF8.self)) ?? .max
        content = Array(rest.dropFirst())
    }
}
