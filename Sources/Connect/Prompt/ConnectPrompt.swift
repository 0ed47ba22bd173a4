import CommandLine
import Formats
import Peer
import UserInterface
import WSCore

/// The prompt of `wsx connect`: runs typed lines, and shows messages and frames.
///
/// It outlives connections, which lets the user review messages and reconnect.
final class ConnectPrompt {
    let editor: any PromptEditor
    unowned let connection: any PromptConnection
    let diagnostics: Diagnostics
    let view: MessageView
    /// The recording, which the user starts and stops.
    private let recording: SessionRecording
    let loop: EventLoop
    /// The settings from the command line, for the first server.
    let settings: ConnectSettings
    /// The last message sent from the prompt.
    var lastMessage: (payload: [UInt8], kind: MessageKind)?
    private(set) var repetition: Repetition?
    let status: PromptStatus
    let display: PromptDisplay
    private let pipes: PromptPipes

    /// Creates a prompt for an editor.
    init(
        _ settings: ConnectSettings, editor: any PromptEditor, view: MessageView, recording: SessionRecording,
        connection: any PromptConnection, on loop: EventLoop
    ) {
        self.settings = settings
        self.editor = editor
        self.recording = recording
        self.connection = connection
        self.loop = loop
        diagnostics = view.diagnostics
        self.view = view
        pipes = PromptPipes(of: view, on: loop)
        status = PromptStatus(of: connection, on: loop)
        display = PromptDisplay(around: editor, of: view, commands: ConnectCommands.all.map(\.description), on: loop) {
            [unowned connection] in connection.statusFacts
        }
        view.offerSessions(isServer: false) { [unowned connection] in connection.statusFacts.place.first ?? "" }
        editor.services.saved = settings.saved
        editor.delegate = self
        status.didChange = { [unowned self] words in display.words = words }
    }

    /// Opens the editor and shows the prompt.
    static func open(
        _ settings: ConnectSettings, with openEditor: PromptEditorOpener, view: MessageView,
        recording: SessionRecording, connection: any PromptConnection, on loop: EventLoop
    ) throws(IOError) -> ConnectPrompt {
        let editor = try openEditor(
            history(settings, diagnostics: view.diagnostics), ConnectCommands.all.map(\.description), loop)
        editor.services.paste.choice = settings.arguments.transcript.paste
        view.diagnostics.editor = editor
        return ConnectPrompt(
            settings, editor: editor, view: view, recording: recording, connection: connection, on: loop)
    }

    /// Loads the history that the settings request.
    private static func history(_ settings: ConnectSettings, diagnostics: Diagnostics) -> History {
        // Evaluated for each line: /connect may add secrets.
        let record = settings.secrets.record
        let isOwnFile = settings.arguments.history == .host
        let history = History(path: settings.historyPath, isOwnFile: isOwnFile) { HistoryPolicy(secrets: record) }
        history.didFail = { [weak diagnostics] problem in diagnostics?.error(problem) }
        history.load()
        return history
    }

    /// Adds the words of a message to the completions.
    func remember(_ text: RawSpan) {
        editor.services.words.remember(text)
    }

    /// Releases the terminal.
    func close() {
        repetition = nil
        pipes.close()
        editor.close()
        diagnostics.editor = nil
    }

    // MARK: Connection state

    /// Shows that a connection is open.
    func showsConnected() {
        status.base = .connected
    }

    /// Shows that a connection is being opened.
    func showsConnecting() {
        status.base = .connecting
    }

    /// Shows that the closing handshake has started.
    func showsClosing() {
        status.base = .closing
    }

    /// Shows that there is no connection.
    func showsDisconnected() {
        repetition = nil
        status.base = .disconnected
    }

    /// Shows that there is no connection and the next attempt follows after a wait.
    func showsWait(_ wait: Duration) {
        repetition = nil
        status.base = .waiting(until: loop.now + wait)
    }

    /// Shows that a message is no longer sent, because connections keep ending before the peer confirms it.
    func showsGivenUp(_ words: String) {
        diagnostics.error(
            "gave up on \(words): connections keep ending before the peer confirms it; /retry or /drop it")
    }

    // MARK: Keys and commands

    /// Handles Ctrl-C: ends a repetition or a command, discards the line, or closes the connection if the line is empty.
    func interrupted() {
        if repetition != nil { return endRepetition() }
        if pipes.interrupt() { return }
        editor.isEmpty ? connection.endAsAsked() : editor.discardLine()
    }

    /// Handles Ctrl-\. Returns whether it is meant for a program, and not for the run.
    func quitsProgram() -> Bool {
        // The user's editor is in the same process group and gets the signal as well.
        editor.isAway || pipes.interrupt()
    }

