import Conversation
import Formats
import WSCore

/// The place where users read notices and errors: standard error, or above the line being typed.
package final class Diagnostics {
    /// A terminal that shows output.
    package enum Terminal {
        /// It shows escape sequences as text.
        case dumb
        case ansi
    }

    /// The editor whose terminal shows all output; nil: standard error.
    package weak var editor: (any PromptEditor)?
    /// The colors of the output.
    package let palette: Palette
    /// When to use colors: never if the environment disables them by default.
    private let color: ColorChoice
    /// The colors that the user has chosen.
    private let changedColors: Palette
    package let isQuiet: Bool
    /// The terminal that the log goes to, or `nil` if it is none.
    package let terminal: Terminal?
    private let screenSize: (_ isPrompt: Bool) -> ScreenSize?
    private let log: LogWriter
    /// The secrets of the run, which no line shows.
    package let secrets: SecretRecord
    /// The directory for files without a name: `$TMPDIR`, or /tmp.
    package let temporaryDirectory: String
    /// Whether the terminal shows a status, which other output replaces.
    private var hasStatus = false

    /// Moves to the beginning of the line and erases it.
    private static let eraseLine = "\r\u{1B}[K"

    /// Creates diagnostics.
    /// - Parameters:
    ///   - color: When to use colors.
    ///   - isQuiet: Whether to suppress notices; errors are always shown.
    ///   - isPlain: Whether nothing on the terminal is erased or drawn again.
    ///   - log: Standard error or its replacement.
    ///   - isTerminal: Whether the log is a terminal.
    ///   - screenSize: Returns the size of the window that shows output.
    ///   - secrets: The secrets of the run.
    ///   - environment: Looks up an environment variable.
    package init(
        color: ColorChoice, isQuiet: Bool, isPlain: Bool = false, secrets: SecretRecord,
        log: LogWriter = .standardError,
        isTerminal: Bool = StandardDescriptors.isTerminal(StandardDescriptors.error),
        screenSize: @escaping (_ isPrompt: Bool) -> ScreenSize? = { ScreenSize.current(isPrompt: $0) },
        environment: (String) -> String?
    ) {
        self.isQuiet = isQuiet
        self.secrets = secrets
        self.screenSize = screenSize
        self.log = log
        temporaryDirectory = environment("TMPDIR").flatMap { File.isDirectory($0) ? $0 : nil } ?? "/tmp"
        let isDumb = ["", "dumb"].contains(environment("TERM") ?? "")
        terminal = !isTerminal ? nil : isDumb || isPlain ? .dumb : .ansi
        // no-color.org: any value but an empty one disables colors.
        let hasNoColor = isDumb || !(environment("NO_COLOR") ?? "").isEmpty
        self.color = color == .auto && hasNoColor ? .never : color
        var colors = Palette(isEnabled: true)
        let problem = colors.change(to: environment("WSX_COLORS") ?? "")
        changedColors = colors
        palette = Self.colors(colors, self.color, on: StandardDescriptors.error)
        if let problem { error("WSX_COLORS: \(problem)") }
    }

    /// The colors for output to a descriptor.
    package func colors(on descriptor: Int32) -> Palette { Self.colors(changedColors, color, on: descriptor) }

    private static func colors(_ palette: Palette, _ color: ColorChoice, on descriptor: Int32) -> Palette {
        switch color {
        case .always: palette
        case .never: Palette(isEnabled: false)
        case .auto: StandardDescriptors.isTerminal(descriptor) ? palette : Palette(isEnabled: false)
        }
    }

    /// Creates the transcript of a run without a prompt that begins now.
    package func makeTranscript(for arguments: some ConversationArguments, on loop: EventLoop) -> Transcript {
        let isPretty = arguments.transcript.isPretty ?? StandardDescriptors.isTerminal(StandardDescriptors.error)
        return Transcript(
            palette: palette, timestamps: arguments.transcript.timestamps ?? .local, style: isPretty ? .full : .off,
            without: secrets, on: loop
        ) { ScreenSize.current(isPrompt: false) }
    }

    /// Creates the view of a run with a prompt that begins now.
    /// - Parameter showsReceived: Whether received messages are shown, as opposed to written to standard output.
    package func makeView(
        for arguments: some ConversationArguments, showsReceived: Bool, on loop: EventLoop
    ) -> MessageView {
        let transcript = Transcript(
            palette: palette, timestamps: arguments.transcript.timestamps ?? .off, isAtPrompt: true,
            style: arguments.transcript.isPretty.map { $0 ? .full : .off } ?? .fit, without: secrets, on: loop
        ) { ScreenSize.current(isPrompt: true) }
        let view = MessageView(
            diagnostics: self, transcript: transcript, selecting: arguments.format.pick, showsReceived: showsReceived,
            on: loop)
        if arguments.transcript.verbosity > 0 { (view.pings, view.filters.showsHidden) = (.shown, true) }
        if let kinds = arguments.format.changes { view.showChanges(of: kinds) }
        return view
    }

    /// Waits until standard error has taken all output, if it is being read. Call this before an editor draws on the
    /// same terminal.
    package func drain() {
        log.drain()
    }

    /// Whether standard error is falling behind. Callers that can defer output should do so.
    package var isBusy: Bool { editor == nil && log.isBusy }

    /// The time until ``isBusy`` is worth checking again.
    package static let busyInterval = Duration.milliseconds(10)

    /// The width of lines for a person, or `nil` if a script may read them. The last column stays free, because some
    /// terminals wrap there.
    package var columns: Int? {
        guard editor != nil || terminal != nil, let size = screenSize(editor != nil) else { return nil }
        return size.columns > Self.minimumColumns ? size.columns - 1 : nil
    }

    /// In a narrower window, the terminal wraps lines.
    private static let minimumColumns = 20

    /// Shows a notice, as one line, unless notices are suppressed. Text of a peer in it, which ``quoted(_:)`` marks, has
    /// no secrets of the run.
    /// - Parameter indentation: The indentation of further lines in a narrow window.
    package func notice(_ line: String, as style: Palette.Style? = nil, indentation: Int = 2) {
        guard !isQuiet else { return }
        show(palette.styled(wrapped(secrets.masking(line: line), indentation: indentation), style) + "\n")
    }

    /// Shows an error, as one line that begins with the program's name, like ``notice(_:as:indentation:)``.
    package func error(_ line: String) {
        let text = wrapped(Glyphs.drawable("wsx: \(secrets.masking(line: line))"))
        show(palette.failure("wsx:") + text.dropFirst(4) + "\n")
    }

    /// Breaks lines at words to fit the window.
    private func wrapped(_ text: String, indentation: Int = 2) -> String {
        guard let columns else { return text }
        let indentation = min(indentation, columns / 3)
        let margin = "\n" + String(repeating: " ", count: indentation)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            WrappedText.lines(of: String(line), columns: columns - indentation, firstColumns: columns)
                .lines.joined(separator: margin)
        }.joined(separator: "\n")
    }

    /// Shows a paragraph, wrapped at words.
    func show(paragraph: String, as style: Palette.Style? = nil) {
        show(palette.styled(wrapped(paragraph, indentation: 0), style) + "\n")
    }

    /// Shows lines, each ending with a newline.
    package func show(_ lines: String) {
        if let editor {
            editor.print(lines)
        } else {
            eraseStatus()
            log.write(lines)
        }
    }

    /// Shows a line that stays until the next output. Only a terminal without a prompt shows it, unless notices are
    /// suppressed.
    /// - Returns: Whether the line is shown.
    @discardableResult
    package func showStatus(_ line: String) -> Bool {
        guard terminal == .ansi, !isQuiet, editor == nil else { return false }
        log.write(Self.eraseLine + line)
        hasStatus = true
        return true
    }

    /// Erases the line of ``showStatus(_:)``, if there is one.
    package func eraseStatus() {
        guard hasStatus else { return }
        hasStatus = false
        log.write(Self.eraseLine)
    }
}

extension Diagnostics {
    /// Reports once that a search reached its limits.
    package func watch(_ pattern: Pattern) {
        let source = pattern.source
        pattern.didGiveUp = { [weak self] in self?.reportLimit(ofSearching: source) }
    }

    /// Reports that a search for `source` reached its limits.
    package func reportLimit(ofSearching source: String) {
        error(
            "searching '\(escapingControls(source))': some text needs too many steps or too much memory and counts as "
                + "not matching; avoid nested repetitions such as (a+)+")
    }
}
