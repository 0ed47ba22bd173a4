import WSCore

/// Opens a prompt's editor. Unit tests open one without a terminal.
typealias PromptEditorOpener =
    (History, [PromptCommandDescription], EventLoop) throws(IOError) -> any PromptEditor

/// The line editor as prompts use it.
protocol PromptEditor: AnyObject {
    var delegate: (any PromptEditorDelegate)? { get set }
    /// The text before the line.
    var prompt: String { get set }
    /// The lines typed earlier.
    var history: History { get }
    /// The words that can be completed.
    var words: WordMemory { get set }
    /// Whether nothing has been typed.
    var isEmpty: Bool { get }
    /// Whether the user's editor has the terminal.
    var isAway: Bool { get }
    /// Whether so much waits to be shown that no more should come.
    var holdsMuch: Bool { get }
    /// Shows lines, each with its newline, above the line being typed.
    func print(_ lines: String)
    /// Discards the line being typed.
    func discardLine()
    /// Opens the user's editor with a text.
    func edit(_ text: [UInt8])
    /// The text that a command wants to be edited; nil: there is no such line.
    func text(for source: EditSource) -> [UInt8]?
    /// Ends editing and restores the terminal.
    func close()
}

/// Takes the lines of a prompt.
protocol PromptEditorDelegate: AnyObject {
    /// Enter was typed; the line has been erased from the screen.
    func editorDidAccept(_ line: [UInt8])
    /// The end of the input: Ctrl-D on an empty line, or the terminal has gone away.
    func editorDidReachEnd()
    /// The user's editor has given the terminal back; what was held is about to be shown.
    /// - Parameter problem: Why the editor returned no text, in one line.
    func editorDidReturn(with problem: String?)
}

extension LineEditor: PromptEditor {
    /// Opens the editor on the terminal that is standard input.
    static var opener: PromptEditorOpener {
        { (history, commands, loop) throws(IOError) in
            try LineEditor(prompt: "> ", history: history, commands: commands, on: loop)
        }
    }
}