    /// Carries out a decision about the messages that were given up.
    func decide(_ command: String, _ action: () -> Void) {
        let count = connection.givenUpCount
        guard count > 0 else { return diagnostics.error("/\(command): no message was given up") }
        action()
        let messages = Phrase.count(count, "message")
        switch (command, connection.link) {
        case ("drop", _): diagnostics.notice("Dropped \(messages).")
        // The transcript shows them.
        case (_, .open): break
        case (_, .pending): diagnostics.notice("Resending \(messages) on the next connection.")
        case (_, .none): diagnostics.notice("Resending \(messages) on the next connection; /reconnect opens it.")
        }
        display.statusLine.update()
    }

    // MARK: Repetition

    /// Starts sending the last message repeatedly.
    func startRepetition(count: Int, interval: Duration) {
        guard let (payload, kind) = lastMessage else {
            return diagnostics.error("/repeat: no message has been sent yet")
        }
        repetition = Repetition(count: count, interval: interval, on: loop) { [unowned self] in
            !connection.isFull
        } send: { [unowned self] in
            send(message: payload, as: kind, isTyped: false)
        } finish: { [unowned self] in
            repetition = nil
        }
    }

    /// Ends the repetition and reports the number of messages sent.
    private func endRepetition() {
        guard let count = repetition?.sentCount else { return }
        repetition = nil
        diagnostics.notice("Repeated \(Phrase.count(count, "time")).")
    }

    // MARK: Another connection

    func connect(to url: String) {
        if Configuration.profileName(in: url) != nil {
            let shown = escapingControls(url)
            return diagnostics.error("/connect: a profile also sets options; leave the prompt, and run 'wsx \(shown)'")
        }
        do throws(Failure) {
            let next = try settings.leading(to: url)
            if settings.requestTemplate.reconnectURL != nil { diagnostics.notice("/connect ends --reconnect-url.") }
            connection.reconnect(with: next)
        } catch {
            diagnostics.error("/connect: \(error.message ?? "")")
        }
    }

    /// Changes and shows the codecs of received messages.
    func decode(with codecs: [Codec]?) {
        guard codecs.map({ connection.decode(with: $0) }) ?? true else {
            return diagnostics.error("/decode: the programs of --decode run until the end")
        }
        let names = connection.decoders.map(\.name)
        diagnostics.notice(
            names.isEmpty ? "Binary messages are not decoded." : "Decoding with \(names.joined(separator: ", ")).")
    }

    /// Shows the requests and responses of the opening handshake.
    func showHeaders() {
        let heads = connection.heads
        guard !heads.isEmpty else { return diagnostics.error("/headers: no handshake yet") }
        for (line, direction) in heads { diagnostics.show(view.transcript.head(line, direction, isPast: true)) }
    }

    /// Shows the connection as a curl command.
    func showCurl(showsSecrets: Bool) {
        do throws(Failure) {
            let command = try connection.curlCommand(showsSecrets: showsSecrets)
            diagnostics.show(command.text)
            command.notices.forEach { diagnostics.notice($0) }
        } catch {
            diagnostics.error("/curl: \(error.message ?? "")")
        }
    }

    /// Shows the facts about the connection.
    func showInfo() {
        diagnostics.show(
            TermList.text(of: connection.facts, columns: diagnostics.columns, style: diagnostics.palette.quiet))
    }

    /// Reports that something was not sent because there is no connection.
    func reportDisconnected(_ what: String) {
        let remedy = connection.link == .none ? "/reconnect connects again" : "wait for the connection"
        diagnostics.error("the \(what) was not sent: not connected; \(remedy)")
    }
}

extension ConnectPrompt: CommandedPrompt {
    /// Starts the closing handshake, or cancels a pending connection.
    func close(with frame: CloseFrame) {
        switch connection.link {
        case .open: connection.close(with: frame)
        case .pending: connection.stopConnecting()
        case .none: reportDisconnected("close frame")
        }
    }

    func record(to path: String?) {
        recording.record(to: path)
        display.statusLine.update()
    }

    func pipe(to command: String?) { pipes.pass(to: command) }

    func pipe(message number: Int?, to command: String) { pipes.pass(message: number, to: command) }

    /// Closes the connection and ends the run.
    func quit() { connection.endAsAsked() }
}

extension ConnectPrompt: PromptEditorDelegate {
    /// Runs or sends a typed line.
    func editorDidAccept(_ line: [UInt8]) {
        switch PromptLine(line, commands: ConnectCommands.all) {
        case .message(let bytes):
            send(line: bytes)
            if let notice = PromptHelp.foreign(line) { diagnostics.notice(notice) }
        case .empty: break
        case .call(let call, of: _): call(self)
        case .mistake(let why): diagnostics.error(why)
        }
    }

    /// Handles Ctrl-D: closes the connection and ends the run.
    func editorDidReachEnd() {
        connection.endAsAsked()
    }

    /// Adapts the prompt and the status line to the window.
    func editorDidResize() {
        display.resized()
    }

    /// Shows the output held back while the user's editor used the terminal, and resumes receiving.
    func editorDidReturn(with problem: String?) {
        if let problem { diagnostics.error("/edit: \(problem)") }
        connection.outputDidDrain()
    }
}
