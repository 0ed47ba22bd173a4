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

    static let commands = ReplCommand.commands(forServer: false)

    /// Shows the prompt on the terminal.
    init(_ run: ConnectRun) throws(IOError) {
        self.run = run
        editor = try LineEditor(prompt: "> ", on: run.loop)
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
        editor.prompt = "> "
    }

    /// A connection is being opened.
    func showsConnecting() {
        editor.prompt = "(connecting) > "
    }

    /// There is no connection.
    func showsDisconnected() {
        editor.prompt = "(disconnected) > "
    }

    // MARK: Keys

    /// Ctrl-C: throws the line away, or closes when there is none.
    func interrupted() {
        editor.isEmpty ? run.endAsAsked() : editor.discardLine()
    }

    private func carryOut(_ action: ReplAction) {
        switch action {
        case .ping(let payload): sendPing(payload)
        case .pong(let payload): payload.withUnsafeBytes { send(control: .pong, $0.bytes) }
        case .close(let frame): close(with: frame)
        case .reconnect: run.reconnect()
        case .show(let number): showMessage(number)
        case .find(let pattern): find(pattern)
        case .filter(let pattern): setFilter(pattern)
        case .save(let path, let number): save(to: path, number)
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
        switch ReplLine(line, commands: Self.commands) {
        case .message(let bytes): send(message: bytes, as: run.settings.kind)
        case .action(let action): carryOut(action)
        case .mistake(let why): run.console.error(why)
        }
    }

    /// Ctrl-D closes.
    func editorDidReachEnd(_ editor: LineEditor) {
        run.endAsAsked()
    }
}
