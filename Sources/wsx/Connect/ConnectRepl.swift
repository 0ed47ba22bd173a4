import Formats
import WSCore

/// The prompt of `wsx connect`: takes what is typed to the run, as messages and commands.
///
/// Without a connection it stays, so that one can look back, and connect again.
final class ConnectRepl {
    let editor: LineEditor
    unowned let run: ConnectRun
    /// What has travelled.
    var log = MessageLog()
    /// The number of the last message of which only the beginning was shown, and which has not been asked for.
    var lastFolded: Int?
    /// What messages have to match to be shown, and how many did not; nil: all are shown.
    var filter: (pattern: Pattern, hiddenCount: Int)?

    /// What was typed last to be sent.
    var lastMessage: (payload: [UInt8], kind: MessageKind)?
    var repetition: Repetition?
    private(set) lazy var status = ReplStatus(self)

    static let commands = PromptCommandTable.connect.map(\.description)

    /// Shows the prompt on the terminal.
    init(_ run: ConnectRun) throws(IOError) {
        self.run = run
        let history = Self.history(run.settings, console: run.console)
        editor = try LineEditor(prompt: "> ", history: history, commands: Self.commands, on: run.loop)
        editor.delegate = self
        run.console.editor = editor
    }

    /// Gives the terminal back.
    func close() {
        editor.close()
        run.console.editor = nil
    }

    // MARK: Where the run stands

    /// There is a connection.
    func showsConnected() {
        status.base = .connected
    }

    /// A connection is being opened.
    func showsConnecting() {
        status.base = .connecting
    }

    /// There is no connection.
    func showsDisconnected() {
        repetition = nil
        status.base = .disconnected
    }

    /// There is no connection, and the next try is due in a while.
    func showsWait(_ wait: Duration) {
        repetition = nil
        status.base = .waiting(until: run.loop.now + wait)
    }

    // MARK: Keys

    /// Ctrl-C: ends what is going on, throws the line away, or closes when there is none.
    func interrupted() {
        guard repetition == nil else { return endRepetition() }
        editor.isEmpty ? run.endAsAsked() : editor.discardLine()
    }

    private func carryOut(_ action: ConnectAction) {
        switch action {
        case .shared(let action): carryOut(action)
        case .binary(let bytes): send(message: bytes, as: .binary)
        case .file(let path, let kind): sendFile(path, as: kind)
        case .sendJSON(let text): send(message: text, as: .text)
        case .repeatMessage(let count, let interval): startRepetition(count: count, interval: interval)
        case .reconnect: run.reconnect()
        case .connect(let url): connect(to: url)
        case .record(let path): record(in: path)
        case .headers: showHeaders()
        case .info: showInfo()
        case .show(let number): showMessage(number)
        case .find(let pattern): find(pattern)
        case .filter(let pattern): setFilter(pattern)
        case .save(let path, let number): save(to: path, number)
        }
    }

    private func carryOut(_ action: PromptAction) {
        switch action {
        case .send(let bytes): send(message: bytes, as: run.settings.kind)
        case .ping(let payload): sendPing(payload)
        case .pong(let payload): payload.withUnsafeBytes { send(control: .pong, $0.bytes) }
        case .close(let frame): close(with: frame)
        case .history(let query): run.console.showHistory(query, of: editor.history)
        case .edit(let source): run.console.edit(source, with: editor)
        case .pretty(let isPretty): run.console.setPretty(isPretty, of: run.transcript)
        case .time(let style): run.console.setTime(style, of: run.transcript)
        case .help(let topic): run.console.showHelp(topic, of: Self.commands)
        case .quit: run.endAsAsked()
        }
    }
}

extension ConnectRepl: LineEditor.Delegate {
    /// Carries out or sends a line that was typed.
    func editor(_ editor: LineEditor, didAccept line: [UInt8]) {
        switch PromptLine(line, commands: PromptCommandTable.connect) {
        case .message(let bytes): send(message: bytes, as: run.settings.kind)
        case .empty: break
        case .action(let action): carryOut(action)
        case .mistake(let why): run.console.error(why)
        }
    }

    /// Ctrl-D closes.
    func editorDidReachEnd(_ editor: LineEditor) {
        run.endAsAsked()
    }

    /// Goes on after the user's editor.
    func editor(_ editor: LineEditor, didReturnWith problem: String?) {
        returned(with: problem)
    }
}
