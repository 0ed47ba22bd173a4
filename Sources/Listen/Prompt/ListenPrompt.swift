import Conversation
import Formats
import Peer
import UserInterface
import WSCore

/// The server as the prompt of `wsx listen` sees it.
protocol ListenPromptServer: AnyObject {
    /// Sends a typed item to one client, or to all if `client` is `nil`, and shows it.
    /// - Parameter toServer: Whether a relay sends it to its server, as if the client had.
    /// - Returns: Why the item was not sent, or `nil` if it was.
    func send(typed item: InputItem, _ payload: RawSpan, to client: Int?, toServer: Bool) -> DeliveryProblem?
    /// The clients, ordered by number.
    var clientRows: [ClientRow] { get }
    /// The facts for the status line.
    var statusFacts: StatusLine.Facts { get }
    /// Ends the server.
    func end()
    /// Resumes output after the user's editor has released the terminal.
    func promptDidReturn()
}

/// A row of `/clients`.
struct ClientRow: Equatable {
    let number: Int
    let address: String
    let path: String
    /// Nil: unknown, because the log is off.
    let duration: Duration?
    /// The number of messages.
    let received: Int
    let sent: Int

    /// The rows with their columns aligned and named.
    static func table(of rows: [ClientRow]) -> String {
        let cells =
            [["client", "address", "for", "in", "out", "path"]]
            + rows.map { row in
                [
                    "@\(row.number)", row.address, row.duration.map { Phrase.seconds($0) } ?? "?",
                    Phrase.grouped(row.received), Phrase.grouped(row.sent), escapingControls(row.path),
                ]
            }
        let widths = cells[0].indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            let columns = row.enumerated().map { column, cell in
                switch column {
                case row.count - 1: cell
                // Numbers are aligned at the right.
                case 2...4: rightAligned(cell, widths[column])
                default: cell + String(repeating: " ", count: widths[column] - cell.count)
                }
            }
            return columns.joined(separator: "  ") + "\n"
        }.joined()
    }
}

/// The prompt of `wsx listen`: sends typed lines and runs commands.
final class ListenPrompt {
    private unowned let server: any ListenPromptServer
    private let kind: MessageKind
    private let encoder: TextEncoder
    /// Encodes lines for the server of a relay.
    private let serverEncoder: TextEncoder
    private let diagnostics: Diagnostics
    private let view: MessageView
    private let recording: SessionRecording
    let display: PromptDisplay
    private let pipes: PromptPipes
    private let commands: [PromptCommand<ListenPrompt>]
    /// Who gets what the current line sends; without a client, all.
    private var recipient: (client: Int?, toServer: Bool) = (nil, false)
    let editor: any PromptEditor

    /// Creates a prompt for an editor.
    /// - Parameters:
    ///   - kind: The kind of message to send for typed lines.
    ///   - isRelay: Whether the server is a relay.
    ///   - encoder: Encodes typed lines. Defaults to nil: they are sent as they are.
    init(
        of server: any ListenPromptServer, sending kind: MessageKind, isRelay: Bool = false,
        encoder: TextEncoder = TextEncoder([]), serverEncoder: TextEncoder = TextEncoder([]),
        editor: any PromptEditor, view: MessageView, recording: SessionRecording, on loop: EventLoop
    ) {
        commands = ListenCommands.all(isRelay: isRelay)
        self.server = server
        self.kind = kind
        self.encoder = encoder
        self.serverEncoder = serverEncoder
        self.editor = editor
        self.recording = recording
        self.view = view
        diagnostics = view.diagnostics
        pipes = PromptPipes(of: view, on: loop)
        display = PromptDisplay(
            around: editor, of: view, commands: commands.map(\.description),
            helpNote: isRelay
                ? "In a relay, a line needs a recipient: '@3 TEXT' goes to client 3, and '/to 3 server TEXT' to the server, as if client 3 had sent it."
                : "Lines, /ping, /pong, and /close go to all clients; '@3 TEXT' goes to client 3.",
            on: loop
        ) { [unowned server] in
            var facts = server.statusFacts
            (facts.sentMessages, facts.receivedMessages) = (view.log.sentCount, view.log.receivedCount)
            return facts
        }
        view.offerSessions(isServer: true) { [unowned server] in server.statusFacts.place.first ?? "" }
        editor.delegate = self
    }

    /// Opens the editor and shows the prompt.
    /// - Throws: ``Failure/input(_:)``.
    static func open(
        with openEditor: PromptEditorOpener = LineEditor.opener, of server: any ListenPromptServer,
        sending kind: MessageKind, isRelay: Bool = false, encoder: TextEncoder = TextEncoder([]),
        serverEncoder: TextEncoder = TextEncoder([]), view: MessageView,
        recording: SessionRecording, on loop: EventLoop
    ) throws(Failure) -> ListenPrompt {
        view.diagnostics.drain()
        do throws(IOError) {
            let commands = ListenCommands.all(isRelay: isRelay).map(\.description)
            let editor = try openEditor(History(), commands, loop)
            view.diagnostics.editor = editor
            return ListenPrompt(
                of: server, sending: kind, isRelay: isRelay, encoder: encoder, serverEncoder: serverEncoder,
                editor: editor, view: view,
                recording: recording, on: loop)
        } catch {
            throw .input(error)
        }
    }

