import WSCore

/// Where people read what the program has to say: standard error, or above the line being typed.
final class Console {
    /// The editor on whose terminal everything is shown; nil: standard error.
    weak var editor: LineEditor?
    /// The colours for what is shown here.
    let palette: Palette
    private let isQuiet: Bool
    private let isErrorTerminal: Bool

    /// Makes a console.
    /// - Parameters:
    ///   - color: When to colour.
    ///   - isQuiet: Whether notices are left out; errors never are.
    ///   - environment: Looks an environment variable up.
    init(color: ColorChoice, isQuiet: Bool, environment: (String) -> String?) {
        self.isQuiet = isQuiet
        isErrorTerminal = StandardDescriptors.isTerminal(StandardDescriptors.error)
        let isEnabled =
            switch color {
            case .always: true
            case .never: false
            // The convention of no-color.org: any value but an empty one.
            case .auto: isErrorTerminal && (environment("NO_COLOR") ?? "").isEmpty
            }
        palette = Palette(isEnabled: isEnabled)
    }

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
            StandardDescriptors.writeAll(lines, to: StandardDescriptors.error)
        }
    }
}
