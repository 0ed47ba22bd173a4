import WSCore

/// Where people read what the program has to say: standard error, or above the line being typed.
final class Console {
    /// The editor on whose terminal everything is shown; nil: standard error.
    weak var editor: (any PromptEditor)?
    /// The colours for what is shown here.
    let palette: Palette
    private let color: ColorChoice
    private let hasNoColor: Bool
    private let isQuiet: Bool
    private let log: LogWriter

    /// Makes a console.
    /// - Parameters:
    ///   - color: When to colour.
    ///   - isQuiet: Whether notices are left out; errors never are.
    ///   - log: Standard error, or what stands for it.
    ///   - environment: Looks an environment variable up.
    init(
        color: ColorChoice, isQuiet: Bool, log: LogWriter = .standardError, environment: (String) -> String?
    ) {
        self.isQuiet = isQuiet
        self.log = log
        self.color = color
        // The convention of no-color.org: any value but an empty one.
        hasNoColor = color == .auto && !(environment("NO_COLOR") ?? "").isEmpty
        palette = Self.colors(color, hasNoColor: hasNoColor, on: StandardDescriptors.error)
    }

    /// The colours for what is written to a descriptor.
    func colors(on descriptor: Int32) -> Palette {
        Self.colors(color, hasNoColor: hasNoColor, on: descriptor)
    }

    private static func colors(_ color: ColorChoice, hasNoColor: Bool, on descriptor: Int32) -> Palette {
        switch color {
        case .always: Palette(isEnabled: true)
        case .never: Palette(isEnabled: false)
        case .auto: Palette(isEnabled: !hasNoColor && StandardDescriptors.isTerminal(descriptor))
        }
    }

    /// Makes the transcript of a run, which begins now.
    /// - Parameter isPrompt: Whether lines are typed on the terminal where it is shown.
    func makeTranscript(for arguments: some ConversationArguments, isPrompt: Bool, on loop: EventLoop) -> Transcript {
        Transcript(
            palette: palette, timestamps: arguments.transcript.timestamps,
            isPretty: arguments.transcript.isPretty
                ?? (isPrompt || StandardDescriptors.isTerminal(StandardDescriptors.error)),
            on: loop
        ) { ScreenSize.current(isPrompt: isPrompt) }
    }

    /// Waits until standard error has what was shown there, if it is read: before an editor draws on the same terminal.
    func drain() {
        log.drain()
    }

    /// Whether standard error does not keep up, so that whoever can wait with more is to wait.
    var isBusy: Bool { editor == nil && log.isBusy }

    /// How long it is until ``isBusy`` is worth asking for again.
    static let busyInterval = Duration.milliseconds(10)

    /// Shows a line that tells what happens, unless notices are not wanted.
    func notice(_ line: String) {
        guard !isQuiet else { return }
        show(line + "\n")
    }

    /// Shows an error, as one line that begins with the program's name.
    func error(_ line: String) {
        show(palette.failure("wsx:") + " \(line)\n")
    }

    /// Shows lines, each of which ends with a newline.
    func show(_ lines: String) {
        if let editor {
            editor.print(lines)
        } else {
            log.write(lines)
        }
    }
}