    /// Releases the terminal.
    func close() {
        pipes.close()
        editor.close()
        diagnostics.editor = nil
    }

    /// Handles Ctrl-C: ends a command, discards the line, or ends the server if the line is empty.
    func interrupted() {
        // Ignore the signal while the user's editor runs: it is meant for the editor, which is in the same process
        // group.
        if editor.isAway || pipes.interrupt() { return }
        if editor.isEmpty { server.end() } else { editor.discardLine() }
    }

    /// Processes a line: a command, or a message for one client or all.
    func accept(_ line: [UInt8]) {
        let addressed = AddressedLine(line)
        accept(addressed.content, for: addressed.client)
    }

    /// Processes a line for one client, or all.
    /// - Parameter toServer: Whether a relay sends it to its server, as if the client had.
    func accept(_ line: [UInt8], for client: Int?, toServer: Bool = false) {
        recipient = (client, toServer)
        switch PromptLine(line, commands: commands) {
        case .message(let bytes):
            send(line: bytes)
            if client == nil, let notice = PromptHelp.foreign(line) { diagnostics.notice(notice) }
        case .empty: break
        case .call(_, of: let command) where client != nil && !command.isForOneClient:
            diagnostics.error(
                "only messages, /ping, /pong, and /close can go to one client; omit '@\(client ?? 0)'")
        case .call(let call, of: _): call(self)
        case .mistake(let why): diagnostics.error(why)
        }
    }

    func showClients() {
        let rows = server.clientRows
        diagnostics.show(rows.isEmpty ? "No clients.\n" : ClientRow.table(of: rows))
    }

    private func send(_ item: InputItem, _ payload: [UInt8]) {
        view.isTyped = true
        defer { view.isTyped = false }
        let problem = server.send(
            typed: item, payload.span.bytes, to: recipient.client, toServer: recipient.toServer)
        guard let problem else { return }
        diagnostics.error("the \(item.noun) was not sent: \(problem); \(problem.remedy)")
    }
}

extension ListenPrompt: CommandedPrompt {
    func send(line: [UInt8]) {
        guard kind == .binary || UTF8Validator.isValid(line.span.bytes) else {
            return diagnostics.error("the line was not sent: it is not UTF-8 text; check the terminal's encoding")
        }
        do throws(CodecError) {
            try (recipient.toServer ? serverEncoder : encoder).encode(line.span.bytes, as: kind) { payload, kind in
                send(.message(kind), payload.withUnsafeBytes { Array($0) })
            }
        } catch {
            diagnostics.error("the line was not sent: \(error)")
        }
    }

    func send(control opcode: Opcode, _ payload: [UInt8]) { send(opcode == .ping ? .ping : .pong, payload) }

    func close(with frame: CloseFrame) { send(.close(frame), []) }

    func record(to path: String?) {
        recording.record(to: path)
        display.statusLine.update()
    }

    func pipe(to command: String?) { pipes.pass(to: command) }

    func pipe(message number: Int?, to command: String) { pipes.pass(message: number, to: command) }

    /// Ends the server.
    func quit() { server.end() }
}

extension ListenPrompt: PromptEditorDelegate {
    /// Processes a typed line.
    func editorDidAccept(_ line: [UInt8]) {
        accept(line)
    }

    /// Handles Ctrl-D: ends the server.
    func editorDidReachEnd() {
        server.end()
    }

    /// Adapts the prompt and the status line to the window.
    func editorDidResize() {
        display.resized()
    }

    /// Resumes after the user's editor has exited.
    func editorDidReturn(with problem: String?) {
        if let problem { diagnostics.error("/edit: \(problem)") }
        server.promptDidReturn()
    }
}

extension DeliveryProblem {
    /// The remedy at the prompt.
    fileprivate var remedy: String {
        switch self {
        case .serverIsEnding: "start it again"
        case .noClients: "wait for one"
        case .allAreClosing: "wait for another"
        case .noClient, .isClosing: "/clients lists the clients"
        case .noRecipient: "write '/to 1 server TEXT', or '/to 1 client TEXT'"
        }
    }
}

extension InputItem {
    /// The noun for the item in error messages.
    fileprivate var noun: String {
        switch self {
        case .message: "message"
        case .ping: "ping"
        case .pong: "pong"
        case .close, .end: "close frame"
        }
    }
}

/// A line typed at the prompt of `wsx listen`. A prefix can address it to one client: `@3 text`.
struct AddressedLine: Equatable {
    /// The client's number, or `nil` for all clients.
    let client: Int?
    /// The text to send, or the command.
    let content: [UInt8]

    /// Parses a line. `@@3 text` sends `@3 text` to all clients; any other `@` is literal.
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
        // A number out of range matches no client.
        client = Int(String(decoding: digits, as: UTF8.self)) ?? .max
        content = Array(rest.dropFirst())
    }
}
