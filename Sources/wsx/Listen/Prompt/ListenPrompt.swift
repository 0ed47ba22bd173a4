import Formats
import WSCore

/// The server as the prompt of `wsx listen` sees it.
protocol ListenPromptServer: AnyObject {
    /// Sends a typed item to one client, or to all if `client` is `nil`, and shows it.
    /// - Returns: Why the item was not sent, or `nil` if it was.
    func send(typed item: InputItem, _ payload: RawSpan, to client: Int?) -> DeliveryProblem?
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
    private let console: Console
    private let view: MessageView
    private let recording: SessionRecording
    private var display: PromptDisplay?
    /// The line editor on the terminal, or `nil` before it is opened.
    private(set) var editor: (any PromptEditor)?

    private static let commands = PromptCommandTable.listen.map(\.description)

    /// Creates a prompt without showing it.
    /// - Parameter kind: The kind of message to send for typed lines.
    init(of server: any ListenPromptServer, sending kind: MessageKind, view: MessageView, recording: SessionRecording) {
        self.server = server
        self.kind = kind
        self.recording = recording
        self.view = view
        console = view.console
    }

    /// Shows the prompt on the terminal.
    /// - Throws: ``Failure/input(_:)``.
    func open(with openEditor: PromptEditorOpener = LineEditor.opener, on loop: EventLoop) throws(Failure) {
        console.drain()
        do throws(IOError) {
            let editor = try openEditor(History(), Self.commands, loop)
            editor.delegate = self
            self.editor = editor
            console.editor = editor
            display = PromptDisplay(around: editor, of: view, on: loop) { [unowned server] in server.statusFacts }
        } catch {
            throw .input(error)
        }
    }

    /// Releases the terminal.
    func close() {
        display = nil
        editor?.close()
        editor = nil
        console.editor = nil
    }

    /// Handles Ctrl-C: discards the line, or ends the server if the line is empty.
    func interrupted() {
        // Ignore the signal while the user's editor runs: it is meant for the editor, which is in the same process
        // group.
        if editor?.isAway ?? false { return }
        if let editor, !editor.isEmpty { editor.discardLine() } else { server.end() }
    }

    /// Processes a line: a command, or a message for one client or all.
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
        case .view(.save(let path, let number)): view.save(to: UserFiles.expandingHome(path), number)
        case .view(let action): view.carryOut(action)
        case .status(let choice): display?.statusLine.toggle(choice)
        case .record(let path):
            recording.carryOut(path)
            display?.statusLine.update()
        case .help(let topic):
            console.showHelp(topic, of: Self.commands)
            if topic == nil {
                console.show(
                    paragraph: "Lines, /ping, /pong, and /close go to all clients; '@3 TEXT' goes to client 3.")
            }
        case .quit: server.end()
        }
    }

    private func showClients() {
        let rows = server.clientRows
        console.show(rows.isEmpty ? "No clients.\n" : ClientRow.table(of: rows))
    }

    private func send(_ line: [UInt8], to client: Int?) {
        guard kind == .binary || UTF8Validator.isValid(line.span.bytes) else {
            return console.error("the line was not sent: it is not UTF-8 text; check the terminal's encoding")
        }
        send(.message(kind), line, to: client)
    }

    private func send(_ item: InputItem, _ payload: [UInt8], to client: Int?) {
        guard let problem = server.send(typed: item, payload.span.bytes, to: client) else { return }
        console.error("the \(item.noun) was not sent: \(problem); \(problem.remedy)")
    }
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
        display?.resized()
    }

    /// Resumes after the user's editor has exited.
    func editorDidReturn(with problem: String?) {
        if let problem { console.error("/edit: \(problem)") }
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
